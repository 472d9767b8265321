package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Wakeups;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;

/** A claim that waits for work is told when there may be some, whatever made it ready. */
abstract class WakingRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

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

    /** R18: a worker need not wait for its next heartbeat to hear that work was taken from it. */
    @Test
    void a_session_from_which_an_operator_takes_work_is_told() {
        var cancelled = world.begun();
        var revoked = world.begun();
        var paused = world.begun();
        var declared = world.begun();

        isTold(cancelled.session(), () -> world.cancel(idOf(cancelled)));
        isTold(revoked.session(), () -> world.revoke(idOf(revoked)));
        isTold(paused.session(), () -> world.pause(idOf(paused)));
        isTold(
                declared.session(),
                () -> world.store().workers().markDead(declared.session(), Scenario.OLGA));
    }

    /** R18: time takes work as an operator does. */
    @Test
    void a_session_whose_work_runs_out_of_time_is_told() {
        var late = world.begun(Policy.DEFAULT.attemptTimeout(TEN_SECONDS));
        isTold(late.session(), () -> world.pass(TEN_SECONDS));

        var expired = world.begun(Policy.DEFAULT.deadline(Due.in(TEN_SECONDS)));
        isTold(expired.session(), () -> world.pass(TEN_SECONDS));

        var stalled = world.begun(Policy.DEFAULT.stallTimeout(TEN_SECONDS));
        isTold(stalled.session(), () -> world.pass(TEN_SECONDS));
    }

    @Test
    void a_session_that_gives_work_up_itself_is_not_told() {
        var lease = world.begun();
        var waiting = world.submit(work().lane(lease.lane()));
        var told = new LinkedBlockingQueue<SessionId>();
        var listening = world.store().wakeups().listenForLosses(told::add);
        try (listening) {
            world.end(release(lease)).orThrow();
            world.cancel(waiting);
        }

        assertThat(told).isEmpty();
    }

    private void isTold(SessionId session, Runnable cause) {
        var told = new LinkedBlockingQueue<SessionId>();
        var listening = world.store().wakeups().listenForLosses(told::add);
        try (listening) {
            cause.run();
            Hints.await(session, told);
        }
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

    /** R20: one piece of work wakes one who waits, not one in every engine. */
    @Test
    void a_piece_of_work_that_a_listener_takes_charge_of_is_told_to_no_other() {
        var lane = world.newLane();
        var first = new Charge(true);
        var second = new Charge(true);
        try (var one = world.store().wakeups().listen(first);
                var other = world.store().wakeups().listen(second)) {
            assertThat(List.of(one, other)).doesNotContainNull();

            var work = world.submit(work().lane(lane));
            assertThat(first.offered()).containsExactly(work.uuid());
            assertThat(second.offered()).isEmpty();

            world.pause(work);
            world.resume(work);
            assertThat(first.offered()).containsExactly(work.uuid(), work.uuid());
        }
        assertThat(List.of(first.heard, second.heard)).allMatch(Queue::isEmpty);
    }

    @Test
    void a_listener_that_does_not_take_charge_leaves_it_to_the_next() {
        var first = new Charge(false);
        var second = new Charge(true);
        try (var one = world.store().wakeups().listen(first);
                var other = world.store().wakeups().listen(second)) {
            assertThat(List.of(one, other)).doesNotContainNull();

            var work = world.submit();

            assertThat(first.offered()).containsExactly(work.uuid());
            assertThat(second.offered()).containsExactly(work.uuid());
        }
    }

    @Test
    void what_is_passed_on_is_told_to_all_but_the_one_who_passes_it() {
        var first = new Charge(true);
        var second = new Charge(true);
        var wakeups = world.store().wakeups();
        try (var one = wakeups.listen(first);
                var other = wakeups.listen(second)) {
            assertThat(List.of(one, other)).doesNotContainNull();

            wakeups.pass(Lane.DEFAULT, first);
        }
        assertThat(first.heard).isEmpty();
        assertThat(second.heard).containsExactly(Lane.DEFAULT);
    }

    @Test
    void more_work_than_one_piece_is_told_to_all() {
        var lane = world.newLane();
        var first = new Charge(true);
        var second = new Charge(true);
        try (var one = world.store().wakeups().listen(first);
                var other = world.store().wakeups().listen(second)) {
            assertThat(List.of(one, other)).doesNotContainNull();

            world.submit(2, () -> work().lane(lane));
        }
        assertThat(first.heard).containsExactly(lane);
        assertThat(second.heard).containsExactly(lane);
    }

    /** A listener that takes charge of work, or does not. */
    private static final class Charge implements Wakeups.Listener {
        private final boolean takes;
        private final Queue<UUID> offered = new ConcurrentLinkedQueue<>();
        final Queue<Lane> heard = new ConcurrentLinkedQueue<>();

        Charge(boolean takes) {
            this.takes = takes;
        }

        List<UUID> offered() {
            return List.copyOf(offered);
        }

        @Override
        public void ready(Lane lane) {
            heard.add(lane);
        }

        @Override
        public boolean take(Lane lane, UUID work) {
            offered.add(work);
            return takes;
        }
    }

    private void isWoken(Lane lane, Runnable cause) {
        Hints.isWoken(world, lane, cause);
    }
}
