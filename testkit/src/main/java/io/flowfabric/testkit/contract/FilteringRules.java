package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.FeedReader.steps;
import static io.flowfabric.testkit.contract.Given.idIn;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Partition;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Rule 17: a feed can be narrowed, to the same rows for everybody. */
abstract class FilteringRules extends Rules {
    private static final FeedFilter EVERYTHING = FeedFilter.of(Topic.EVERYTHING);

    FilteringRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_feed_of_leases_has_every_lease_given_renewed_and_ended() {
        var feed = world.feed(FeedFilter.of(Topic.LEASES));
        world.submit();
        var worker = world.worker();
        var lease = worker.claimOne();
        worker.beat(lease.fence()).orThrow();
        world.end(retry(lease, Duration.ofMinutes(1))).orThrow();
        world.pass(Duration.ofMinutes(1));
        worker.claimOne();
        worker.close();

        var told = feed.read();

        assertThat(steps(told))
                .extracting(Event.Step::transition)
                .containsExactly(
                        Transition.CLAIM, Transition.RETRY, Transition.CLAIM, Transition.LAPSE);
        assertThat(told).filteredOn(Event.Renewal.class::isInstance).hasSize(1);
        assertThat(told).hasSize(5);
    }

    @Test
    void a_feed_of_completions_has_every_end_and_nothing_else() {
        var feed = world.feed(FeedFilter.of(Topic.COMPLETIONS));
        var done = world.begun();
        world.end(complete(done)).orThrow();
        var cancelled = world.submit();
        world.cancel(cancelled);
        var expired = world.submit(Policy.DEFAULT.deadline(Due.in(Duration.ofMinutes(1))));
        world.pass(Duration.ofMinutes(1));
        world.submit();

        assertThat(executionsIn(feed)).containsExactly(idOf(done), cancelled, expired);
    }

    @Test
    void a_feed_of_operations_has_what_people_did_and_not_what_the_engine_did() {
        var feed = world.feed(FeedFilter.of(Topic.OPERATIONS));
        var work = world.submit();
        world.act(new OperatorCommand.Reprioritise(work, 5)).orThrow();
        world.pause(work);
        world.resume(work);
        world.claimByHand(work, world.worker()).orThrow();
        world.revoke(work);
        world.cancel(work);
        world.replay(work);
        world.submit(Policy.DEFAULT.deadline(Due.in(Duration.ofMinutes(1))));
        world.pass(Duration.ofMinutes(1));

        assertThat(steps(feed.read()))
                .extracting(Event.Step::transition)
                .containsExactly(
                        Transition.REPRIORITISE,
                        Transition.PAUSE,
                        Transition.RESUME,
                        Transition.CLAIM,
                        Transition.REVOKE,
                        Transition.CANCEL,
                        Transition.REPLAY);
    }

    @Test
    @BatchAnswers({"P11", "P63"})
    void the_same_filter_selects_the_same_work_at_every_step_of_its_life() {
        var lane = new Lane(Scenario.ELSEWHERE, "lane");
        var byNamespace = world.feed(EVERYTHING.namespace(Scenario.ELSEWHERE));
        var byLane = world.feed(EVERYTHING.lane(lane));
        var byTag = world.feed(EVERYTHING.tag("shop.order", "7"));
        world.end(complete(world.begun())).orThrow();

        var mine = world.submit(work().lane(lane).tag("shop.order", "7").tag("colour", "red"));
        world.end(retry(world.worker(lane).claimOne(), Duration.ofMinutes(1))).orThrow();
        world.pass(Duration.ofMinutes(1));
        world.end(complete(world.worker(lane).claimOne())).orThrow();

        var life = List.<Event>copyOf(world.steps(mine));
        assertThat(life).hasSize(6);
        assertThat(byNamespace.read()).isEqualTo(life);
        assertThat(byLane.read()).isEqualTo(life);
        assertThat(byTag.read()).isEqualTo(life);
    }

    @Test
    void all_parts_of_a_filter_must_fit() {
        var lane = world.newLane();
        var feed = world.feed(EVERYTHING.lane(lane).tag("colour", "red").tag("size", "xl"));

        world.submit(work().lane(lane).tag("colour", "red"));
        world.submit(work().lane(lane).tag("colour", "red").tag("size", "s"));
        world.submit(work().tag("colour", "red").tag("size", "xl"));
        var fits = world.submit(work().lane(lane).tag("colour", "red").tag("size", "xl"));

        assertThat(executionsIn(feed)).containsExactly(fits);
    }

    /** R33: also a heartbeat, which is of its session; histories show it for each execution. */
    @Test
    void what_an_event_does_not_have_matches_no_filter() {
        var byLane = world.feed(EVERYTHING.lane(Lane.DEFAULT));
        var byTag = world.feed(EVERYTHING.tag("colour", "red"));
        var byEmptyTag = world.feed(EVERYTHING.tag("colour", ""));

        world.worker().beat().orThrow();
        world.configure(Lane.DEFAULT, LaneSettings.State.PAUSED);
        world.submit();

        assertThat(byLane.read()).hasSize(2).noneMatch(Event.Renewal.class::isInstance);
        assertThat(byTag.read()).isEmpty();
        assertThat(byEmptyTag.read()).isEmpty();
    }

    @Test
    @BatchAnswers("P11")
    void what_does_not_fit_moves_the_cursor_too() {
        var quiet = world.newLane();
        var filter = EVERYTHING.lane(quiet);
        var start = world.feed(filter).cursor();
        world.submit(50, Given::work);

        var skipped = FeedReader.from(world.store().feeds(), filter, start);
        assertThat(skipped.readEntries(1)).isEmpty();
        assertThat(skipped.cursor()).isNotEqualTo(start);

        var work = world.submit(work().lane(quiet));
        assertThat(executionsIn(skipped)).containsExactly(work);
    }

    @Test
    void what_fits_is_found_behind_much_that_does_not() {
        var quiet = world.newLane();
        var feed = world.feed(EVERYTHING.lane(quiet));
        world.submit(3000, Given::work);
        var submission = work().lane(quiet);
        world.submit(submission);

        assertThat(feed.readEntries(1))
                .extracting(entry -> ((Event.Step) entry.event()).execution())
                .containsExactly(submission.id());
    }

    @Test
    void a_lane_of_the_same_name_elsewhere_is_another_lane() {
        var here = world.feed(EVERYTHING.lane(Lane.of("orders")));
        Submission there = work().lane(new Lane(Scenario.ELSEWHERE, "orders"));

        world.submit(there);

        assertThat(here.read()).isEmpty();
    }

    /**
     * R32: retention removes an execution long before its events; a feed by tags tells of it until
     * they are dropped, and each life of an id has its own tags.
     */
    @Test
    void what_is_told_of_forgotten_work_is_still_found_by_its_tags() {
        var byTag = world.wholeFeed(EVERYTHING.tag("colour", "red"));
        var hour = Duration.ofHours(1);
        var policy = Policy.DEFAULT.retention(hour);
        var red = work(policy).tag("colour", "red");
        world.submit(red);
        world.submit(work(policy).tag("colour", "blue"));
        world.submit(work(policy));
        var worker = world.worker();
        worker.claim(3).forEach(lease -> world.end(complete(lease)).orThrow());
        var life = List.<Event>copyOf(world.steps(red.id()));
        world.pass(hour);
        assertThat(world.describe(red.id())).isNotFound("execution");
        // Another execution, which happens to have the same id.
        world.submit(red.tag("colour", "green"));

        assertThat(life).hasSize(3);
        assertThat(byTag.read()).isEqualTo(life);
        assertThat(world.wholeFeed(EVERYTHING.tag("colour", "green")).read())
                .isEqualTo(world.steps(red.id()));
    }

    /** R39: readers that share the partitions among them share the events, and miss none. */
    @Test
    void a_feed_can_be_shared_out_by_partition() {
        var whole = world.feed(EVERYTHING);
        var odd = EVERYTHING;
        var even = EVERYTHING;
        for (int i = 0; i < Partition.COUNT; i += 2) {
            even = even.partition(new Partition(i));
            odd = odd.partition(new Partition(i + 1));
        }
        var shares = List.of(world.feed(odd), world.feed(even));
        var oddWork = world.submit(work().id(idIn(7)));
        var evenWork = world.submit(work().id(idIn(8)));
        world.worker().claim(2);
        world.worker().beat().orThrow();
        world.configure(Lane.DEFAULT, LaneSettings.State.PAUSED);
        world.configure(new Lane(Scenario.ELSEWHERE, "lane"), LaneSettings.State.PAUSED);

        var first = shares.getFirst().read();
        var second = shares.getLast().read();

        assertThat(steps(first)).hasSize(2).allMatch(step -> step.execution().equals(oddWork));
        assertThat(steps(second)).hasSize(2).allMatch(step -> step.execution().equals(evenWork));
        var all = new ArrayList<>(first);
        all.addAll(second);
        assertThat(all).containsExactlyInAnyOrderElementsOf(whole.read());
    }

    private static List<ExecutionId> executionsIn(FeedReader feed) {
        return steps(feed.read()).stream().map(Event.Step::execution).toList();
    }
}
