package io.flowfabric.bench.contender;

import io.flowfabric.bench.server.Login;
import io.flowfabric.core.Answer;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.store.Store;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;

/**
 * The store's own drain: a few threads on its contract that claim as many as one call gives, finish
 * them with one call, and claim the next. No handler, no worker, no engine.
 */
public final class StoreInBatches implements Contender {
    /** As many as a worker claims and commits at once. */
    private static final int BATCH = 256;

    /** More of them only wait for the same two cores. */
    private static final int THREADS = 4;

    /** Longer than any drain: the threads send no heartbeats. */
    private static final Duration TTL = Duration.ofHours(1);

    private final StoreSchema schema;
    private final int threads;

    /**
     * @param workers counts for little here: there are few threads, and each does many at once
     */
    public StoreInBatches(Login login, int workers) throws SQLException {
        threads = Math.min(workers, THREADS);
        schema = StoreSchema.open(login, "store_in_batches", threads);
    }

    @Override
    public String key() {
        return "store";
    }

    @Override
    public String name() {
        return "the store, %d at a time".formatted(BATCH);
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
        var hands = new ArrayList<Hand>();
        for (int i = 0; i < threads; i++) {
            hands.add(new Hand(schema.store(), i));
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
        schema.close();
    }

    /** One thread and its session. */
    private static final class Hand implements Crew.Member {
        private final Store store;
        private final Session session;
        private long claims;

        Hand(Store store, int number) {
            this.store = store;
            this.session = Session.of("bench", "bench-" + number, "default").ttl(TTL);
            store.sessions().open(session);
        }

        @Override
        public int work() {
            var leases = store.claims().claim(new Claim(session.id(), ++claims, BATCH)).leases();
            if (!leases.isEmpty()) {
                var endings =
                        leases.stream()
                                .<Ending>map(
                                        lease -> new Ending.Complete(lease.fence(), Payload.EMPTY))
                                .toList();
                store.leases().end(endings).forEach(Answer::orThrow);
            }
            return leases.size();
        }
    }
}
