package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.WorkerView;
import io.flowfabric.core.operate.Workers.Scope;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/** Who works here: the sessions, alive and dead, as operators see them. */
abstract class RegistryRules extends Rules {
    private static final Duration TTL = Session.DEFAULT_TTL;
    private static final Duration MOMENT = Duration.ofSeconds(1);

    RegistryRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_worker_is_seen_as_it_came() {
        var session =
                world.session(Lane.DEFAULT, world.newLane())
                        .kinds("mail", "letter")
                        .offers(Capabilities.of("gpu"));
        var opened = world.now();
        world.worker(session);
        world.advance(MOMENT);

        assertThat(view(session))
                .isEqualTo(new WorkerView(session, opened, opened, opened.plus(TTL), true, 0));
    }

    @Test
    void a_heartbeat_is_the_last_sign_of_life() {
        var opened = world.now();
        var frail = world.frailWorker();
        world.advance(MOMENT);
        frail.beat().orThrow();
        var heard = world.now();
        world.advance(MOMENT);

        assertThat(view(frail.session()))
                .isEqualTo(
                        new WorkerView(frail.session(), opened, heard, heard.plus(TTL), true, 0));
    }

    @Test
    void what_runs_is_what_a_worker_holds_now() {
        world.submit(6, Given::work);
        var worker = world.worker();
        var leases = worker.claim(5);
        assertThat(view(worker.session()).running()).isEqualTo(5);

        world.end(complete(leases.get(0))).orThrow();
        world.end(release(leases.get(1))).orThrow();
        world.revoke(idOf(leases.get(2)));
        world.cancel(idOf(leases.get(3)));
        assertThat(view(worker.session()).running()).isEqualTo(1);

        world.claimByHand(idOf(leases.get(2)), worker).orThrow();
        assertThat(view(worker.session()).running()).isEqualTo(2);
        worker.beat(1).orThrow();
        assertThat(view(worker.session()).running()).isEqualTo(2);
    }

    @Test
    void work_that_was_given_to_a_worker_twice_runs_once() {
        world.submit();
        var worker = world.worker();
        world.end(release(worker.claimOne())).orThrow();
        worker.claimOne();

        assertThat(view(worker.session()).running()).isEqualTo(1);
    }

    @Test
    void work_that_another_worker_took_over_runs_there() {
        world.submit();
        var first = world.worker();
        world.end(release(first.claimOne())).orThrow();
        var second = world.worker();
        second.claimOne();

        assertThat(view(first.session()).running()).isZero();
        assertThat(view(second.session()).running()).isEqualTo(1);
    }

    @Test
    void a_worker_that_was_not_heard_of_is_seen_dead_before_anybody_has_noticed() {
        var opened = world.now();
        world.submit();
        var frail = world.frailWorker();
        frail.claimOne();

        world.advance(TTL.plus(MOMENT));

        var dead = new WorkerView(frail.session(), opened, opened, opened.plus(TTL), false, 1);
        assertThat(view(frail.session())).isEqualTo(dead);
        assertThat(listed(Scope.ALIVE)).isEmpty();
        assertThat(listed(Scope.ALL)).containsExactly(dead);
    }

    @Test
    void a_worker_died_when_its_time_ran_out_and_not_when_that_was_noticed() {
        var opened = world.now();
        world.submit();
        var frail = world.frailWorker();
        frail.claimOne();

        world.pass(TTL.plus(MOMENT));

        assertThat(view(frail.session()))
                .isEqualTo(
                        new WorkerView(
                                frail.session(), opened, opened, opened.plus(TTL), false, 0));
    }

    @Test
    void a_worker_that_left_died_when_it_left() {
        var opened = world.now();
        var worker = world.worker();
        world.advance(MOMENT);
        worker.close();
        var left = world.now();
        world.pass(MOMENT);

        assertThat(view(worker.session()))
                .isEqualTo(new WorkerView(worker.session(), opened, opened, left, false, 0));
    }

    @Test
    void the_living_are_listed_and_the_dead_on_request() {
        var left = world.worker();
        var frail = world.frailWorker();
        var living = world.worker();
        left.close();
        world.bury(frail);

        assertThat(listed(Scope.ALIVE)).containsExactly(view(living.session()));
        assertThat(listed(Scope.ALL))
                .containsExactlyInAnyOrder(
                        view(left.session()), view(frail.session()), view(living.session()));
    }

    @Test
    void workers_are_listed_in_the_order_of_their_ids_on_pages_of_any_size() {
        var ids = new ArrayList<SessionId>();
        for (int i = 0; i < 6; i++) {
            ids.add(world.worker().session().id());
        }
        // An id of somebody's own making, before which there can be no other.
        var nil = new SessionId(new UUID(0, 0));
        ids.add(world.worker(world.session(Lane.DEFAULT).id(nil)).session().id());
        world.store().sessions().close(ids.get(2));
        ids.sort(null);
        world.worker(new Lane(Scenario.ELSEWHERE, "elsewhere"));

        for (int size = 1; size <= 8; size++) {
            assertThat(idsOnPagesOf(size)).isEqualTo(ids);
        }
    }

    @Test
    void the_listing_of_workers_refuses_what_is_no_place_and_no_size() {
        world.worker();
        var foreign = world.store().feeds().beginning();

        assertThat(asked(() -> list(Scope.ALL, foreign, 1)))
                .isInvalid(Invalid.Code.MALFORMED_CURSOR);
        assertThat(asked(() -> list(Scope.ALL, Cursor.START, 0)))
                .isInvalid(Invalid.Code.OUT_OF_RANGE);
        assertThat(asked(() -> list(Scope.ALL, Cursor.START, 1001)))
                .isInvalid(Invalid.Code.OUT_OF_RANGE);
    }

    @Test
    void a_worker_that_never_came_is_not_found() {
        assertThat(asked(() -> world.store().workers().describe(SessionId.mint())))
                .isNotFound("session");
    }

    @Test
    void a_dead_worker_is_known_for_as_long_as_events_name_it_and_then_forgotten() {
        world.submit();
        var frail = world.frailWorker();
        frail.claimOne();
        world.bury(frail);

        world.pass(Duration.ofDays(8));
        assertThat(listed(Scope.ALL)).extracting(WorkerView::session).contains(frail.session());

        world.pass(Duration.ofDays(3));
        assertThat(listed(Scope.ALL)).isEmpty();
        assertThat(asked(() -> view(frail.session()))).isNotFound("session");
    }

    private WorkerView view(Session session) {
        return world.store().workers().describe(session.id());
    }

    private List<SessionId> idsOnPagesOf(int size) {
        return Everything.pages(after -> list(Scope.ALL, after, size)).stream()
                .map(view -> view.session().id())
                .toList();
    }

    private List<WorkerView> listed(Scope scope) {
        return list(scope, Cursor.START, 100).items();
    }

    private Page<WorkerView> list(Scope scope, Cursor after, int max) {
        return world.store().workers().list(Namespace.DEFAULT, scope, after, max);
    }
}
