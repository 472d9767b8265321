package io.flowfabric.bench.contender;

import io.flowfabric.bench.server.Login;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * What {@link BareSql} does, for many executions with each statement: how fast the same records can
 * be kept when nobody waits for a commit of their own.
 */
public final class BareSqlInBatches implements Contender {
    /**
     * As in {@code bare-claim-batch.sql}: what the engine holds ahead for sixteen handlers that are
     * quick.
     */
    private static final int BATCH = 64;

    /** More of them only wait for the same two cores. */
    private static final int THREADS = 4;

    private final StoreSchema schema;
    private final List<Hand> hands = new ArrayList<>();

    /**
     * @param workers counts for nothing here: there are few threads, and each does many at once
     */
    public BareSqlInBatches(Login login, int workers) throws SQLException {
        schema = StoreSchema.open(login, "bare_in_batches", 1);
        for (int i = 0; i < Math.min(workers, THREADS); i++) {
            hands.add(new Hand(login.connect()));
        }
    }

    @Override
    public String key() {
        return "bare_batched";
    }

    @Override
    public String name() {
        return "bare SQL, %d at a time".formatted(BATCH);
    }

    @Override
    public void submit(int executions) {
        schema.submit(executions);
    }

    @Override
    public int ready() throws SQLException {
        return schema.ready();
    }

    @Override
    public Duration drain() throws SQLException, InterruptedException {
        for (var hand : hands) {
            hand.open();
        }
        return Crew.drain(hands, ready());
    }

    @Override
    public void verify() throws SQLException {
        schema.verify();
    }

    @Override
    public void clear() throws SQLException {
        schema.clear();
    }

    @Override
    public void close() {
        hands.forEach(hand -> Closing.quietly(hand.connection));
        schema.close();
    }

    /** One thread and its connection. */
    private final class Hand implements Crew.Member {
        private final Connection connection;
        private final PreparedStatement open;
        private final PreparedStatement claim;
        private final PreparedStatement finish;
        private UUID session = UUID.randomUUID();
        private long claims;

        Hand(Connection connection) throws SQLException {
            this.connection = connection;
            open = connection.prepareStatement(Script.load("bare-open.sql", schema.name()));
            claim = connection.prepareStatement(Script.load("bare-claim-batch.sql", schema.name()));
            finish =
                    connection.prepareStatement(
                            Script.load("bare-finish-batch.sql", schema.name()));
        }

        void open() throws SQLException {
            session = UUID.randomUUID();
            open.setObject(1, session);
            open.executeUpdate();
        }

        @Override
        public int work() throws SQLException {
            long now = System.currentTimeMillis();
            claim.setObject(1, session);
            claim.setLong(2, now);
            claim.setLong(3, now);
            claim.setLong(4, ++claims);
            var ids = new ArrayList<UUID>(BATCH);
            var epochs = new ArrayList<Long>(BATCH);
            try (var lease = claim.executeQuery()) {
                while (lease.next()) {
                    ids.add(lease.getObject("id", UUID.class));
                    epochs.add(lease.getLong("epoch"));
                }
            }
            return ids.isEmpty() ? 0 : finish(ids, epochs);
        }

        private int finish(List<UUID> ids, List<Long> epochs) throws SQLException {
            finish.setLong(1, System.currentTimeMillis());
            finish.setArray(2, connection.createArrayOf("uuid", ids.toArray()));
            finish.setArray(3, connection.createArrayOf("bigint", epochs.toArray()));
            try (var finished = finish.executeQuery()) {
                finished.next();
                return finished.getInt(1);
            }
        }
    }
}
