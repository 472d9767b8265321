package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.HeartbeatResult;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Rule 4: a session lives by its heartbeats, and dies once and for good. */
abstract class SessionRules extends Rules {
    private static final Duration TTL = Session.DEFAULT_TTL;

    SessionRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_session_lives_for_its_ttl_from_the_last_sign_of_life() {
        var session = world.session(Lane.DEFAULT);

        assertThat(world.store().sessions().open(session).aliveUntil()).isEqualTo(world.in(TTL));

        world.pass(TTL.minusMillis(1));
        assertThat(beat(session.id())).isDone(new HeartbeatResult(world.in(TTL), Set.of(), 0));

        world.pass(TTL.minusMillis(1));
        assertThat(beat(session.id())).isDone(new HeartbeatResult(world.in(TTL), Set.of(), 0));
    }

    @Test
    void heartbeats_keep_the_work_as_well() {
        var work = world.submit();
        var frail = world.frailWorker();
        var lease = frail.claimOne();

        for (int i = 0; i < 5; i++) {
            world.pass(TTL.minusMillis(1));
            frail.beat(lease.fence()).orThrow();
        }

        assertThat(world.view(work)).isHeldBy(frail).hasLapsed(0);
        assertThat(world.end(complete(lease))).isDone();
    }

    @Test
    void a_heartbeat_tells_how_many_leases_the_session_has() {
        world.submit(4, Given::work);
        var worker = world.worker();
        var leases = worker.claim(3);
        world.worker().claimOne();
        assertThat(worker.beat().orThrow().leases()).isEqualTo(3);

        world.end(complete(leases.get(0))).orThrow();
        world.revoke(idOf(leases.get(1)));

        assertThat(worker.beat().orThrow().leases()).isEqualTo(1);
    }

    /** Or a worker would take a lease that it cannot know for one whose end the store has lost. */
    @Test
    void a_heartbeat_does_not_count_what_operators_have_claimed_for_the_session() {
        var frail = world.frailWorker();
        var byHand = world.submit();
        world.claimByHand(byHand, frail).orThrow();
        assertThat(frail.beat().orThrow().leases()).isZero();

        world.submit();
        var asked = frail.claimOne();
        world.claimByHand(idOf(asked), frail).orThrow();
        assertThat(frail.beat().orThrow().leases()).isEqualTo(1);

        world.bury(frail);
        assertThat(world.view(byHand)).as("it lapses with the session").hasLapsed(1);
    }

    @Test
    @BatchAnswers("P23")
    void a_session_that_has_run_out_is_dead_before_anybody_has_noticed() {
        var frail = world.frailWorker();

        world.advance(TTL);

        isDeadForGood(frail);
    }

    @Test
    void a_session_that_was_buried_never_lives_again() {
        var frail = world.frailWorker();

        world.bury(frail);

        isDeadForGood(frail);
        world.pass(Duration.ofHours(2));
        isDeadForGood(frail);
    }

    @Test
    void a_session_that_was_closed_never_lives_again() {
        var worker = world.worker();

        worker.close();

        isDeadForGood(worker);
    }

    @Test
    void a_session_that_was_never_opened_is_not_found() {
        assertThat(beat(SessionId.mint())).isNotFound("session");
    }

    @Test
    void opening_again_is_a_sign_of_life() {
        var frail = world.frailWorker();
        var feed = world.feed(FeedFilter.of(Topic.LEASES));
        world.pass(Duration.ofSeconds(20));

        var until = world.store().sessions().open(frail.session()).aliveUntil();

        assertThat(until).isEqualTo(world.in(TTL));
        assertThat(feed.read())
                .containsExactly(
                        new Event.Renewal(
                                frail.owner(), frail.session().namespace(), world.now(), until));
        world.pass(TTL.minusMillis(1));
        assertThat(frail.beat()).isDone();
    }

    @Test
    void a_session_id_is_not_given_to_other_content() {
        var worker = world.worker();
        List<UnaryOperator<Session>> changes =
                List.of(
                        it -> it.kinds("another"),
                        it -> it.offers(Capabilities.of("gpu")),
                        it -> it.ttl(TTL),
                        it -> it.namespace(Scenario.ELSEWHERE),
                        it -> Session.of(it.worker(), "elsewhere", "default").id(it.id()),
                        it -> Session.of("somebody", it.instance(), "default").id(it.id()));

        for (var change : changes) {
            var changed = change.apply(worker.session());
            assertThat(asked(() -> world.store().sessions().open(changed)))
                    .as("%s", changed)
                    .isConflict(Conflict.Code.SESSION_TAKEN);
        }
        assertThat(worker.beat()).isDone();
    }

    @Test
    void one_dead_session_never_fails_the_heartbeats_of_the_others() {
        var dead = world.worker();
        dead.close();
        var alive = world.worker();

        var answers =
                world.store()
                        .sessions()
                        .heartbeat(
                                List.of(
                                        Heartbeat.of(dead.session().id()),
                                        Heartbeat.of(alive.session().id())));

        assertThat(answers.get(0)).isNotFound("session");
        assertThat(answers.get(1)).isDone();
    }

    @Test
    void a_heartbeat_tells_which_of_its_leases_are_lost() {
        world.submit(4, Given::work);
        var worker = world.worker();
        var leases = new ArrayList<>(worker.claim(4));
        var other = world.begun();
        world.cancel(idOf(leases.get(0)));
        world.revoke(idOf(leases.get(1)));
        world.end(complete(leases.get(2))).orThrow();

        leases.add(other);
        var held = leases.stream().map(Lease::fence).toArray(Fence[]::new);
        var beat = worker.beat(held).orThrow();

        assertThat(beat.lost())
                .containsExactlyInAnyOrder(
                        leases.get(0).fence(),
                        leases.get(1).fence(),
                        leases.get(2).fence(),
                        other.fence());
    }

    @Test
    void a_lease_taken_again_by_the_same_worker_does_not_revive_the_old_one() {
        world.submit();
        var worker = world.worker();
        var old = worker.claimOne();
        world.end(release(old)).orThrow();
        var fresh = worker.claimOne();

        var beat = worker.beat(old.fence(), fresh.fence()).orThrow();

        assertThat(beat.lost()).containsExactly(old.fence());
    }

    private void isDeadForGood(ScenarioWorker worker) {
        assertThat(worker.beat()).isNotFound("session");
        assertThat(asked(() -> worker.claim(1))).isNotFound("session");
        assertThat(asked(() -> world.store().sessions().open(worker.session())))
                .isNotFound("session");
    }

    private Answer<HeartbeatResult> beat(SessionId session) {
        return world.store().sessions().heartbeat(List.of(Heartbeat.of(session))).getFirst();
    }
}
