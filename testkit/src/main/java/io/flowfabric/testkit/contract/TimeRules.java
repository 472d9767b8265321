package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.IdSource;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Maintenance.Round;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** Time: the store's clock decides, and what is due is known beforehand. */
abstract class TimeRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    TimeRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    @BatchAnswers("P34")
    void every_moment_is_read_from_the_stores_clock() {
        world.advance(Duration.ofDays(10_000));
        var start = world.now();
        var lease = world.begun();
        world.advance(MINUTE);
        world.end(complete(lease)).orThrow();

        assertThat(lease.since()).isEqualTo(start);
        assertThat(world.view(lease).submitted()).isEqualTo(start);
        assertThat(world.view(lease).changed()).isEqualTo(start.plus(MINUTE));
        assertThat(world.steps(idOf(lease)))
                .extracting(Event.Step::at)
                .containsExactly(start, start, start.plus(MINUTE));
    }

    @Test
    @BatchAnswers("P34")
    void the_clock_of_the_caller_has_no_say_in_the_order() {
        var fast = new IdSource(() -> Instant.parse("2099-01-01T00:00:00Z"), new Random(1));
        var slow = new IdSource(() -> Instant.parse("1999-01-01T00:00:00Z"), new Random(2));

        var first = world.submit(work().id(fast.execution(Partition.of(Namespace.DEFAULT))));
        var second = world.submit(work().id(slow.execution(Partition.of(Namespace.DEFAULT))));

        assertThat(world.worker().takeOneByOne(2)).containsExactly(first, second);
    }

    @Test
    @BatchAnswers("P34")
    void a_wait_is_counted_from_when_the_store_hears_of_it() {
        var lease = world.begun();
        var ending = retry(lease, MINUTE);
        world.advance(Duration.ofSeconds(30));

        assertThat(world.end(ending).orThrow().until()).contains(world.in(MINUTE));
    }

    @Test
    void a_sweep_does_what_is_due_and_says_how_much_it_was() {
        world.submit(5, () -> work(Policy.DEFAULT.start(Due.in(MINUTE))));
        assertThat(world.tick(Chore.TIMERS, 10)).isEqualTo(new Round(0, 0, false));
        world.advance(MINUTE);

        var first = world.tick(Chore.TIMERS, 2);

        assertThat(first).isEqualTo(new Round(2, 0, true));
        assertThat(world.worker().claim(5)).hasSize(2);
        assertThat(world.tick(Chore.TIMERS, 10)).isEqualTo(new Round(3, 0, false));
        assertThat(world.tick(Chore.TIMERS, 10)).isEqualTo(new Round(0, 0, false));
    }

    @Test
    void a_sweep_does_deadlines_then_timeouts_then_stalls_then_delays() {
        world.submit(2, () -> work(Policy.DEFAULT.start(Due.in(MINUTE))));
        world.begun(Policy.DEFAULT.stallTimeout(MINUTE));
        world.begun(Policy.DEFAULT.stallTimeout(MINUTE));
        world.begun(Policy.DEFAULT.attemptTimeout(MINUTE));
        world.begun(Policy.DEFAULT.attemptTimeout(MINUTE));
        world.submit(2, () -> work(Policy.DEFAULT.deadline(Due.in(MINUTE))));
        var feed = world.feed(FeedFilter.of(Topic.EVERYTHING));
        world.advance(MINUTE);

        var rounds = List.of(round(3, feed), round(3, feed), round(3, feed));

        assertThat(rounds)
                .containsExactly(
                        List.of(Transition.EXPIRE, Transition.EXPIRE, Transition.RETRY),
                        List.of(Transition.RETRY, Transition.LAPSE, Transition.LAPSE),
                        List.of(Transition.WAKE, Transition.WAKE));
    }

    @Test
    void a_store_is_never_late_to_say_when_it_is_needed() {
        var soon = world.in(MINUTE);
        world.submit(Policy.DEFAULT.start(Due.at(soon)));
        assertThat(nextDue()).isBeforeOrEqualTo(soon);

        var sooner = world.in(Duration.ofSeconds(50));
        world.submit(Policy.DEFAULT.deadline(Due.at(sooner)));
        assertThat(nextDue()).isBeforeOrEqualTo(sooner);

        var death = world.in(world.frailWorker().session().ttl());
        assertThat(nextDue()).isBeforeOrEqualTo(death);
    }

    @Test
    void what_is_due_later_than_was_asked_for_is_not_told() {
        var maintenance = world.store().maintenance();
        world.submit(Policy.DEFAULT.start(Due.in(MINUTE)));

        assertThat(maintenance.nextDue(MINUTE.minusMillis(1))).isEmpty();
        assertThat(maintenance.nextDue(MINUTE)).contains(MINUTE);

        world.advance(MINUTE.multipliedBy(2));
        assertThat(maintenance.nextDue(Duration.ZERO)).contains(MINUTE.negated());
    }

    @Test
    void what_is_set_for_a_time_that_has_passed_is_done_although_everything_else_was() {
        world.submit(Policy.DEFAULT.start(Due.in(MINUTE)));
        world.pass(MINUTE);
        assertNothingIsDue();

        var late = world.submit(Policy.DEFAULT.deadline(Due.at(world.now().minusSeconds(30))));

        assertThat(world.store().maintenance().nextDue(EVER)).contains(Duration.ofSeconds(-30));
        world.tick();
        assertThat(world.view(late).state().situation()).isEqualTo(Situation.EXPIRED);
    }

    @Test
    void a_lease_with_a_timeout_is_something_to_come_back_for() {
        var lease = world.begun(Policy.DEFAULT.attemptTimeout(MINUTE));
        assertThat(nextDue()).isBeforeOrEqualTo(lease.since().plus(MINUTE));

        var stalling = world.begun(Policy.DEFAULT.stallTimeout(Duration.ofSeconds(10)));
        assertThat(nextDue()).isBeforeOrEqualTo(stalling.since().plusSeconds(10));

        world.end(retry(lease, Duration.ofSeconds(5))).orThrow();
        assertThat(nextDue()).isBeforeOrEqualTo(world.in(Duration.ofSeconds(5)));
    }

    @Test
    void nothing_is_overdue_after_everything_was_done() {
        world.submit(Policy.DEFAULT.start(Due.in(MINUTE)).deadline(Due.in(MINUTE.multipliedBy(3))));
        world.frailWorker();
        var held = world.submit(Policy.DEFAULT.start(Due.in(MINUTE)));
        world.pause(held);

        var deadline = world.in(MINUTE.multipliedBy(3));
        for (int minute = 1; minute < 3; minute++) {
            world.pass(MINUTE);
            assertThat(nextDue()).as("the deadline is still to come").isEqualTo(deadline);
        }
        world.pass(MINUTE);
        assertNothingIsDue();
    }

    @Test
    void nothing_is_due_for_what_has_ended() {
        var policy =
                Policy.DEFAULT
                        .deadline(Due.in(MINUTE.multipliedBy(3)))
                        .attemptTimeout(MINUTE)
                        .stallTimeout(MINUTE);
        for (var ending : Endings.EVERY_KIND) {
            var lease = world.begun(policy);
            world.end(ending.apply(lease.fence())).orThrow();
            if (!world.view(lease).state().terminal()) {
                world.cancel(idOf(lease));
            }
            world.store().sessions().close(lease.session());
            assertNothingIsDue();
        }
        var byHand = world.begun(policy);
        world.act(new OperatorCommand.Complete(idOf(byHand), Payload.text("done"))).orThrow();
        world.store().sessions().close(byHand.session());
        assertNothingIsDue();
    }

    @Test
    void a_full_rate_is_due_when_enough_of_its_starts_are_over() {
        var quotas = world.store().quotas();
        quotas.define(Quota.rate("mail", 3, MINUTE), Scenario.OLGA);
        world.submit(4, () -> work(Policy.DEFAULT.quota("mail")));
        var worker = world.worker();
        worker.claimOne();
        world.advance(Duration.ofSeconds(10));
        worker.claimOne();
        var opens = world.in(MINUTE);
        world.advance(Duration.ofSeconds(10));
        worker.claimOne();
        assertThat(nextDue()).isEqualTo(opens.minusSeconds(10));

        quotas.define(Quota.rate("mail", 2, MINUTE), Scenario.OLGA);

        assertThat(nextDue()).isEqualTo(opens);
        world.pass(Duration.between(world.now(), opens).minusMillis(1));
        assertThat(worker.claim(1)).isEmpty();
        world.pass(Duration.ofMillis(1));
        assertThat(worker.claim(1)).hasSize(1);
    }

    @Test
    void a_rate_that_opens_leaves_another_one_due_at_its_own_time() {
        world.store().quotas().define(Quota.rate("mail", 1, MINUTE), Scenario.OLGA);
        world.store()
                .quotas()
                .define(Quota.rate("calls", 1, MINUTE.multipliedBy(2)), Scenario.OLGA);
        world.submit(Policy.DEFAULT.quota("mail"));
        world.submit(2, () -> work(Policy.DEFAULT.quota("calls")));
        assertThat(world.worker().claim(3)).hasSize(2);
        var opens = world.in(MINUTE.multipliedBy(2));

        world.pass(MINUTE);

        assertThat(nextDue()).isEqualTo(opens);
    }

    @Test
    void what_waits_for_a_time_is_due_then_and_no_longer_once_that_is_called_off() {
        var later = world.in(MINUTE);
        var waiting = world.submit(Policy.DEFAULT.start(Due.at(later)));
        assertThat(nextDue()).isEqualTo(later);

        world.pause(waiting);
        assertNothingIsDue();
        world.resume(waiting);
        assertThat(nextDue()).isEqualTo(later);
        world.cancel(waiting);
        assertNothingIsDue();
    }

    @Test
    void nothing_happens_before_somebody_looks() {
        var work = world.submit(Policy.DEFAULT.start(Due.in(MINUTE)));
        var before = world.everything();

        world.advance(MINUTE);
        assertThat(world.everything()).isEqualTo(before);

        world.tick();
        assertThat(world.view(work)).reads(new Ready(LeasePurpose.FIRST));
    }

    /** What one round of a sweep does, and reports as done. */
    private List<Transition> round(int limit, FeedReader feed) {
        var round = world.tick(Chore.TIMERS, limit);
        var done = FeedReader.steps(feed.read()).stream().map(Event.Step::transition).toList();
        assertThat(round).isEqualTo(new Round(done.size(), 0, done.size() == limit));
        return done;
    }

    private void assertNothingIsDue() {
        assertThat(world.store().maintenance().nextDue(EVER)).isEmpty();
    }

    private Instant nextDue() {
        return world.in(world.store().maintenance().nextDue(EVER).orElseThrow());
    }
}
