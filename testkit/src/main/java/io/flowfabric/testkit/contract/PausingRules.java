package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idOf;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Waiting;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.function.Supplier;

/** Rule 22: an operator holds work back and lets it go on. */
abstract class PausingRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    PausingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void paused_work_is_not_handed_out_until_it_is_resumed() {
        var work = world.submit();

        assertThat(world.act(new OperatorCommand.Pause(work)))
                .isDone(heldBefore(new Ready(LeasePurpose.FIRST)));
        assertThat(world.worker().claim(1)).isEmpty();

        assertThat(world.act(new OperatorCommand.Resume(work)))
                .isDone(new Ready(LeasePurpose.FIRST));
        assertThat(world.worker().take(1)).containsExactly(work);
    }

    @Test
    void pausing_running_work_takes_it_from_its_worker_and_counts_as_no_lapse() {
        var lease = world.begun();

        world.pause(idOf(lease));

        assertThat(world.view(lease))
                .reads(heldBefore(new Ready(LeasePurpose.RECLAIM)))
                .hasLapsed(0)
                .isUnowned();
        assertThat(world.end(complete(lease))).isLeaseLost();
        assertThat(world.lastStep(idOf(lease)).leaseChange()).contains(Event.LeaseChange.REVOKED);

        world.resume(idOf(lease));
        assertThat(world.worker(lease.lane()).claimOne().fence())
                .isEqualTo(world.fence(idOf(lease), 0, 2));
    }

    @Test
    void a_pause_keeps_the_delay_behind_it() {
        var start = world.in(MINUTE);
        var work = world.submit(Policy.DEFAULT.start(Due.at(start)));
        var delayed = new Delayed(LeasePurpose.FIRST, start, DelayedBy.REQUEST);

        world.pause(work);
        assertThat(world.view(work)).reads(heldBefore(delayed));

        world.pass(Duration.ofSeconds(59));
        assertThat(world.act(new OperatorCommand.Resume(work))).isDone(delayed);

        world.pass(Duration.ofSeconds(1));
        assertThat(world.worker().take(1)).containsExactly(work);
    }

    @Test
    void a_delay_that_ends_behind_a_pause_waits_for_the_resumption() {
        var lease = world.begun();
        world.end(retry(lease, MINUTE)).orThrow();
        world.pause(idOf(lease));

        world.pass(MINUTE.multipliedBy(2));
        assertThat(world.worker(lease.lane()).claim(1)).isEmpty();
        assertThat(world.transitions(idOf(lease))).doesNotContain(Transition.WAKE);

        assertThat(world.act(new OperatorCommand.Resume(idOf(lease))))
                .isDone(new Ready(LeasePurpose.RETRY));
        assertThat(world.worker(lease.lane()).take(1)).containsExactly(idOf(lease));
    }

    @Test
    void resuming_what_is_only_delayed_ends_the_delay() {
        var delayed = world.submit(Policy.DEFAULT.start(Due.in(MINUTE)));
        var backingOff = world.begun();
        world.end(retry(backingOff, MINUTE)).orThrow();

        assertThat(world.act(new OperatorCommand.Resume(delayed)))
                .isDone(new Ready(LeasePurpose.FIRST));
        assertThat(world.act(new OperatorCommand.Resume(idOf(backingOff))))
                .isDone(new Ready(LeasePurpose.RETRY));

        world.end(complete(world.worker().claimOne())).orThrow();
        world.end(complete(world.worker(backingOff.lane()).claimOne())).orThrow();
        var before = world.everything();
        world.pass(MINUTE);
        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void pausing_again_is_success_and_changes_nothing() {
        var work = world.submit();
        world.pause(work);
        var before = world.everything();

        assertThat(world.act(new OperatorCommand.Pause(work))).isDone(world.view(work).state());

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void what_waits_for_nothing_cannot_be_resumed() {
        var ready = world.submit();
        var running = world.begun();

        assertThat(world.act(new OperatorCommand.Resume(ready)))
                .isConflict(Conflict.Code.NOT_WAITING);
        assertThat(world.act(new OperatorCommand.Resume(idOf(running))))
                .isConflict(Conflict.Code.NOT_WAITING);
    }

    @Test
    void a_pause_and_a_resumption_are_told_with_who_asked_for_them() {
        var work = world.submit();

        world.pause(work);
        var pause = world.lastStep(work);
        world.resume(work);
        var resumption = world.lastStep(work);

        assertThat(pause.transition()).isEqualTo(Transition.PAUSE);
        assertThat(pause.by()).contains(Scenario.OLGA);
        assertThat(pause.owner()).isEmpty();
        assertThat(resumption.transition()).isEqualTo(Transition.RESUME);
        assertThat(resumption.by()).contains(Scenario.OLGA);
    }

    /** Held by the operator of this world, for the reason that she gave. */
    private static Blocked heldBefore(Waiting behind) {
        return new Blocked(BlockedBy.OPERATOR, Scenario.OLGA.reason(), behind);
    }
}
