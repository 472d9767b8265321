package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Rule 11, when asked for: share keys take turns within a lane. */
abstract class SharingRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final LaneSettings SHARING = LaneSettings.DEFAULT.sharing(true);

    SharingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void each_key_has_one_start_in_a_round_however_much_it_has_waiting() {
        share();
        submit("ann", 1000);
        submit("bo", 10);
        submit("cy", 3);

        assertThat(oneByOne(9))
                .containsExactly("ann", "bo", "cy", "ann", "bo", "cy", "ann", "bo", "cy");
        assertThat(starts(14)).filteredOn("bo"::equals).hasSize(7);
        assertThat(starts(5)).containsOnly("ann");
    }

    @Test
    void a_thousand_to_one_still_halves_the_starts() {
        share();
        submit("ann", 1000);
        submit("bo", 1);
        assertThat(starts(2)).containsExactlyInAnyOrder("ann", "bo");

        for (int k = 0; k < 20; k++) {
            submit("bo", 1);
            assertThat(starts(2)).contains("bo");
        }
    }

    @Test
    void each_of_n_keys_gets_its_part_of_any_stretch_of_starts() {
        share();
        submit("ann", 60);
        submit("bo", 5);
        starts(7);
        submit("bo", 40);
        submit("cy", 40);
        submit("dot", 40);

        var order = oneByOne(4 * 12);

        for (int from = 0; from < order.size(); from++) {
            for (int to = from; to <= order.size(); to++) {
                var stretch = order.subList(from, to);
                int least = (to - from) / 4 - 1;
                for (String key : List.of("ann", "bo", "cy", "dot")) {
                    assertThat(stretch)
                            .as("the starts %d to %d", from, to)
                            .filteredOn(key::equals)
                            .hasSizeGreaterThanOrEqualTo(least);
                }
            }
        }
    }

    @Test
    void the_first_work_of_a_new_key_is_among_the_next_as_many_as_there_are_keys() {
        share();
        submit("ann", 100);
        submit("bo", 100);
        starts(41);

        submit("cy", 1);

        assertThat(starts(3)).contains("cy");
    }

    @Test
    void a_key_that_had_nothing_to_do_has_saved_up_nothing() {
        share();
        submit("bo", 1);
        submit("ann", 100);
        starts(51);

        submit("bo", 20);

        assertThat(starts(20)).filteredOn("ann"::equals).hasSizeGreaterThanOrEqualTo(9);
    }

    @Test
    void a_key_that_submits_one_at_a_time_has_one_turn_at_a_time() {
        share();
        submit("ann", 20);
        var order = new ArrayList<String>();

        for (int k = 0; k < 10; k++) {
            submit("bo", 1);
            order.addAll(starts(2));
        }

        assertThat(order).filteredOn("ann"::equals).hasSizeBetween(9, 11);
    }

    @Test
    void work_without_a_key_is_one_key() {
        share();
        world.submit(10, Given::work);
        submit("ann", 2);
        world.submit(10, Given::work);

        assertThat(starts(4)).containsExactly("", "ann", "", "ann");
    }

    @Test
    void the_work_of_one_key_goes_in_the_order_of_submission() {
        share();
        var works = new ArrayList<ExecutionId>();
        for (int k = 0; k < 5; k++) {
            works.add(world.submit(of("ann")));
        }

        assertThat(world.worker().takeOneByOne(5)).containsExactlyElementsOf(works);
    }

    @Test
    void a_batch_is_shared_like_what_comes_one_by_one() {
        share();
        var batch = new ArrayList<Submission>();
        IntStream.range(0, 30).forEach(i -> batch.add(of(i < 20 ? "ann" : i % 2 == 0 ? "bo" : "")));
        world.store().submissions().submit(batch);

        assertThat(starts(9)).containsExactly("ann", "bo", "", "ann", "bo", "", "ann", "bo", "");
    }

    @Test
    void turns_are_kept_when_everybody_submits_at_once() {
        share();
        Crowd.of(
                8,
                i -> {
                    for (int k = 0; k < 5; k++) {
                        submit(i % 2 == 0 ? "ann" : "bo", 3);
                    }
                    return i;
                });

        var order = starts(120);

        for (int round = 0; round < 60; round++) {
            assertThat(order.subList(2 * round, 2 * round + 2))
                    .as("round %d", round)
                    .containsExactlyInAnyOrder("ann", "bo");
        }
    }

    @Test
    void priority_goes_before_every_turn() {
        share();
        submit("ann", 3);
        var urgent = of("ann").policy(Policy.DEFAULT.share("ann").priority(1));
        submit("bo", 1);
        world.submit(urgent);
        world.submit(urgent.id(ExecutionId.mint()));

        assertThat(world.worker().take(1)).containsExactly(urgent.id());
        assertThat(starts(3)).containsExactly("ann", "ann", "bo");
    }

    @Test
    void work_that_was_begun_goes_before_every_turn_of_its_priority() {
        share();
        submit("ann", 1);
        var lease = world.worker().claimOne();
        submit("bo", 2);
        world.end(release(lease)).orThrow();

        assertThat(world.worker().take(1)).containsExactly(idOf(lease));
    }

    @Test
    void what_was_delayed_takes_its_turn_when_it_is_due() {
        share();
        var later = Policy.DEFAULT.share("bo").start(Due.in(MINUTE));
        world.submit(20, () -> work(later));
        submit("ann", 40);
        starts(20);
        world.pass(MINUTE);

        assertThat(starts(20)).filteredOn("ann"::equals).hasSizeGreaterThanOrEqualTo(9);
    }

    @Test
    void a_key_whose_work_was_called_off_is_not_held_to_it() {
        share();
        var flood = world.submit(100, () -> of("ann"));
        submit("bo", 50);
        world.store()
                .operations()
                .act(flood.stream().map(SharingRules::cancel).toList(), Scenario.OLGA);
        starts(5);

        submit("ann", 10);

        assertThat(starts(20)).filteredOn("ann"::equals).hasSizeGreaterThanOrEqualTo(9);
    }

    @Test
    void what_was_paused_takes_its_turn_when_it_is_resumed() {
        share();
        var paused = world.submit(20, () -> of("ann"));
        paused.forEach(world::pause);
        submit("bo", 40);
        starts(20);
        paused.forEach(world::resume);

        assertThat(starts(20)).filteredOn("bo"::equals).hasSize(10);
    }

    @Test
    void a_new_priority_is_a_new_turn() {
        share();
        submit("ann", 10);
        submit("bo", 10);
        var raised = world.submit(3, () -> of("ann"));
        var other = world.submit(of("cy").policy(Policy.DEFAULT.share("cy").priority(5)));

        raised.forEach(work -> world.act(new OperatorCommand.Reprioritise(work, 5)).orThrow());

        assertThat(world.worker().takeOneByOne(4))
                .containsExactly(raised.get(0), other, raised.get(1), raised.get(2));
    }

    @Test
    void sharing_applies_to_what_was_already_waiting() {
        submit("ann", 10);
        submit("bo", 10);
        share();

        assertThat(starts(4)).containsExactly("ann", "bo", "ann", "bo");
        submit("bo", 1);
        submit("cy", 1);
        assertThat(starts(3)).contains("cy");
    }

    @Test
    void without_sharing_what_is_waiting_goes_in_the_order_of_submission_again() {
        share();
        var first = world.submit(2, () -> of("ann"));
        var second = world.submit(of("bo"));
        world.configure(Lane.DEFAULT, LaneSettings.DEFAULT);
        var third = world.submit(of("ann"));

        assertThat(world.worker().takeOneByOne(4))
                .containsExactly(first.get(0), first.get(1), second, third);
    }

    @Test
    void turns_begin_anew_when_sharing_does() {
        share();
        submit("ann", 50);
        starts(40);
        world.configure(Lane.DEFAULT, LaneSettings.DEFAULT);
        submit("bo", 10);
        share();

        assertThat(starts(4)).containsExactly("ann", "bo", "ann", "bo");
    }

    @Test
    void the_work_of_one_key_stays_in_order_however_often_sharing_begins_anew() {
        share();
        var ann = new ArrayList<>(world.submit(20, () -> of("ann")));
        for (int k = 0; k < 3; k++) {
            world.configure(Lane.DEFAULT, LaneSettings.DEFAULT);
            ann.add(world.submit(of("ann")));
            share();
            ann.add(world.submit(of("ann")));
        }

        assertThat(world.worker().takeOneByOne(26)).containsExactlyElementsOf(ann);
    }

    @Test
    void other_settings_leave_the_turns_alone() {
        share();
        submit("ann", 10);
        submit("bo", 10);
        assertThat(starts(3)).containsExactly("ann", "bo", "ann");

        world.configure(Lane.DEFAULT, SHARING.weight(7));

        assertThat(starts(3)).containsExactly("bo", "ann", "bo");
    }

    @Test
    void a_repeated_submission_costs_its_key_no_turn() {
        share();
        var work = of("ann").key("once");
        for (int k = 0; k < 5; k++) {
            world.submit(work);
        }
        assertThat(world.offer(of("bo").key("once"))).isConflict(Conflict.Code.KEY_TAKEN);
        var next = world.submit(of("ann"));
        submit("bo", 2);

        assertThat(world.worker().take(1)).containsExactly(work.id());
        assertThat(starts(1)).containsExactly("bo");
        assertThat(world.worker().take(1)).containsExactly(next);
    }

    @Test
    void keys_that_are_forgotten_have_missed_nothing_and_won_nothing() {
        share();
        submit("bo", 1);
        submit("ann", 40);
        starts(20);
        world.tick(Chore.RETENTION, 1000);

        submit("bo", 10);

        assertThat(starts(10)).filteredOn("bo"::equals).hasSizeBetween(5, 6);
    }

    @Test
    void an_explanation_knows_the_place_in_the_queue() {
        share();
        submit("ann", 100);
        var mine = world.submit(of("bo"));
        world.worker();

        assertThat(world.explain(mine).facts(Fact.Ahead.class))
                .containsExactly(new Fact.Ahead(1, false));
    }

    @Test
    void the_key_comes_with_the_lease_and_is_part_of_the_content() {
        share();
        var work = of("ann").key("k");
        world.submit(work);

        assertThat(world.view(work.id()).policy().share()).contains("ann");
        assertThat(world.worker().claimOne().policy().share()).contains("ann");
        assertThat(world.offer(of("bo").key("k"))).isConflict(Conflict.Code.KEY_TAKEN);
    }

    @Test
    void lanes_share_each_for_itself() {
        var other = world.newLane();
        world.configure(other, SHARING);
        submit("ann", 2);
        submit("bo", 1);
        world.submit(2, () -> of("ann").lane(other));
        world.submit(of("bo").lane(other));

        assertThat(starts(3)).containsExactly("ann", "ann", "bo");
        assertThat(starts(world.worker(other), 3)).containsExactly("ann", "bo", "ann");
    }

    @Test
    void a_lane_that_shares_says_so() {
        var feed = world.feed(FeedFilter.of(Topic.OPERATIONS));

        share();

        assertThat(world.store().lanes().describe(Lane.DEFAULT).settings()).isEqualTo(SHARING);
        assertThat(feed.read())
                .containsExactly(
                        new Event.LaneChange(Lane.DEFAULT, SHARING, Scenario.OLGA, world.now()));
    }

    @Test
    void a_lane_ages_or_shares_and_a_key_is_a_name() {
        assertThat(asked(() -> SHARING.ageing(MINUTE))).isInvalid(Invalid.Code.CONTRADICTORY);
        assertThat(asked(() -> Policy.DEFAULT.share(""))).isInvalid(Invalid.Code.EMPTY);
        assertThat(asked(() -> Policy.DEFAULT.share("k".repeat(10_000))))
                .isInvalid(Invalid.Code.TOO_LONG);
    }

    private void share() {
        world.configure(Lane.DEFAULT, SHARING);
    }

    private static Submission of(String key) {
        return key.isEmpty() ? work() : work(Policy.DEFAULT.share(key));
    }

    private void submit(String key, int count) {
        world.submit(count, () -> of(key));
    }

    private static OperatorCommand cancel(ExecutionId work) {
        return new OperatorCommand.Cancel(work);
    }

    /** Whose work a worker is given next, by a single claim. */
    private List<String> starts(int count) {
        return starts(world.worker(), count);
    }

    private List<String> starts(ScenarioWorker worker, int count) {
        var leases = worker.claim(count);
        assertThat(leases).as("what a worker is given").hasSize(count);
        return leases.stream().map(lease -> lease.policy().share().orElse("")).toList();
    }

    /** The same, by claims of one each. */
    private List<String> oneByOne(int count) {
        var worker = world.worker();
        return IntStream.range(0, count).mapToObj(i -> starts(worker, 1).getFirst()).toList();
    }
}
