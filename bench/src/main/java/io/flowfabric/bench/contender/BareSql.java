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
 * The least that a program could do which keeps the same records in the same tables: each thread
 * claims one execution with one statement and finishes it with another, on a connection of its own,
 * and each statement is a commit.
 *
 * <p>It writes every row that the engine writes, and it is as safe against crashes. It checks
 * nothing else: no sessions that may have died, no lanes, no kinds, no repeated calls.
 */
public final class BareSql implements Contender {
    private final StoreSchema schema;
    private final List<Hand> hands = new ArrayList<>();

    public BareSql(Login login, int workers) throws SQLException {
        schema = StoreSchema.open(login, "bare", 1);
        for (int i = 0; i < workers; i++) {
            hands.add(new Hand(login.connect()));
        }
    }

    @Override
    public String key() {
        return "bare";
    }

    @Override
    public String name() {
        return "bare SQL, one at a time";
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
            claim = connection.prepareStatement(Script.load("bare-claim.sql", schema.name()));
            finish = connection.prepareStatement(Script.load("bare-finish.sql", schema.name()));
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
            try (var lease = claim.executeQuery()) {
                return lease.next()
                        ? finish(lease.getObject("id", UUID.class), lease.getLong("epoch"))
                        : 0;
            }
        }

        private int finish(UUID id, long epoch) throws SQLException {
            finish.setLong(1, System.currentTimeMillis());
            finish.setObject(2, id);
            finish.setLong(3, epoch);
            try (var finished = finish.executeQuery()) {
                finished.next();
                return finished.getInt(1);
            }
        }
    }
}
