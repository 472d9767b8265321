package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.fail;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idIn;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.operate.LaneSettings.State;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.query.TimeRange;
import io.flowfabric.core.state.StateVector.BlockingReason;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Rule 20: operators find what they look for, by whatever they know about it. */
abstract class NarrowingRules extends Rules {
    private static final Search ALL = Search.in(Namespace.DEFAULT);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    NarrowingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void work_is_found_by_who_asked_for_it() {
        var adas = world.submit(work().creator("ada"));
        var bens = world.submit(work().creator("ben"));
        var nobodys = world.submit();

        assertThat(world.find(ALL.creator("ada"))).containsExactly(adas);
        assertThat(world.find(ALL.creator("ben"))).containsExactly(bens);
        assertThat(world.find(ALL.creator(""))).containsExactly(nobodys);
        assertThat(world.find(ALL.creator("ad"))).isEmpty();
    }

    @Test
    void work_is_found_by_when_it_was_submitted() {
        var first = world.submit();
        var noon = world.in(MINUTE);
        world.advance(MINUTE);
        var second = world.submit();
        var alsoSecond = world.submit();
        world.advance(MINUTE);
        var third = world.submit();

        assertThat(world.find(ALL.submitted(TimeRange.since(noon)), 1))
                .containsExactly(second, alsoSecond, third);
        assertThat(world.find(ALL.submitted(TimeRange.until(noon)), 1)).containsExactly(first);
        assertThat(world.find(ALL.submitted(TimeRange.between(noon, noon.plus(MINUTE))), 1))
                .containsExactly(second, alsoSecond);
        assertThat(world.find(ALL.submitted(TimeRange.between(noon, noon)))).isEmpty();
        assertThat(world.find(ALL.submitted(TimeRange.since(noon)).newestFirst(), 1))
                .containsExactly(third, alsoSecond, second);
        assertThat(world.find(ALL.submitted(TimeRange.until(noon)).newestFirst(), 1))
                .containsExactly(first);
    }

    @Test
    void work_is_found_by_when_it_changed() {
        var early = world.submit();
        var late = world.submit();
        world.cancel(early);
        world.advance(MINUTE);
        var noon = world.now();
        world.cancel(late);

        assertThat(world.find(ALL.changed(TimeRange.until(noon)))).containsExactly(early);
        assertThat(world.find(ALL.changed(TimeRange.since(noon)))).containsExactly(late);
        assertThat(world.find(ALL.states(PublicState.CANCELLED).changed(TimeRange.since(noon))))
                .containsExactly(late);
    }

    @Test
    void work_is_found_by_its_partition() {
        var seven = world.submit(work().id(idIn(7)));
        var eight = world.submit(work().id(idIn(8)));

        assertThat(world.find(ALL.partition(new Partition(7)))).containsExactly(seven);
        assertThat(world.find(ALL.partition(new Partition(8)).states(PublicState.WAITING)))
                .containsExactly(eight);
    }

    @Test
    void work_is_found_by_who_holds_it_now() {
        var works = world.submit(3, () -> work());
        var ada = world.worker();
        var ben = world.worker();
        ada.take(1);
        var given = ben.claim(1).getFirst();

        assertThat(world.find(ALL.worker(ada.session().worker()))).containsExactly(works.get(0));
        assertThat(world.find(ALL.worker(ben.session().worker()))).containsExactly(works.get(1));
        assertThat(world.find(ALL.worker("nobody"))).isEmpty();

        world.end(complete(given)).orThrow();
        assertThat(world.find(ALL.worker(ben.session().worker()))).isEmpty();
        assertThat(world.find(ALL.worker(ada.session().worker()).states(PublicState.COMPLETED)))
                .isEmpty();
    }

    @Test
    void work_that_its_worker_lost_is_found_until_somebody_takes_it_up() {
        var fresh = world.submit(work().lane(world.newLane()));
        var lost = world.submit();
        var frail = world.frailWorker();
        frail.take(1);
        assertThat(world.find(ALL.onlyLapsed())).isEmpty();

        world.bury(frail);

        assertThat(world.find(ALL.onlyLapsed())).containsExactly(lost);
        assertThat(world.find(ALL)).containsExactly(fresh, lost);
        world.worker().take(1);
        assertThat(world.find(ALL.onlyLapsed())).isEmpty();
    }

    @Test
    void work_is_found_by_what_it_waits_for() {
        var closed = world.newLane();
        var ready = world.submit();
        var delayed = world.submit(Policy.DEFAULT.start(Due.in(MINUTE)));
        var held = world.submit();
        world.pause(held);
        var behind = world.submit(work().lane(closed));
        world.configure(closed, State.PAUSED);
        var lane = world.newLane();
        var retrying = world.submit(work().lane(lane));
        world.end(retry(world.worker(lane).claimOne(), MINUTE)).orThrow();
        var running = idOf(world.begun());

        var expected =
                Map.of(
                        BlockingReason.WAITING_FOR_WORKER, ready,
                        BlockingReason.WAITING_FOR_DELAY, delayed,
                        BlockingReason.PAUSED_BY_OPERATOR, held,
                        BlockingReason.PAUSED_BY_POLICY, behind,
                        BlockingReason.WAITING_FOR_RETRY_BACKOFF, retrying,
                        BlockingReason.NONE, running);
        for (var reason : BlockingReason.values()) {
            var wanted = new ArrayList<ExecutionId>();
            if (expected.containsKey(reason)) {
                wanted.add(expected.get(reason));
            }
            assertThat(world.find(ALL.reason(reason))).as(reason.name()).isEqualTo(wanted);
        }
    }

    @Test
    void every_public_state_is_a_view_of_its_own() {
        var lanes = List.of(Lane.DEFAULT, world.newLane());
        for (int round = 0; round < 2; round++) {
            for (var lane : lanes) {
                world.submit(work().lane(lane));
                world.submit(work(Policy.DEFAULT.start(Due.in(MINUTE))).lane(lane));
                world.cancel(world.submit(work().lane(lane)));
                world.end(complete(begunIn(lane))).orThrow();
                world.end(fail(begunIn(lane))).orThrow();
                begunIn(lane);
            }
        }
        var views = world.store().queries().search(ALL, Cursor.START, 100).items();

        for (var state : PublicState.values()) {
            var wanted =
                    views.stream()
                            .filter(view -> view.state().publicState() == state)
                            .map(view -> view.id())
                            .toList();
            for (int size : new int[] {1, 3, 100}) {
                assertThat(world.find(ALL.states(state), size)).isEqualTo(wanted);
                assertThat(world.find(ALL.states(state).newestFirst(), size))
                        .isEqualTo(wanted.reversed());
            }
        }
        assertThat(world.find(ALL.states(PublicState.values()), 2))
                .isEqualTo(views.stream().map(view -> view.id()).toList());
    }

    @Test
    void filters_narrow_each_other() {
        var lane = world.newLane();
        var wanted = world.submit(work().lane(lane).creator("ada").tag("colour", "red"));
        world.submit(work().lane(lane).creator("ben").tag("colour", "red"));
        world.submit(work().lane(lane).creator("ada").tag("colour", "blue"));
        world.submit(work().creator("ada").tag("colour", "red"));
        var done = world.submit(work().lane(lane).creator("ada").tag("colour", "red"));
        world.cancel(done);

        var adasRed = ALL.lane(lane.name()).creator("ada").tag("colour", "red");

        assertThat(world.find(adasRed, 1)).containsExactly(wanted, done);
        assertThat(world.find(adasRed.states(PublicState.WAITING), 1)).containsExactly(wanted);
        assertThat(world.find(adasRed.states(PublicState.CANCELLED).newestFirst(), 1))
                .containsExactly(done);
    }

    /** Work that is running now, in a lane where older work waits. */
    private Lease begunIn(Lane lane) {
        var work = world.submit(work().lane(lane));
        return world.claimByHand(work, world.worker(lane)).orThrow();
    }
}
