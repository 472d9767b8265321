package io.flowfabric.bench.contender;

import io.flowfabric.bench.server.Login;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Store;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * The store of the engine with one execution in flight for each thread, and nothing that brings
 * several of them together: claim one, finish it, claim the next.
 */
public final class OneAtATime implements Contender {
    /** Longer than any drain: the threads send no heartbeats. */
    private static final Duration TTL = Duration.ofHours(1);

    private final String key;
    private final String name;
    private final StoreSchema schema;
    private final int workers;
    private final Policy policy;
    private final LongAdder empty = new LongAdder();

    public OneAtATime(Login login, int workers) throws SQLException {
        this(
                "single",
                "engine, one at a time",
                StoreSchema.open(login, "one_at_a_time", workers),
                workers,
                Policy.DEFAULT);
    }

    private OneAtATime(String key, String name, StoreSchema schema, int workers, Policy policy) {
        this.key = key;
        this.name = name;
        this.schema = schema;
        this.workers = workers;
        this.policy = policy;
    }

    /**
     * One of several, with a schema of its own and more threads than connections.
     *
     * @param key what tells it apart
     */
    public static OneAtATime many(
            Login login, int workers, int connections, String key, String name, Policy policy)
            throws SQLException {
        var schema = StoreSchema.open(login, "sessions_" + key, connections);
        return new OneAtATime(key, name, schema, workers, policy);
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public String name() {
        return name;
    }

    /** The store underneath, to configure it. */
    public Store store() {
        return schema.store();
    }

    /** How many claims were given nothing, since it was made. */
    public long emptyClaims() {
        return empty.sum();
    }

    @Override
    public void submit(int executions) {
        schema.submit(schema.store().submissions(), executions, nth -> policy);
    }

    @Override
    public int ready() throws SQLException {
        return schema.ready();
    }

    @Override
    public Duration drain() throws SQLException, InterruptedException {
        var threads = new ArrayList<Hand>();
        for (int i = 0; i < workers; i++) {
            threads.add(new Hand(schema.store(), i, empty));
        }
        return Crew.drain(threads, ready());
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
        private final LongAdder empty;
        private long claims;

        Hand(Store store, int number, LongAdder empty) {
            this.store = store;
            this.session = Session.of("bench", "bench-" + number, "default").ttl(TTL);
            this.empty = empty;
            store.sessions().open(session);
        }

        @Override
        public int work() {
            var leases = store.claims().claim(new Claim(session.id(), ++claims, 1)).leases();
            for (var lease : leases) {
                store.leases()
                        .end(List.of(new Ending.Complete(lease.fence(), Payload.EMPTY)))
                        .getFirst()
                        .orThrow();
            }
            if (leases.isEmpty()) {
                empty.increment();
            }
            return leases.size();
        }
    }
}
