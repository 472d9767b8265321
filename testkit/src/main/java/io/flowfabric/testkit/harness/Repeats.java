package io.flowfabric.testkit.harness;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.lease.Grant;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.OpenedSession;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.testkit.harness.Difference.Kind;

import java.util.List;

/**
 * What the answer to a repeated call owes to the first one.
 *
 * <p>When no other caller acts in between it is the same answer. Otherwise the world may have moved
 * on, and the least that holds is that nothing new came of it.
 */
record Repeats(boolean exclusive) {

    /** The same executions, and none created a second time. */
    void submit(Reply<List<Answer<Submitted>>> first, Reply<List<Answer<Submitted>>> second) {
        each("submit", first, second, this::foundAgain);
    }

    private boolean foundAgain(Submitted before, Answer<Submitted> after) {
        return switch (after) {
            case Answer.Done<Submitted>(var found) ->
                    found.id().equals(before.id())
                            ? !(exclusive && found.created())
                            // What had the key has ended meanwhile, and the key was taken over.
                            : !exclusive && !before.created();
            // Between the two it may have ended, been erased, and its lane closed.
            case Answer.Refused<Submitted> refused -> !exclusive;
        };
    }

    /** The same ending; unless it was claimed again since, and then the lease is lost. */
    <T> void end(Reply<List<Answer<T>>> first, Reply<List<Answer<T>>> second) {
        each("end", first, second, this::sameOrLost);
    }

    /** The same step; unless it was replayed afresh since, and then another may have that name. */
    void checkpoint(Reply<List<Answer<Step>>> first, Reply<List<Answer<Step>>> second) {
        each("checkpoint", first, second, this::sameOrLost);
    }

    /** The same position. */
    void append(Reply<List<Answer<Long>>> first, Reply<List<Answer<Long>>> second) {
        each("append", first, second, this::sameOrLost);
    }

    private <T> boolean sameOrLost(T before, Answer<T> after) {
        return switch (after) {
            case Answer.Done<T>(T value) -> value.equals(before);
            case Answer.Refused<T>(FlowFabricException error) ->
                    !exclusive && !(error instanceof Conflict);
        };
    }

    /** The same leases; fewer when some were taken away since, never more. */
    void claim(Reply<List<Lease>> first, Reply<List<Lease>> second) {
        var before = withoutSteps(first.answered().orElse(List.of()));
        var after = withoutSteps(second.answered().orElse(List.of()));
        if (first.answered().isPresent() && before.isEmpty()) {
            // A claim that got nothing has nothing to give again, and may find something now.
            return;
        }
        if (!before.containsAll(after) || (exclusive && before.size() != after.size())) {
            throw broken("claim", first, second);
        }
    }

    /** What is recorded between the two comes with the second one only. */
    private static List<Lease> withoutSteps(List<Lease> leases) {
        return leases.stream().map(lease -> lease.steps(List.of())).toList();
    }

    /** The same grants; fewer when some were taken away since, never more. */
    void grants(Reply<List<Grant>> first, Reply<List<Grant>> second) {
        var before = first.answered().orElse(List.of()).stream().map(Grant::toString).toList();
        var after = second.answered().orElse(List.of()).stream().map(Grant::toString).toList();
        if (first.answered().isPresent() && before.isEmpty()) {
            return;
        }
        if (!before.containsAll(after) || (exclusive && before.size() != after.size())) {
            throw broken("grant", first, second);
        }
    }

    /** The same session, which lives now and is not registered a second time. */
    void open(Reply<OpenedSession> first, Reply<OpenedSession> second) {
        var refreshed =
                first.answered().map(opened -> new OpenedSession(opened.aliveUntil(), false));
        if (refreshed.isEmpty()) {
            any("open", first, second);
        } else if (exclusive && !refreshed.equals(second.answered())) {
            throw broken("open", first, second);
        }
    }

    /** The same answer, as far as it can be foretold. */
    <T> void any(String what, Reply<T> first, Reply<T> second) {
        if (exclusive && !ComparableFacts.of(first).equals(ComparableFacts.of(second))) {
            throw broken(what, first, second);
        }
    }

    private interface Rule<T> {
        boolean keeps(T before, Answer<T> after);
    }

    private static <T> void each(
            String what,
            Reply<List<Answer<T>>> first,
            Reply<List<Answer<T>>> second,
            Rule<T> rule) {
        var before = first.answered().orElse(List.of());
        var after = second.answered().orElse(List.of());
        for (int i = 0; i < Math.min(before.size(), after.size()); i++) {
            if (before.get(i) instanceof Answer.Done<T>(T value)
                    && !rule.keeps(value, after.get(i))) {
                throw broken(what, first, second);
            }
        }
    }

    private static Difference.Found broken(String what, Reply<?> first, Reply<?> second) {
        return new Difference.Found(
                Kind.REPEAT,
                what,
                List.of(
                        "the first answer was " + ComparableFacts.of(first),
                        "the repeated call got " + ComparableFacts.of(second)));
    }
}
