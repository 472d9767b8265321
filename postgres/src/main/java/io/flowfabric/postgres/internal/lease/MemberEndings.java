package io.flowfabric.postgres.internal.lease;

import static java.util.stream.Collectors.toMap;

import io.flowfabric.core.decision.LeaseEnd;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.settle.FlowAftermath;
import io.flowfabric.postgres.internal.settle.MemberEnds;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Endings of leases of members. The flow is locked before the lease is ended, and those that come
 * after the member are told in the same commit.
 */
final class MemberEndings {
    /** After the end of a member so many batches are looked at for others, first of all. */
    private static final int HOLDS = 32;

    /** So many batches are left to the program after one of which a statement did little. */
    private static final int INTRICATE = 8;

    private final PostgresContext postgres;
    private final MemberEnds ends;
    private final AtomicInteger intricate = new AtomicInteger();
    private final AtomicInteger expected = new AtomicInteger();

    MemberEndings(PostgresContext postgres) {
        this.postgres = postgres;
        this.ends = new MemberEnds(postgres);
    }

    /** Whether there were members among what ended last. */
    boolean areExpected() {
        return expected.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
    }

    /**
     * Completes members of which one statement can decide what follows, and says which they are.
     * Where it could not for most of them, the next batches do without it.
     */
    Set<UUID> complete(List<Ending> endings) {
        var rows = new EndingBatch(endings);
        if (!rows.plain() || intricate.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
            return Set.of();
        }
        var done = rows.completeMembers(postgres.db(), postgres.now());
        if (done.completed().size() * 2 < endings.size()) {
            intricate.set(INTRICATE);
        }
        var after = FlowAftermath.inTurn();
        after.add(done.started());
        after.tell(postgres);
        return Set.copyOf(done.completed());
    }

    /** Takes note that members have ended. */
    void expect() {
        expected.set(HOLDS);
    }

    /** Ends those that are members and whose fence holds, and says what that has led to. */
    Map<UUID, EndingBatch.Written> end(List<Ending> endings) {
        var rows = new EndingBatch(endings);
        var outcomes = new HashMap<UUID, Outcome>();
        for (Ending ending : endings) {
            LeaseEnd.of(ending)
                    .outcome()
                    .ifPresent(how -> outcomes.put(ending.fence().execution().uuid(), how));
        }
        var ids = endings.stream().map(ending -> ending.fence().execution().uuid()).toList();
        var done =
                ends.end(
                        ids,
                        tx -> rows.writeMembers(tx, postgres.now()),
                        outcome ->
                                outcome.written().stream()
                                        .map(EndingBatch.Written::id)
                                        .filter(outcomes::containsKey)
                                        .collect(toMap(id -> id, outcomes::get)));
        expected.set(done.isPresent() ? HOLDS : 0);
        if (done.isEmpty()) {
            return Map.of();
        }
        EndingBatch.tell(postgres, done.get());
        return done.get().written().stream().collect(toMap(EndingBatch.Written::id, end -> end));
    }
}
