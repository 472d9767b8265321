package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A claim that waits for work is told when there may be some, whatever made it ready. */
abstract class WakingRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    WakingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void new_work_wakes_its_lane() {
        var lane = world.newLane();

        isWoken(lane, () -> world.submit(work().lane(lane)));
    }

    @Test
    void work_that_comes_back_from_its_worker_wakes_its_lane() {
        var released = world.begun();
        var retried = world.begun();
        var revoked = world.begun();
        var orphaned = world.begun();
        var declared = world.begun();

        isWoken(released.lane(), () -> world.end(release(released)).orThrow());
        isWoken(retried.lane(), () -> world.end(retry(retried, Duration.ZERO)).orThrow());
        isWoken(revoked.lane(), () -> world.revoke(idOf(revoked)));
        isWoken(orphaned.lane(), () -> world.store().sessions().close(orphaned.session()));
        isWoken(
                declared.lane(),
                () -> world.store().workers().markDead(declared.session(), Scenario.OLGA));
    }

    @Test
    void work_whose_time_has_come_wakes_its_lane() {
        var lane = world.newLane();
        world.submit(work(Policy.DEFAULT.start(Due.in(MINUTE))).lane(lane));
        isWoken(lane, () -> world.pass(MINUTE));

        world.submit(work().lane(lane));
        world.worker(world.session(lane)).claimOne();
        isWoken(lane, () -> world.pass(MINUTE));
    }

    @Test
    void work_that_an_operator_lets_go_on_wakes_its_lane() {
        var lane = world.newLane();
        var work = world.submit(work().lane(lane));
        world.pause(work);

        isWoken(lane, () -> world.resume(work));
        world.cancel(work);
        isWoken(lane, () -> world.replay(work));
    }

    @Test
    void a_lane_that_is_opened_again_is_woken() {
        var lane = world.newLane();
        world.configure(lane, LaneSettings.State.PAUSED);
        world.submit(work().lane(lane));

        isWoken(lane, () -> world.configure(lane, LaneSettings.State.ACTIVE));
    }

    @Test
    void whoever_has_stopped_listening_is_not_called_any_more() {
        var heard = new LinkedBlockingQueue<Lane>();
        var listening = world.store().wakeups().listen(heard::add);
        listening.close();
        listening.close();

        isWoken(Lane.DEFAULT, world::submit);

        assertThat(heard).isEmpty();
    }

    /** A listener hears of the lane after this, and finds work there. */
    private void isWoken(Lane lane, Runnable cause) {
        var heard = new LinkedBlockingQueue<Lane>();
        try (var listening = world.store().wakeups().listen(heard::add)) {
            assertThat(listening).isNotNull();
            cause.run();
            await(lane, heard);
        }
        assertThat(world.worker(lane).claim(1)).hasSize(1);
    }

    private static void await(Lane lane, BlockingQueue<Lane> heard) {
        try {
            Lane next;
            do {
                next = heard.poll(10, TimeUnit.SECONDS);
                assertThat(next).as("a hint that there is work in %s", lane).isNotNull();
            } while (!lane.equals(next));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError("no hint in time", interrupted);
        }
    }
}
