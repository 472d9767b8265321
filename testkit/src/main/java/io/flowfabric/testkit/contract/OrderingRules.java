package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.delay;
import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idIn;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Rule 11: the order within a lane. */
abstract class OrderingRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration MOMENT = Duration.ofMillis(1);

    OrderingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void higher_priority_goes_first() {
        var low = urgent(0);
        var middle = urgent(4500);
        var high = urgent(9000);
        var barely = urgent(4501);

        assertThat(world.worker().takeOneByOne(4)).containsExactly(high, barely, middle, low);
    }

    @Test
    void one_claim_hands_out_in_the_same_order() {
        var low = urgent(0);
        var high = urgent(9000);
        var middle = urgent(4500);

        assertThat(world.worker().take(2)).containsExactly(high, middle);
        assertThat(world.worker().take(2)).containsExactly(low);
    }

    @Test
    void equal_work_goes_in_the_order_of_submission_wherever_it_lives() {
        var scattered =
                IntStream.range(0, 40).mapToObj(i -> work().id(idIn((i * 97) % 256))).toList();
        world.store().submissions().submit(scattered.subList(0, 20));
        scattered.subList(20, 40).forEach(world::submit);

        assertThat(world.worker().take(40))
                .containsExactlyElementsOf(scattered.stream().map(Submission::id).toList());
    }

    @Test
    void work_that_was_begun_goes_before_fresh_work_of_the_same_priority() {
        var retried = world.submit();
        var released = world.submit();
        var delayed = world.submit();
        var lapsed = world.submit();
        var worker = world.worker();
        var leases = worker.claim(3);
        var frail = world.worker();
        frail.claimOne();
        var fresh = world.submit();

        world.end(retry(leases.get(0), Duration.ZERO)).orThrow();
        world.end(release(leases.get(1))).orThrow();
        world.end(delay(leases.get(2), Due.NOW)).orThrow();
        frail.close();

        assertThat(world.worker().takeOneByOne(5))
                .containsExactly(retried, released, delayed, lapsed, fresh);
    }

    @Test
    void work_that_was_begun_goes_before_fresh_work_that_was_submitted_earlier() {
        var fresh = world.submit();
        var begun = world.submit();
        world.end(release(world.claimByHand(begun, world.worker()).orThrow())).orThrow();

        assertThat(world.worker().takeOneByOne(2)).containsExactly(begun, fresh);
    }

    @Test
    void one_claim_hands_out_what_was_begun_first_also_behind_a_quota() {
        world.store().quotas().define(Quota.atOnce("mail", 10), Scenario.OLGA);
        for (var policy : List.of(Policy.DEFAULT, Policy.DEFAULT.quota("mail"))) {
            var fresh = world.submit(policy);
            var begun = world.submit(policy);
            world.end(release(world.claimByHand(begun, world.worker()).orThrow())).orThrow();

            assertThat(world.worker().take(2)).containsExactly(begun, fresh);
        }
    }

    @Test
    void fresh_work_of_a_higher_priority_goes_before_what_was_begun() {
        var begun = urgent(1);
        world.end(release(world.worker().claimOne())).orThrow();
        var fresh = urgent(2);

        assertThat(world.worker().takeOneByOne(2)).containsExactly(fresh, begun);
    }

    @Test
    void a_delay_keeps_the_place_that_the_submission_had() {
        var first = world.submit(Policy.DEFAULT.start(Due.in(MINUTE)));
        var second = world.submit();

        world.pass(MINUTE);

        assertThat(world.worker().takeOneByOne(2)).containsExactly(first, second);
    }

    @Test
    void priority_is_strict_however_long_others_have_waited() {
        var old = urgent(0);
        for (int i = 0; i < 5; i++) {
            world.pass(Duration.ofDays(1));
            var young = urgent(1);
            var lease = world.worker().claimOne();
            assertThat(idOf(lease)).isEqualTo(young);
            world.end(complete(lease)).orThrow();
        }

        assertThat(world.worker().take(1)).containsExactly(old);
    }

    @Test
    void with_ageing_each_step_of_waiting_makes_up_for_one_priority() {
        world.configure(Lane.DEFAULT, LaneSettings.DEFAULT.ageing(MINUTE));
        var old = urgent(0);
        world.advance(MINUTE.multipliedBy(5).minus(MOMENT));
        var justInTime = urgent(5);
        world.advance(MOMENT);
        var tooLate = urgent(5);

        assertThat(world.worker().takeOneByOne(3)).containsExactly(justInTime, old, tooLate);
    }

    @Test
    void with_ageing_nobody_waits_longer_than_the_priorities_between_them() {
        world.configure(Lane.DEFAULT, LaneSettings.DEFAULT.ageing(MINUTE));
        var old = urgent(0);
        var worker = world.worker();
        var before = new ArrayList<ExecutionId>();

        while (!before.contains(old)) {
            world.advance(MINUTE);
            urgent(10);
            urgent(10);
            before.addAll(worker.take(1));
        }

        // Two in each minute before the tenth, and then itself.
        assertThat(before).hasSize(9 * 2 + 1);
    }

    @Test
    void ageing_applies_to_what_was_already_waiting() {
        var old = urgent(0);
        world.advance(MINUTE.multipliedBy(2));
        var young = urgent(1);
        world.configure(Lane.DEFAULT, LaneSettings.DEFAULT.ageing(MINUTE));

        assertThat(world.worker().takeOneByOne(2)).containsExactly(old, young);
    }

    @Test
    void without_ageing_what_is_waiting_is_strict_again() {
        world.configure(Lane.DEFAULT, LaneSettings.DEFAULT.ageing(MINUTE));
        var old = urgent(0);
        world.advance(MINUTE.multipliedBy(2));
        var young = urgent(1);
        world.configure(Lane.DEFAULT, LaneSettings.DEFAULT);

        assertThat(world.worker().takeOneByOne(2)).containsExactly(young, old);
    }

    @Test
    void a_new_priority_is_a_new_place() {
        var first = urgent(5);
        var second = urgent(5);
        var third = urgent(5);

        world.act(new OperatorCommand.Reprioritise(third, 6)).orThrow();
        world.act(new OperatorCommand.Reprioritise(first, 4)).orThrow();

        assertThat(world.worker().takeOneByOne(3)).containsExactly(third, second, first);
    }

    @Test
    void a_new_priority_holds_for_what_waits_as_well() {
        var delayed = world.submit(Policy.DEFAULT.start(Due.in(MINUTE)));
        var lease = world.begun();
        world.act(new OperatorCommand.Reprioritise(delayed, 6)).orThrow();
        world.act(new OperatorCommand.Reprioritise(idOf(lease), 6)).orThrow();
        world.end(retry(lease, MINUTE)).orThrow();
        var other = world.submit(work(Policy.DEFAULT.priority(5)));
        var alsoOther = world.submit(work(Policy.DEFAULT.priority(5)).lane(lease.lane()));

        world.pass(MINUTE);

        assertThat(world.worker().takeOneByOne(2)).containsExactly(delayed, other);
        assertThat(world.worker(lease.lane()).takeOneByOne(2))
                .containsExactly(idOf(lease), alsoOther);
    }

    @Test
    void a_priority_out_of_range_is_refused_and_not_bent() {
        var work = world.submit();

        for (int priority : new int[] {-1, 9001, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThat(asked(() -> Policy.DEFAULT.priority(priority)))
                    .isInvalid(Invalid.Code.OUT_OF_RANGE);
            assertThat(asked(() -> new OperatorCommand.Reprioritise(work, priority)))
                    .isInvalid(Invalid.Code.OUT_OF_RANGE);
        }
    }

    @Test
    void a_claim_gives_no_more_than_was_asked_for_and_no_less_than_there_is() {
        var works = world.submit(5, Given::work);

        assertThat(world.worker().take(3)).isEqualTo(works.subList(0, 3));
        assertThat(world.worker().take(3)).isEqualTo(works.subList(3, 5));
        assertThat(world.worker().take(3)).isEqualTo(List.of());
    }

    private ExecutionId urgent(int priority) {
        return world.submit(Policy.DEFAULT.priority(priority));
    }
}
