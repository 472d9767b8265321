package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.delay;
import static io.flowfabric.testkit.contract.Endings.fail;
import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.stream.Collectors.toSet;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.WorkerView;
import io.flowfabric.core.operate.Workers.Scope;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.StateVector;
import io.flowfabric.core.state.StateVector.AttemptState;
import io.flowfabric.core.state.SuspendedFor;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The rows of the state table, each reached and read back. */
abstract class SituationRules extends Rules {
    /** What nothing reaches before there are flows. */
    private static final Set<Situation> OWED =
            EnumSet.of(Situation.AWAITING_CHILDREN, Situation.SKIPPED);

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Policy EXPIRING = Policy.DEFAULT.deadline(Due.in(MINUTE));

    SituationRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    /** How a row of the state table is reached. */
    private record Way(String vector, Supplier<ExecutionId> reach) {}

    @Test
    @BatchAnswers("P19")
    void every_situation_that_exists_so_far_can_be_reached() {
        var reached = new HashSet<StateVector>();
        for (var way : ways()) {
            var vector = world.view(way.reach().get()).state().vector();
            assertThat(vector).hasToString(way.vector());
            reached.add(vector);
        }

        var situations = reached.stream().map(StateVector::situation).collect(toSet());
        assertThat(situations).isEqualTo(EnumSet.complementOf(EnumSet.copyOf(OWED)));
        assertThat(reached)
                .isEqualTo(reached.stream().flatMap(SituationRules::variants).collect(toSet()));
    }

    @Test
    void every_situation_is_explained_as_it_reads() {
        for (var way : ways()) {
            var work = way.reach().get();
            var explanation = world.explain(work);

            assertThat(explanation.execution()).isEqualTo(work);
            assertThat(explanation.state()).isEqualTo(world.view(work).state());
            assertThat(explanation.words()).isNotBlank();
            assertThat(explanation.facts()).isNotEmpty();
        }
    }

    @Test
    void what_the_next_lease_is_for_is_remembered() {
        assertThat(world.view(ready())).reads(new Ready(LeasePurpose.FIRST));
        assertThat(world.view(readyToRetry())).reads(new Ready(LeasePurpose.RETRY));
        assertThat(world.view(readyToReplay())).reads(new Ready(LeasePurpose.REPLAY));
        assertThat(world.view(released())).reads(new Ready(LeasePurpose.CONTINUE));
        assertThat(world.view(lapsed())).reads(new Ready(LeasePurpose.RECLAIM));
    }

    private List<Way> ways() {
        var ready = "runnable/unowned/eligible_now/waiting_for_worker/none/";
        var delayed = "runnable/unowned/not_eligible_until_time/waiting_for_delay/none/";
        var backingOff = "runnable/unowned/not_eligible_until_time/waiting_for_retry_backoff/none/";
        var held = "runnable/unowned/blocked_by_operator/paused_by_operator/none/";
        var closed = "runnable/unowned/blocked_by_lane_state/paused_by_policy/none/";
        var without = "runnable/unowned/blocked_by_route/waiting_for_capable_worker/none/";
        var full = "runnable/unowned/blocked_by_quota/waiting_for_quota/none/";
        var spent = "runnable/unowned/blocked_by_budget/waiting_for_budget/none/";
        var granted = "runnable/granted/eligible_now/waiting_for_worker/none/";
        var ended = "terminal/unowned/not_applicable/none/";
        var suspended = "suspended/unowned/not_applicable/";
        var resuming = "runnable/unowned/not_eligible_until_time/waiting_for_resume_delay/none/";
        return List.of(
                new Way(
                        suspended + "waiting_for_signal/none/attempt_interrupted",
                        () -> suspended(SuspendedFor.WAITING_FOR_SIGNAL)),
                new Way(
                        suspended + "waiting_for_approval/none/attempt_interrupted",
                        () -> suspended(SuspendedFor.WAITING_FOR_APPROVAL)),
                new Way(
                        suspended + "waiting_for_callback/none/attempt_interrupted",
                        () -> suspended(SuspendedFor.WAITING_FOR_CALLBACK)),
                new Way(
                        suspended + "waiting_for_tool_result/none/attempt_interrupted",
                        () -> suspended(SuspendedFor.WAITING_FOR_TOOL_RESULT)),
                new Way(
                        suspended + "paused_by_operator/none/attempt_interrupted",
                        () -> suspended(SuspendedFor.WAITING_FOR_OPERATOR_REVIEW)),
                new Way(
                        suspended + "paused_by_policy/none/attempt_interrupted",
                        () -> suspended(SuspendedFor.PAUSED_BY_POLICY)),
                new Way(
                        suspended + "waiting_for_budget/none/attempt_interrupted",
                        () -> suspended(SuspendedFor.PAUSED_BY_BUDGET)),
                new Way(
                        suspended + "waiting_for_signal/none/attempt_interrupted",
                        () -> suspended(SuspendedFor.STEP_BOUNDARY)),
                new Way(
                        suspended + "paused_by_operator/none/attempt_interrupted",
                        () -> suspended(SuspendedFor.MANUAL_PAUSE)),
                new Way(resuming + "attempt_interrupted", this::resumingLater),
                new Way(ready + "pending_first_attempt", this::ready),
                new Way(ready + "pending_retry_attempt", this::readyToRetry),
                new Way(ready + "pending_replay_attempt", this::readyToReplay),
                new Way(ready + "attempt_interrupted", this::released),
                new Way(ready + "attempt_interrupted", this::lapsed),
                new Way(delayed + "pending_first_attempt", this::delayed),
                new Way(delayed + "attempt_interrupted", this::letGo),
                new Way(backingOff + "pending_retry_attempt", this::backingOff),
                new Way(held + "pending_first_attempt", () -> held(ready())),
                new Way(held + "pending_first_attempt", () -> held(delayed())),
                new Way(held + "pending_retry_attempt", () -> held(backingOff())),
                new Way(held + "pending_replay_attempt", () -> held(readyToReplay())),
                new Way(held + "attempt_interrupted", () -> held(running())),
                new Way("active/leased/not_applicable/none/none/running_attempt", this::running),
                new Way(ended + "success/attempt_terminal", this::completed),
                new Way(ended + "failed/attempt_terminal", this::failed),
                new Way(ended + "cancelled/attempt_terminal", () -> cancelled(running())),
                new Way(ended + "cancelled/pending_first_attempt", () -> cancelled(ready())),
                new Way(ended + "cancelled/pending_replay_attempt", this::cancelledTwice),
                new Way(ended + "expired/attempt_terminal", this::expiredWhileRunning),
                new Way(ended + "expired/pending_first_attempt", this::expiredWhileReady),
                new Way(ended + "expired/pending_replay_attempt", this::expiredTwice),
                new Way(closed + "pending_first_attempt", () -> closed(ready())),
                new Way(closed + "pending_retry_attempt", () -> closed(readyToRetry())),
                new Way(closed + "pending_replay_attempt", () -> closed(readyToReplay())),
                new Way(closed + "attempt_interrupted", () -> closed(lapsed())),
                new Way(without + "pending_first_attempt", () -> without(ready())),
                new Way(without + "pending_retry_attempt", () -> without(readyToRetry())),
                new Way(without + "pending_replay_attempt", () -> without(readyToReplay())),
                new Way(without + "attempt_interrupted", () -> without(lapsed())),
                new Way(full + "pending_first_attempt", () -> overQuota(ready())),
                new Way(full + "pending_retry_attempt", () -> overQuota(readyToRetry())),
                new Way(full + "pending_replay_attempt", () -> overQuota(readyToReplay())),
                new Way(full + "attempt_interrupted", () -> overQuota(lapsed())),
                new Way(spent + "pending_first_attempt", () -> shortOfBudget(ready())),
                new Way(spent + "pending_retry_attempt", () -> shortOfBudget(readyToRetry())),
                new Way(spent + "pending_replay_attempt", () -> shortOfBudget(readyToReplay())),
                new Way(spent + "attempt_interrupted", () -> shortOfBudget(lapsed())),
                new Way(granted + "pending_first_attempt", () -> granted(ready())),
                new Way(granted + "pending_retry_attempt", () -> granted(readyToRetry())),
                new Way(granted + "pending_replay_attempt", () -> granted(readyToReplay())),
                new Way(granted + "attempt_interrupted", () -> granted(lapsed())));
    }

    private ExecutionId ready() {
        return world.submit(work().lane(world.newLane()));
    }

    private ExecutionId suspended(SuspendedFor reason) {
        return idOf(world.suspended(Endings.UNTIL_APPROVED.reason(reason)));
    }

    private ExecutionId resumingLater() {
        var lease = world.suspended(Endings.UNTIL_APPROVED.resumeDelay(MINUTE));
        world.send(lease, "boss", "approved", "ada").orThrow();
        return idOf(lease);
    }

    private ExecutionId running() {
        return idOf(world.begun());
    }

    private ExecutionId readyToRetry() {
        var lease = world.begun();
        world.end(retry(lease, Duration.ZERO)).orThrow();
        return idOf(lease);
    }

    private ExecutionId readyToReplay() {
        var work = completed();
        world.replay(work);
        return work;
    }

    private ExecutionId released() {
        var lease = world.begun();
        world.end(release(lease)).orThrow();
        return idOf(lease);
    }

    private ExecutionId lapsed() {
        var lease = world.begun();
        world.store().sessions().close(lease.session());
        return idOf(lease);
    }

    private ExecutionId delayed() {
        return world.submit(Policy.DEFAULT.start(Due.in(MINUTE)));
    }

    private ExecutionId letGo() {
        var lease = world.begun();
        world.end(delay(lease, MINUTE)).orThrow();
        return idOf(lease);
    }

    private ExecutionId backingOff() {
        var lease = world.begun();
        world.end(retry(lease, MINUTE)).orThrow();
        return idOf(lease);
    }

    private ExecutionId held(ExecutionId work) {
        world.pause(work);
        return work;
    }

    private ExecutionId completed() {
        var lease = world.begun();
        world.end(complete(lease)).orThrow();
        return idOf(lease);
    }

    private ExecutionId failed() {
        var lease = world.begun();
        world.end(fail(lease)).orThrow();
        return idOf(lease);
    }

    private ExecutionId cancelled(ExecutionId work) {
        world.cancel(work);
        return work;
    }

    private ExecutionId cancelledTwice() {
        var work = cancelled(ready());
        world.replay(work);
        return cancelled(work);
    }

    private ExecutionId expiredWhileRunning() {
        var lease = world.begun(EXPIRING);
        world.pass(MINUTE);
        return idOf(lease);
    }

    private ExecutionId expiredWhileReady() {
        var work = world.submit(EXPIRING);
        world.pass(MINUTE);
        return work;
    }

    private ExecutionId expiredTwice() {
        var work = expiredWhileReady();
        world.replay(work);
        world.pass(MINUTE);
        return work;
    }

    private ExecutionId closed(ExecutionId work) {
        world.configure(world.view(work).lane(), LaneSettings.State.PAUSED);
        return work;
    }

    /** The only worker of its lane handles something else. */
    private ExecutionId without(ExecutionId work) {
        var lane = world.view(work).lane();
        world
                .store()
                .workers()
                .list(lane.namespace(), Scope.ALIVE, Cursor.START, 1000)
                .items()
                .stream()
                .map(WorkerView::session)
                .filter(session -> session.serves(lane))
                .forEach(session -> world.store().sessions().close(session.id()));
        world.worker(world.session(lane).kinds("something-else"));
        return work;
    }

    /** Its lane names a quota that lets nothing run. */
    private ExecutionId overQuota(ExecutionId work) {
        world.store().quotas().define(Quota.atOnce("nothing", 0), Scenario.OLGA);
        return configured(work, LaneSettings.DEFAULT.quota("nothing"));
    }

    /** Its lane names a budget that has nothing to spend. */
    private ExecutionId shortOfBudget(ExecutionId work) {
        world.store().budgets().define(Budget.of("empty", "tokens", 0), Scenario.OLGA);
        return configured(work, LaneSettings.DEFAULT.budget("empty", Map.of("tokens", 1L)));
    }

    private ExecutionId configured(ExecutionId work, LaneSettings settings) {
        var lane = world.view(work).lane();
        world.worker(lane);
        world.configure(lane, settings);
        return work;
    }

    private ExecutionId granted(ExecutionId work) {
        world.store().keys().first();
        world.worker(world.view(work).lane()).grantedOne();
        return work;
    }

    /**
     * The same row with every attempt state that it can have; nothing else in these rows varies.
     */
    private static Stream<StateVector> variants(StateVector row) {
        return Stream.of(AttemptState.values())
                .filter(attempt -> situationOf(row, attempt).isPresent())
                .map(
                        attempt ->
                                new StateVector(
                                        row.phase(),
                                        row.ownership(),
                                        row.eligibility(),
                                        row.reason(),
                                        row.outcome(),
                                        attempt));
    }

    private static Optional<Situation> situationOf(StateVector row, AttemptState attempt) {
        return Situation.of(
                row.phase(),
                row.ownership(),
                row.eligibility(),
                row.reason(),
                row.outcome(),
                attempt);
    }
}
