package io.flowfabric.core.state;

import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Examples.SESSION;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Finished;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.ExecutionState.Suspended;
import io.flowfabric.core.state.ExecutionState.Waiting;
import io.flowfabric.core.state.StateVector.AttemptState;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Every execution state that one could try to build, with the six columns that it must have,
 * written down by hand.
 */
final class States {
    private static final Map<LeasePurpose, String> ATTEMPTS =
            Map.of(
                    LeasePurpose.FIRST, "pending_first_attempt",
                    LeasePurpose.RETRY, "pending_retry_attempt",
                    LeasePurpose.REPLAY, "pending_replay_attempt",
                    LeasePurpose.CONTINUE, "attempt_interrupted",
                    LeasePurpose.RECLAIM, "attempt_interrupted");

    private static final Map<DelayedBy, String> DELAYS =
            Map.of(
                    DelayedBy.REQUEST, "waiting_for_delay",
                    DelayedBy.BACKOFF, "waiting_for_retry_backoff",
                    DelayedBy.RESUMPTION, "waiting_for_resume_delay");

    private static final Map<BlockedBy, String> BLOCKS =
            Map.of(
                    BlockedBy.DEPENDENCIES, "blocked_by_dependencies/waiting_for_children",
                    BlockedBy.BUDGET, "blocked_by_budget/waiting_for_budget",
                    BlockedBy.QUOTA, "blocked_by_quota/waiting_for_quota",
                    BlockedBy.ROUTE, "blocked_by_route/waiting_for_capable_worker",
                    BlockedBy.OPERATOR, "blocked_by_operator/paused_by_operator",
                    BlockedBy.LANE, "blocked_by_lane_state/paused_by_policy");

    private static final Map<SuspendedFor, String> SUSPENSIONS =
            Map.of(
                    SuspendedFor.WAITING_FOR_SIGNAL, "waiting_for_signal",
                    SuspendedFor.WAITING_FOR_APPROVAL, "waiting_for_approval",
                    SuspendedFor.WAITING_FOR_CALLBACK, "waiting_for_callback",
                    SuspendedFor.WAITING_FOR_TOOL_RESULT, "waiting_for_tool_result",
                    SuspendedFor.WAITING_FOR_OPERATOR_REVIEW, "paused_by_operator",
                    SuspendedFor.PAUSED_BY_POLICY, "paused_by_policy",
                    SuspendedFor.PAUSED_BY_BUDGET, "waiting_for_budget",
                    SuspendedFor.STEP_BOUNDARY, "waiting_for_signal",
                    SuspendedFor.MANUAL_PAUSE, "paused_by_operator");

    /** Where an execution can begin. */
    static final List<Situation> BEGINNINGS = beginnings();

    /**
     * A state that one could try to build.
     *
     * @param columns how it must read, if it can be built
     */
    record Candidate(String columns, Supplier<ExecutionState> build) {
        /** The state, if it can be built. */
        Optional<ExecutionState> state() {
            try {
                return Optional.of(build.get());
            } catch (Invalid impossible) {
                return Optional.empty();
            }
        }
    }

    private States() {}

    /** Everything that can be tried. */
    static List<Candidate> candidates() {
        var all = new ArrayList<Candidate>();
        for (var next : LeasePurpose.values()) {
            var attempt = ATTEMPTS.get(next);
            all.add(
                    new Candidate(
                            "runnable/unowned/eligible_now/waiting_for_worker/none/" + attempt,
                            () -> new Ready(next)));
            all.add(
                    new Candidate(
                            "runnable/granted/eligible_now/waiting_for_worker/none/" + attempt,
                            () -> new Granted(next, SESSION, NOON)));
            for (var by : DelayedBy.values()) {
                all.add(
                        new Candidate(
                                "runnable/unowned/not_eligible_until_time/%s/none/%s"
                                        .formatted(DELAYS.get(by), attempt),
                                () -> new Delayed(next, NOON, by)));
            }
        }
        var waiting = all.stream().map(Candidate::state).flatMap(Optional::stream);
        for (var behind : only(Waiting.class, waiting)) {
            for (var by : BlockedBy.values()) {
                all.add(
                        new Candidate(
                                "runnable/unowned/%s/none/%s"
                                        .formatted(BLOCKS.get(by), ATTEMPTS.get(behind.next())),
                                () -> new Blocked(by, "because", behind)));
            }
        }
        all.add(
                new Candidate(
                        "active/leased/not_applicable/none/none/running_attempt",
                        () -> new Running(SESSION, NOON)));
        for (var reason : SuspendedFor.values()) {
            all.add(
                    new Candidate(
                            "suspended/unowned/not_applicable/%s/none/attempt_interrupted"
                                    .formatted(SUSPENSIONS.get(reason)),
                            () -> new Suspended(reason, NOON, Optional.empty())));
        }
        for (var outcome : Outcome.values()) {
            for (var attempt : AttemptState.values()) {
                all.add(
                        new Candidate(
                                "terminal/unowned/not_applicable/none/%s/%s"
                                        .formatted(lower(outcome), lower(attempt)),
                                () -> new Finished(outcome, NOON, attempt)));
            }
        }
        return all;
    }

    /** Everything that can be built. */
    static List<ExecutionState> all() {
        return candidates().stream().map(Candidate::state).flatMap(Optional::stream).toList();
    }

    private static List<Situation> beginnings() {
        return all().stream()
                .filter(States::isBeginning)
                .map(ExecutionState::situation)
                .distinct()
                .sorted()
                .toList();
    }

    private static boolean isBeginning(ExecutionState state) {
        try {
            return Transition.begin(state).equals(state);
        } catch (Invalid refusal) {
            return false;
        }
    }

    private static <T> List<T> only(Class<T> type, Stream<? super T> things) {
        return things.filter(type::isInstance).map(type::cast).toList();
    }

    private static String lower(Enum<?> word) {
        return word.name().toLowerCase(Locale.ROOT);
    }
}
