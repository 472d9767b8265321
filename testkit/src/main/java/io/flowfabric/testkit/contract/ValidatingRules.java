package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.unknown;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.Collections.nCopies;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Denied;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.stream.Append;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Rule 19: a refused call leaves no trace. */
abstract class ValidatingRules extends Rules {
    private static final int TOO_MANY = (int) Limit.BATCH.max() + 1;

    ValidatingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    @BatchAnswers("W23")
    void a_call_with_too_many_items_is_refused_as_a_whole() {
        world.submit();
        var worker = world.worker();
        var lease = worker.claimOne();
        var store = world.store();
        var many = Stream.generate(Given::work).limit(TOO_MANY).toList();

        leavesNoTrace(() -> store.submissions().submit(many));
        leavesNoTrace(() -> store.sessions().heartbeat(beats(worker)));
        leavesNoTrace(() -> store.leases().end(nCopies(TOO_MANY, complete(lease))));
        leavesNoTrace(() -> store.leases().progress(nCopies(TOO_MANY, done(lease))));
        var checkpoint = new Checkpoint(lease.fence(), "pay", Payload.EMPTY);
        leavesNoTrace(() -> store.leases().checkpoint(nCopies(TOO_MANY, checkpoint)));
        var append = Append.durable(lease.fence(), 0, "said", Payload.EMPTY);
        leavesNoTrace(() -> store.leases().append(nCopies(TOO_MANY, append)));
        leavesNoTrace(() -> store.operations().act(cancels(idOf(lease)), Scenario.OLGA));
        leavesNoTrace(() -> store.queries().describe(nCopies(TOO_MANY, idOf(lease))));
        leavesNoTrace(() -> store.queries().inputs(nCopies(TOO_MANY, idOf(lease))));
        leavesNoTrace(() -> store.queries().results(nCopies(TOO_MANY, idOf(lease))));
        assertThat(world.end(complete(lease))).isDone();
    }

    @Test
    @BatchAnswers("W23")
    void a_refused_submission_leaves_no_lane_behind() {
        var taken = work().key("order-7");
        world.submit(taken);
        var closed = world.newLane();
        world.configure(closed, LaneSettings.State.DISABLED);
        var untouched = world.newLane();
        var before = world.everything();

        var answers =
                world.store()
                        .submissions()
                        .submit(
                                List.of(
                                        work().lane(untouched).key("order-7"),
                                        taken.lane(untouched),
                                        work().lane(closed).key("order-8")));

        assertThat(answers.get(0)).isConflict(Conflict.Code.KEY_TAKEN);
        assertThat(answers.get(1)).isConflict(Conflict.Code.ID_TAKEN);
        assertThat(answers.get(2)).isDenied(Denied.Code.LANE_CLOSED);
        assertThat(world.everything()).isEqualTo(before);
        assertThat(asked(() -> world.store().lanes().describe(untouched))).isNotFound("lane");
    }

    @Test
    void a_refused_submission_takes_neither_the_id_nor_the_key() {
        world.configure(Lane.DEFAULT, LaneSettings.State.DISABLED);
        var refused = work().key("order-7");
        assertThat(world.offer(refused)).isDenied(Denied.Code.LANE_CLOSED);
        assertThat(world.describe(refused.id())).isNotFound("execution");

        world.configure(Lane.DEFAULT, LaneSettings.State.ACTIVE);

        assertThat(world.offer(refused.creator("somebody else")).orThrow().created()).isTrue();
    }

    @Test
    @BatchAnswers("W23")
    void a_refused_claim_leaves_the_work_where_it_was() {
        var work = world.submit();
        var frail = world.frailWorker();
        var acknowledged = world.worker();
        acknowledged.beat(5).orThrow();
        world.advance(frail.session().ttl());
        var before = world.everything();

        assertThat(asked(() -> frail.claim(1))).isNotFound("session");
        assertThat(asked(() -> acknowledged.claim(5, 1))).isInvalid(Invalid.Code.CLAIM_NUMBER_USED);
        assertThat(world.claimByHand(work, frail)).isNotFound("session");

        assertThat(world.everything()).isEqualTo(before);
        assertThat(world.worker().take(1)).containsExactly(work);
    }

    @Test
    void a_claim_of_nothing_or_of_too_much_is_refused() {
        var session = world.worker().session().id();

        for (int max : new int[] {-1, 0, 257}) {
            assertThat(asked(() -> new Claim(session, 1, max)))
                    .isInvalid(Invalid.Code.OUT_OF_RANGE);
        }
        assertThat(asked(() -> new Claim(session, 0, 1))).isInvalid(Invalid.Code.OUT_OF_RANGE);
    }

    @Test
    void a_refused_act_leaves_no_trace() {
        var done = world.begun();
        world.end(complete(done)).orThrow();
        var ready = world.submit();
        var before = world.everything();

        assertThat(world.act(new OperatorCommand.Cancel(idOf(done))))
                .isConflict(Conflict.Code.ALREADY_FINISHED);
        assertThat(world.act(new OperatorCommand.Fail(idOf(done), Endings.FAILURE)))
                .isConflict(Conflict.Code.ALREADY_FINISHED);
        assertThat(world.act(new OperatorCommand.Resume(ready)))
                .isConflict(Conflict.Code.NOT_WAITING);
        assertThat(world.act(new OperatorCommand.Replay(ready)))
                .isConflict(Conflict.Code.NOT_FINISHED);
        assertThat(world.claimByHand(idOf(done), world.worker()))
                .isConflict(Conflict.Code.ALREADY_FINISHED);

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void an_act_on_unknown_work_leaves_no_trace() {
        List<Function<ExecutionId, OperatorCommand>> acts =
                List.of(
                        OperatorCommand.Cancel::new,
                        id -> new OperatorCommand.Complete(id, Endings.RESULT),
                        id -> new OperatorCommand.Fail(id, Endings.FAILURE),
                        OperatorCommand.Pause::new,
                        OperatorCommand.Resume::new,
                        OperatorCommand.Revoke::new,
                        id -> new OperatorCommand.Reprioritise(id, 5),
                        OperatorCommand.Replay::new);
        var before = world.everything();

        for (var act : acts) {
            assertThat(world.act(act.apply(unknown()))).isNotFound("execution");
        }
        assertThat(world.claimByHand(unknown(), world.worker())).isNotFound("execution");
        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    @BatchAnswers("P30")
    void nobody_acts_without_a_name_and_a_reason() {
        assertThat(asked(() -> new Attribution("", "a reason"))).isInvalid(Invalid.Code.EMPTY);
        assertThat(asked(() -> new Attribution("olga", ""))).isInvalid(Invalid.Code.EMPTY);
    }

    @Test
    void what_was_refused_is_accepted_once_it_is_right() {
        var lease = world.begun();
        world.pause(idOf(lease));
        assertThat(world.end(release(lease))).isLeaseLost();

        world.resume(idOf(lease));
        var next = world.worker(lease.lane()).claimOne();

        assertThat(world.end(complete(next))).isDone();
        assertThat(world.view(lease)).endedAs(Outcome.SUCCESS);
    }

    private <T> void leavesNoTrace(Supplier<List<Answer<T>>> call) {
        var before = world.everything();
        assertThat(asked(call)).isInvalid(Invalid.Code.TOO_MANY);
        assertThat(world.everything()).isEqualTo(before);
    }

    private static List<Heartbeat> beats(ScenarioWorker worker) {
        return nCopies(TOO_MANY, Heartbeat.of(worker.session().id()));
    }

    private static Progress done(Lease lease) {
        return new Progress(lease.fence(), 100, "");
    }

    private static List<OperatorCommand> cancels(ExecutionId work) {
        return nCopies(TOO_MANY, new OperatorCommand.Cancel(work));
    }
}
