package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Denied;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.LaneSettings.State;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Situation;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Lanes: what goes in, what comes out, and how both are changed. */
abstract class LaneRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    LaneRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_paused_lane_takes_work_and_keeps_it() {
        var before = world.submit();
        world.configure(Lane.DEFAULT, State.PAUSED);
        var after = world.submit();

        assertThat(world.worker().claim(2)).isEmpty();

        world.configure(Lane.DEFAULT, State.ACTIVE);
        assertThat(world.worker().take(2)).containsExactly(before, after);
    }

    @Test
    void a_draining_lane_takes_no_work_and_gives_out_what_it_has() {
        var before = world.submit();
        world.configure(Lane.DEFAULT, State.DRAINING);

        assertThat(world.offer(work())).isDenied(Denied.Code.LANE_CLOSED);
        assertThat(world.worker().take(2)).containsExactly(before);
    }

    @Test
    void a_disabled_lane_takes_no_work_and_keeps_what_it_has() {
        var before = world.submit();
        world.configure(Lane.DEFAULT, State.DISABLED);

        assertThat(world.offer(work())).isDenied(Denied.Code.LANE_CLOSED);
        assertThat(world.worker().claim(2)).isEmpty();
        assertThat(world.view(before).state().situation()).isEqualTo(Situation.LANE_CLOSED);
    }

    @Test
    void one_closed_lane_refuses_nothing_for_the_others() {
        var closed = world.newLane();
        var open = world.newLane();
        world.configure(closed, State.DRAINING);

        var answers =
                world.store().submissions().submit(List.of(work().lane(closed), work().lane(open)));

        assertThat(answers.get(0)).isDenied(Denied.Code.LANE_CLOSED);
        assertThat(answers.get(1)).isDone();
    }

    @Test
    @BatchAnswers("W24")
    void ready_work_in_a_closed_lane_says_what_holds_it_back() {
        var work = world.submit();

        world.configure(Lane.DEFAULT, State.PAUSED);

        assertThat(world.view(work))
                .reads(
                        new Blocked(
                                BlockedBy.LANE,
                                "lane default/default is paused",
                                new Ready(LeasePurpose.FIRST)));
        assertThat(world.view(work).state().publicState()).isEqualTo(PublicState.WAITING);

        world.configure(Lane.DEFAULT, State.ACTIVE);
        assertThat(world.view(work)).reads(new Ready(LeasePurpose.FIRST));
    }

    @Test
    @BatchAnswers("W24")
    void a_closed_lane_hides_nothing_else_that_holds_work_back() {
        var delayed = world.submit(Policy.DEFAULT.start(Due.in(MINUTE)));
        var held = world.submit();
        world.pause(held);
        var before = List.of(world.view(delayed).state(), world.view(held).state());

        world.configure(Lane.DEFAULT, State.PAUSED);

        assertThat(List.of(world.view(delayed).state(), world.view(held).state()))
                .isEqualTo(before);
        world.pass(MINUTE);
        assertThat(world.view(delayed).state().situation()).isEqualTo(Situation.LANE_CLOSED);
    }

    @Test
    void work_that_runs_in_a_lane_may_finish_after_it_was_closed() {
        var lease = world.begun();
        var retried = world.begun();
        world.configure(lease.lane(), State.DISABLED);
        world.configure(retried.lane(), State.DISABLED);

        assertThat(world.end(complete(lease))).isDone();
        assertThat(world.end(retry(retried, Duration.ZERO))).isDone();
        assertThat(world.worker(retried.lane()).claim(1)).isEmpty();
        world.configure(retried.lane(), State.ACTIVE);
        assertThat(world.worker(retried.lane()).take(1)).containsExactly(idOf(retried));
    }

    @Test
    void a_lane_can_be_configured_before_anything_is_in_it() {
        var lane = world.newLane();
        var settings = LaneSettings.DEFAULT.weight(7).ageing(MINUTE).state(State.PAUSED);
        var now = world.now();
        var view = new LaneView(lane, settings, now, Scenario.OLGA.actor(), now);

        assertThat(world.store().lanes().configure(lane, settings, Scenario.OLGA)).isEqualTo(view);
        world.advance(MINUTE);
        world.submit(work().lane(lane));

        assertThat(world.store().lanes().describe(lane)).isEqualTo(view);
    }

    @Test
    void a_change_of_a_lane_is_told_with_who_made_it() {
        world.submit();
        world.advance(MINUTE);
        var feed = world.feed(FeedFilter.of(Topic.OPERATIONS));
        var settings = LaneSettings.DEFAULT.state(State.PAUSED);

        world.configure(Lane.DEFAULT, settings);

        assertThat(feed.read())
                .containsExactly(
                        new Event.LaneChange(Lane.DEFAULT, settings, Scenario.OLGA, world.now()));
        assertThat(world.store().lanes().describe(Lane.DEFAULT).changed()).isEqualTo(world.now());
    }

    /** R39: when a lane came into being, and by whom, stays what it is when it is changed. */
    @Test
    void a_lane_knows_since_when_it_is_there_and_who_registered_it() {
        var lane = world.newLane();
        var began = world.now();
        world.submit(work().lane(lane).creator("ada"));
        world.advance(MINUTE);
        world.submit(work().lane(lane).creator("ben"));

        var settings = LaneSettings.DEFAULT.weight(7);
        var changed = world.store().lanes().configure(lane, settings, Scenario.OLGA);

        assertThat(changed).isEqualTo(new LaneView(lane, settings, began, "ada", world.now()));
        assertThat(world.store().lanes().describe(lane)).isEqualTo(changed);
        assertThat(world.store().lanes().list(lane.namespace(), Cursor.START, 10).items())
                .contains(changed);
    }

    @Test
    void configuring_the_same_again_changes_nothing() {
        world.configure(Lane.DEFAULT, State.PAUSED);
        var before = world.everything();
        world.advance(MINUTE);

        world.configure(Lane.DEFAULT, State.PAUSED);

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void a_lane_that_nobody_has_used_is_not_found() {
        var lane = world.newLane();
        world.submit(work().lane(new Lane(Scenario.ELSEWHERE, lane.name())));

        assertThat(asked(() -> world.store().lanes().describe(lane))).isNotFound("lane");
    }

    @Test
    void lanes_are_listed_by_name_on_pages_of_any_size() {
        var lanes = Stream.of("c", "a", "e", "b", "d").map(Lane::of).toList();
        lanes.forEach(lane -> world.submit(work().lane(lane)));
        world.submit(work().lane(new Lane(Scenario.ELSEWHERE, "elsewhere")));

        for (int size = 1; size <= 6; size++) {
            assertThat(namesOnPagesOf(size)).containsExactly("a", "b", "c", "d", "e");
        }
    }

    @Test
    void the_listing_of_lanes_refuses_what_is_no_place_and_no_size() {
        world.submit(2, Given::work);
        var foreign = world.store().feeds().beginning();

        assertThat(asked(() -> list(foreign, 1))).isInvalid(Invalid.Code.MALFORMED_CURSOR);
        assertThat(asked(() -> list(Cursor.START, 0))).isInvalid(Invalid.Code.OUT_OF_RANGE);
        assertThat(asked(() -> list(Cursor.START, 1001))).isInvalid(Invalid.Code.OUT_OF_RANGE);
    }

    private List<String> namesOnPagesOf(int size) {
        return Everything.pages(after -> list(after, size)).stream()
                .map(view -> view.lane().name())
                .toList();
    }

    private Page<LaneView> list(Cursor after, int max) {
        return world.store().lanes().list(Namespace.DEFAULT, after, max);
    }
}
