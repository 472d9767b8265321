package io.flowfabric.bench.contender;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.store.Store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Threads on the contract of a store that claim a hundred, finish them, and claim the next. */
record ValkeyHands(ValkeyBacklog backlog) {
    static final int BATCH = 100;

    /** More of them only wait for the same server. */
    private static final int THREADS = 4;

    /** Longer than any drain: the threads send no heartbeats. */
    private static final Duration TTL = Duration.ofHours(1);

    Duration drain() throws InterruptedException {
        var hands = new ArrayList<Hand>();
        for (var namespace : backlog.namespaces()) {
            for (int i = 0; i < THREADS; i++) {
                hands.add(new Hand(backlog.store(), namespace, i));
            }
        }
        return Crew.drain(hands, backlog.ready());
    }

    /** One thread and its session. */
    private static final class Hand implements Crew.Member {
        private final Store store;
        private final Session session;
        private long claims;

        Hand(Store store, Namespace namespace, int number) {
            this.store = store;
            this.session =
                    Session.of("bench", "bench-" + number, "default").namespace(namespace).ttl(TTL);
            store.sessions().open(session);
        }

        @Override
        public int work() {
            var leases = store.claims().claim(new Claim(session.id(), ++claims, BATCH)).leases();
            if (!leases.isEmpty()) {
                store.leases().end(finished(leases)).forEach(Answer::orThrow);
            }
            return leases.size();
        }

        private static List<Ending> finished(List<Lease> leases) {
            return leases.stream()
                    .<Ending>map(lease -> new Ending.Complete(lease.fence(), Payload.EMPTY))
                    .toList();
        }
    }
}
