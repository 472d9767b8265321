package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.delay;
import static io.flowfabric.testkit.contract.Endings.fail;
import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.unknown;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/** Rule 20: reads never lie. */
abstract class ReadingRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    ReadingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_new_execution_reads_as_it_was_submitted() {
        var policy = Policy.DEFAULT.priority(7).deadline(Due.in(MINUTE)).attemptTimeout(MINUTE);
        var submission =
                work(policy).creator("ada").key("order-7").tag("colour", "red").tag("size", "xl");

        world.submit(submission);

        assertThat(world.view(submission.id()))
                .isEqualTo(
                        new ExecutionView(
                                submission.id(),
                                submission.lane(),
                                submission.kind(),
                                "ada",
                                Optional.of("order-7"),
                                submission.tags(),
                                policy,
                                new Ready(LeasePurpose.FIRST),
                                7,
                                0,
                                0,
                                0,
                                0,
                                0,
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.of(world.in(MINUTE)),
                                world.now(),
                                world.now()));
    }

    @Test
    @BatchAnswers({"P14", "P15", "P17"})
    void the_public_state_follows_every_step_in_every_reading() {
        var work = world.submit();
        readsEverywhereAs(PublicState.WAITING, work);
        var worker = world.worker();
        var lease = worker.claimOne();
        readsEverywhereAs(PublicState.ACTIVE, work);
        world.end(delay(lease, MINUTE)).orThrow();
        readsEverywhereAs(PublicState.DELAYED, work);
        world.pass(MINUTE);
        readsEverywhereAs(PublicState.WAITING, work);
        world.end(retry(worker.claimOne(), MINUTE)).orThrow();
        readsEverywhereAs(PublicState.DELAYED, work);
        world.pause(work);
        readsEverywhereAs(PublicState.WAITING, work);
        world.resume(work);
        readsEverywhereAs(PublicState.DELAYED, work);
        world.pass(MINUTE);
        world.end(fail(worker.claimOne())).orThrow();
        readsEverywhereAs(PublicState.FAILED, work);
        world.replay(work);
        readsEverywhereAs(PublicState.WAITING, work);
        world.end(complete(worker.claimOne())).orThrow();
        readsEverywhereAs(PublicState.COMPLETED, work);
    }

    @Test
    @BatchAnswers("P14")
    void what_ended_by_itself_reads_as_ended_everywhere() {
        var expired = world.submit(Policy.DEFAULT.deadline(Due.in(MINUTE)));
        world.pass(MINUTE);
        readsEverywhereAs(PublicState.EXPIRED, expired);

        var cancelled = world.submit(work().lane(world.newLane()));
        world.cancel(cancelled);
        readsEverywhereAs(PublicState.CANCELLED, cancelled);

        var lapsed = world.begun(Policy.DEFAULT.maxReclaims(0));
        world.store().sessions().close(lapsed.session());
        readsEverywhereAs(PublicState.FAILED, idOf(lapsed));
    }

    /** R39: the expiry of a lease can be read, and the ids by which others know it. */
    @Test
    void a_lease_reads_with_its_expiry_and_its_ids() {
        var work = world.submit();
        assertThat(world.view(work).leasedUntil()).isEmpty();
        assertThat(world.view(work).attemptId()).isEmpty();
        var worker = world.worker();
        var lease = worker.claimOne();
        var ttl = worker.session().ttl();

        assertThat(world.view(work).leasedUntil()).contains(world.in(ttl));
        assertThat(world.view(work).fence()).contains(lease.fence());
        assertThat(world.view(work).leaseId()).contains(lease.fence().leaseId());
        assertThat(world.view(work).attemptId()).contains(lease.fence().attemptId());
        world.advance(Duration.ofSeconds(1));
        worker.beat().orThrow();
        assertThat(world.view(work).leasedUntil()).contains(world.in(ttl));

        world.end(retry(lease, MINUTE)).orThrow();
        assertThat(world.view(work).leasedUntil()).isEmpty();
        assertThat(world.view(work).leaseId()).isEmpty();
        assertThat(world.view(work).attemptId()).contains(lease.fence().attemptId());
    }

    @Test
    @BatchAnswers("P15")
    void running_work_reads_as_running_under_its_holder() {
        world.submit();
        var worker = world.worker();
        world.advance(MINUTE);
        var lease = worker.claimOne();

        assertThat(world.view(lease))
                .reads(new Running(worker.session().id(), world.now()))
                .isHeldBy(worker)
                .hasBegun(1);
    }

    @Test
    @BatchAnswers("P15")
    void an_id_of_the_callers_own_making_is_as_good_as_ours() {
        var id = new ExecutionId(new Partition(255), new UUID(0x4242_4242_4242_4242L, -1L));

        world.submit(work().id(id));

        assertThat(world.view(id).id()).isEqualTo(id);
        world.end(complete(world.worker().claimOne())).orThrow();
        assertThat(world.result(id)).isDone();
    }

    @Test
    @BatchAnswers("P17")
    void what_changed_and_when_is_kept_up_to_date() {
        var submitted = world.now();
        var work = world.submit();
        var worker = world.worker();

        world.advance(MINUTE);
        var lease = worker.claimOne();
        assertThat(world.view(work).changed()).isEqualTo(world.now());
        world.advance(MINUTE);
        world.report(lease, 50).orThrow();
        assertThat(world.view(work).changed()).isEqualTo(world.now().minus(MINUTE));
        world.end(release(lease)).orThrow();
        assertThat(world.view(work).changed()).isEqualTo(world.now());
        assertThat(world.view(work).submitted()).isEqualTo(submitted);
    }

    @Test
    void progress_reads_as_it_was_last_reported() {
        var lease = world.begun();
        world.report(lease, 10).orThrow();
        world.advance(MINUTE);

        world.report(lease, 60).orThrow();

        assertThat(world.view(lease).progress())
                .contains(new ExecutionView.Done(60, "on it", world.now()));
    }

    @Test
    void answers_come_in_the_order_of_the_questions() {
        var first = world.submit();
        var second = world.submit();
        var unknown = unknown();

        var answers = world.store().queries().describe(List.of(second, unknown, first, second));

        assertThat(answers.get(0).orThrow().id()).isEqualTo(second);
        assertThat(answers.get(1)).isNotFound("execution");
        assertThat(answers.get(2).orThrow().id()).isEqualTo(first);
        assertThat(answers.get(3)).isEqualTo(answers.get(0));
    }

    @Test
    void unknown_work_is_not_found_by_any_reading() {
        var known = world.submit(work().id(Given.idIn(1)));
        var misplaced = new ExecutionId(new Partition(2), known.uuid());
        var queries = world.store().queries();

        for (var id : List.of(unknown(), misplaced)) {
            assertThat(world.describe(id)).isNotFound("execution");
            assertThat(queries.inputs(List.of(id)).getFirst()).isNotFound("execution");
            assertThat(world.result(id)).isNotFound("execution");
            assertThat(asked(() -> queries.history(id))).isNotFound("execution");
            assertThat(world.act(new OperatorCommand.Cancel(id))).isNotFound("execution");
        }
        assertThat(world.view(known)).reads(new Ready(LeasePurpose.FIRST));
    }

    @Test
    void what_has_not_ended_has_come_to_nothing_yet() {
        var lease = world.begun();

        assertThat(world.result(idOf(lease))).isConflict(Conflict.Code.NOT_FINISHED);
    }

    @Test
    @BatchAnswers("P18")
    void counts_are_the_rows_that_a_search_finds() {
        var busy = world.newLane();
        world.submit(5, () -> work().lane(busy));
        var leases = world.worker(busy).claim(3);
        world.end(complete(leases.get(0))).orThrow();
        world.end(retry(leases.get(1), MINUTE)).orThrow();
        world.submit(2, Given::work);
        world.configure(Lane.DEFAULT, LaneSettings.State.PAUSED);
        world.submit(work().lane(new Lane(Scenario.ELSEWHERE, "lane")));

        assertThat(counts())
                .isEqualTo(
                        Map.of(
                                busy,
                                Map.of(
                                        PublicState.WAITING, 2L,
                                        PublicState.ACTIVE, 1L,
                                        PublicState.COMPLETED, 1L,
                                        PublicState.DELAYED, 1L),
                                Lane.DEFAULT,
                                Map.of(PublicState.WAITING, 2L)))
                .isEqualTo(countedRows());
    }

    @Test
    void an_empty_namespace_has_no_counts() {
        world.submit();

        assertThat(world.store().queries().counts(Scenario.ELSEWHERE)).isEmpty();
    }

    /** In its description, in every search and in the counts; it is alone in its lane. */
    private void readsEverywhereAs(PublicState state, ExecutionId work) {
        var lane = world.view(work).lane();
        var search = Search.in(Namespace.DEFAULT).lane(lane.name());
        assertThat(world.view(work).state().publicState()).isEqualTo(state);
        for (var each : PublicState.values()) {
            assertThat(world.find(search.states(each)))
                    .isEqualTo(each == state ? List.of(work) : List.of());
        }
        assertThat(counts().get(lane)).isEqualTo(Map.of(state, 1L));
    }

    private Map<Lane, Map<PublicState, Long>> counts() {
        return world.store().queries().counts(Namespace.DEFAULT);
    }

    private Map<Lane, Map<PublicState, Long>> countedRows() {
        var counted = new HashMap<Lane, Map<PublicState, Long>>();
        for (var view : world.everything().executions()) {
            if (view.lane().namespace().equals(Namespace.DEFAULT)) {
                counted.computeIfAbsent(view.lane(), lane -> new HashMap<>())
                        .merge(view.state().publicState(), 1L, Long::sum);
            }
        }
        return counted;
    }
}
