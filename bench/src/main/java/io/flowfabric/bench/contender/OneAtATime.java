package io.flowfabric.bench.contender;

import io.flowfabric.bench.server.Login;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.store.Store;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The store of the engine with one execution in flight for each thread, and nothing that brings
 * several of them together: claim one, finish it, claim the next.
 */
public final class OneAtATime implements Contender {
    /** Longer than any drain: the threads send no heartbeats. */
    private static final Duration TTL = Duration.ofHours(1);

    private final StoreSchema schema;
    private final int workers;

    public OneAtATime(Login login, int workers) throws SQLException {
        this.schema = StoreSchema.open(login, "one_at_a_time", workers);
        this.workers = workers;
    }

    @Override
    public String key() {
        return "single";
    }

    @Override
    public String name() {
        return "engine, one at a time";
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
        var threads = new ArrayList<Hand>();
        for (int i = 0; i < workers; i++) {
            threads.add(new Hand(schema.store(), i));
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
        private long claims;

        Hand(Store store, int number) {
            this.store = store;
            this.session = Session.of("bench", "bench-" + number, "default").ttl(TTL);
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
            return leases.size();
        }
    }
}
