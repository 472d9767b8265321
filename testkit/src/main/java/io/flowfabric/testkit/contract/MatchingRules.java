package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Rules 8 and 11: a worker sees what it is able to do, and lanes share their workers by weight. */
abstract class MatchingRules extends Rules {
    /** More than any store looks at in one go. */
    private static final int A_CROWD = 1000;

    private static final int CLAIMED = 200;

    /** The share of a lane that weighs three times as much as the other. */
    private static final int HEAVY = CLAIMED * 3 / 4;

    /** How far the share of a lane may be from its weight after {@link #CLAIMED} leases. */
    private static final int TOLERANCE = CLAIMED / 20;

    MatchingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    @BatchAnswers("P60")
    void a_head_that_a_worker_cannot_run_never_blocks_what_it_can() {
        var unsuitable = Policy.DEFAULT.priority(9000).needs(Capabilities.of("gpu"));
        world.submit(A_CROWD, () -> work(unsuitable));
        var suitable = world.submit();

        assertThat(world.worker().take(5)).containsExactly(suitable);
    }

    @Test
    @BatchAnswers("P60")
    void a_kind_that_a_worker_cannot_handle_never_blocks_those_it_can() {
        world.submit(A_CROWD, () -> Submission.of("paint", Payload.EMPTY));
        var suitable = world.submit(Submission.of("print", Payload.EMPTY));

        var printer = world.worker(world.session(Lane.DEFAULT).kinds("print", "copy"));

        assertThat(printer.take(5)).containsExactly(suitable);
    }

    @Test
    @BatchAnswers("P60")
    void a_lane_that_is_closed_never_blocks_the_others() {
        var closed = world.newLane();
        var open = world.newLane();
        world.submit(A_CROWD, () -> work(Policy.DEFAULT.priority(9000)).lane(closed));
        world.configure(closed, LaneSettings.DEFAULT.weight(1000).state(LaneSettings.State.PAUSED));
        var suitable = world.submit(work().lane(open));

        assertThat(world.worker(closed, open).take(5)).containsExactly(suitable);
    }

    @Test
    void work_goes_to_a_worker_that_offers_all_it_needs() {
        var needy = needs("gpu", "linux");

        assertThat(offering().take(1)).isEmpty();
        assertThat(offering("gpu").take(1)).isEmpty();
        assertThat(offering("linux").take(1)).isEmpty();
        assertThat(offering("gpu", "linux-arm").take(1)).isEmpty();
        assertThat(offering("arm", "gpu", "linux").take(1)).containsExactly(needy);
    }

    @Test
    void work_that_needs_nothing_goes_to_anybody() {
        var simple = world.submit();

        assertThat(offering("gpu").take(1)).containsExactly(simple);
    }

    @Test
    void what_is_needed_is_compared_to_the_letter() {
        needs("gpu");

        assertThat(offering("GPU").take(1)).isEmpty();
        assertThat(offering("gpu2").take(1)).isEmpty();
        assertThat(offering("gp").take(1)).isEmpty();
    }

    @Test
    void the_needs_of_work_hold_for_every_lease_of_it() {
        var needy = needs("gpu");
        world.end(release(offering("gpu").claimOne())).orThrow();

        assertThat(offering().take(1)).isEmpty();
        assertThat(offering("gpu").take(1)).containsExactly(needy);
    }

    @Test
    void a_worker_that_names_no_kinds_handles_all_of_them() {
        var print = world.submit(Submission.of("print", Payload.EMPTY));
        var paint = world.submit(Submission.of("paint", Payload.EMPTY));

        assertThat(world.worker().take(2)).containsExactly(print, paint);
    }

    @Test
    void a_worker_sees_only_its_own_lanes_and_its_own_namespace() {
        var mine = world.newLane();
        var other = world.newLane();
        world.submit(work().lane(other));
        world.submit(work().lane(new Lane(Scenario.ELSEWHERE, mine.name())));

        assertThat(world.worker(mine).take(5)).isEmpty();

        var work = world.submit(work().lane(mine));
        assertThat(world.worker(mine).take(5)).containsExactly(work);
    }

    @Test
    void lanes_share_their_workers_by_weight_to_within_five_in_a_hundred() {
        var heavy = world.newLane();
        var light = world.newLane();
        world.configure(heavy, LaneSettings.DEFAULT.weight(3));
        world.configure(light, LaneSettings.DEFAULT.weight(1));

        for (int max : new int[] {1, 8, 100}) {
            world.submit(CLAIMED, () -> work().lane(heavy));
            world.submit(CLAIMED, () -> work().lane(light));

            var heavyShare = drain(world.worker(heavy, light), max, heavy);

            assertThat(heavyShare)
                    .as("leases of the heavy lane in claims of %d", max)
                    .isBetween(HEAVY - TOLERANCE, HEAVY + TOLERANCE);
        }
    }

    @Test
    void the_weight_of_a_lane_counts_for_all_workers_together() {
        var heavy = world.newLane();
        var light = world.newLane();
        world.configure(heavy, LaneSettings.DEFAULT.weight(3));
        world.submit(CLAIMED, () -> work().lane(heavy));
        world.submit(CLAIMED, () -> work().lane(light));
        var workers =
                Stream.generate(() -> world.worker(heavy, light)).limit(CLAIMED / 10).toList();

        int heavyShare = 0;
        for (var worker : workers) {
            heavyShare += countIn(heavy, worker.claim(10));
        }

        assertThat(heavyShare).isBetween(HEAVY - TOLERANCE, HEAVY + TOLERANCE);
    }

    @Test
    void the_order_within_a_lane_holds_while_lanes_share() {
        var one = world.newLane();
        var two = world.newLane();
        var ofOne = world.submit(20, () -> work().lane(one));
        var ofTwo = world.submit(20, () -> work().lane(two));

        var taken = world.worker(one, two).take(40);

        assertThat(taken).hasSize(40);
        assertThat(taken.stream().filter(ofOne::contains)).containsExactlyElementsOf(ofOne);
        assertThat(taken.stream().filter(ofTwo::contains)).containsExactlyElementsOf(ofTwo);
    }

    @Test
    void a_lane_that_has_little_leaves_the_rest_to_the_others() {
        var full = world.newLane();
        var sparse = world.newLane();
        world.configure(sparse, LaneSettings.DEFAULT.weight(1000));
        world.submit(20, () -> work().lane(full));
        var rare = world.submit(work().lane(sparse));

        var taken = world.worker(full, sparse).take(10);

        assertThat(taken).hasSize(10).contains(rare);
    }

    @Test
    void a_lane_that_was_idle_has_saved_up_nothing() {
        var busy = world.newLane();
        var idle = world.newLane();
        world.submit(200, () -> work().lane(busy));
        world.submit(work().lane(idle));
        var worker = world.worker(busy, idle);
        worker.claim(101);

        world.submit(100, () -> work().lane(idle));

        assertThat(countIn(busy, worker.claim(40))).isBetween(15, 25);
    }

    private int drain(ScenarioWorker worker, int max, Lane lane) {
        int claimed = 0;
        int inLane = 0;
        while (claimed < CLAIMED) {
            var leases = worker.claim(Math.min(max, CLAIMED - claimed));
            assertThat(leases).isNotEmpty();
            claimed += leases.size();
            inLane += countIn(lane, leases);
        }
        return inLane;
    }

    private static int countIn(Lane lane, List<Lease> leases) {
        return (int) leases.stream().filter(lease -> lease.lane().equals(lane)).count();
    }

    private ExecutionId needs(String... capabilities) {
        return world.submit(Policy.DEFAULT.needs(Capabilities.of(capabilities)));
    }

    private ScenarioWorker offering(String... capabilities) {
        return world.worker(
                world.session(Lane.DEFAULT)
                        .offers(Capabilities.parse(String.join(",", capabilities))));
    }
}
