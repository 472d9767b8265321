package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.delay;
import static io.flowfabric.testkit.contract.Given.idOf;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.function.Supplier;

/** Rule 4: a handler that hangs while its process lives loses its work too. */
abstract class StallingRules extends Rules {
    StallingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_worker_that_stalls_loses_its_work_although_it_lives() {
        var lease = world.begun(Policy.DEFAULT.stallTimeout(Duration.ofMinutes(1)));

        world.pass(Duration.ofMinutes(1).minusMillis(1));
        assertThat(world.report(lease, 50)).isDone();
        world.pass(Duration.ofMinutes(1).minusMillis(1));
        assertThat(world.view(lease)).hasLapsed(0);
        world.pass(Duration.ofMillis(1));

        assertThat(world.view(lease))
                .reads(new Ready(LeasePurpose.RECLAIM))
                .hasLapsed(1)
                .isUnowned();
        var lapse = world.lastStep(idOf(lease));
        assertThat(lapse.transition()).isEqualTo(Transition.LAPSE);
        assertThat(lapse.by()).contains(Attribution.engine("no progress for PT1M"));
        assertThat(world.end(complete(lease))).isLeaseLost();
    }

    @Test
    void a_heartbeat_is_no_progress() {
        var work = world.submit(Policy.DEFAULT.stallTimeout(Duration.ofMinutes(1)));
        var worker = world.worker();
        var lease = worker.claimOne();

        world.pass(Duration.ofSeconds(30));
        worker.beat(lease.fence()).orThrow();
        world.pass(Duration.ofSeconds(30));

        assertThat(world.view(work)).reads(new Ready(LeasePurpose.RECLAIM));
        assertThat(worker.beat(lease.fence()).orThrow().lost()).containsExactly(lease.fence());
    }

    @Test
    void going_on_begins_its_time_anew_whatever_was_reported_before() {
        var minute = Duration.ofMinutes(1);
        var first = world.begun(Policy.DEFAULT.stallTimeout(minute));
        assertThat(world.report(first, 50)).isDone();
        world.end(delay(first, minute.multipliedBy(2))).orThrow();
        world.pass(minute.multipliedBy(2));

        var second = world.worker(first.lane()).claimOne();
        world.pass(minute.minusMillis(1));

        assertThat(world.report(second, 60)).isDone();
        world.pass(minute);
        assertThat(world.report(second, 70)).isLeaseLost();
    }

    @Test
    void silence_alone_is_no_stall_unless_the_policy_says_so() {
        var lease = world.begun();

        world.pass(Duration.ofMinutes(59));

        assertThat(world.end(complete(lease))).isDone();
    }

    @Test
    void work_that_stalls_too_often_fails_at_the_cap() {
        var policy = Policy.DEFAULT.stallTimeout(Duration.ofMinutes(1)).maxReclaims(1);
        var lease = world.begun(policy);
        world.pass(Duration.ofMinutes(1));
        world.worker(lease.lane()).claimOne();

        world.pass(Duration.ofMinutes(1));

        assertThat(world.view(lease)).endedAs(Outcome.FAILED).hasLapsed(1);
        assertThat(world.failureOf(idOf(lease)).message()).isEqualTo("max_reclaims_exceeded");
        // R36
        assertThat(world.lastStep(idOf(lease)).leaseChange()).contains(Event.LeaseChange.EXPIRED);
    }
}
