package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.cancel;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.delay;
import static io.flowfabric.testkit.contract.Endings.everyEnding;
import static io.flowfabric.testkit.contract.Endings.fail;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.query.Result;
import io.flowfabric.core.state.ExecutionState.Finished;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.StateVector.AttemptState;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Rule 5: whatever ends an execution ends all of it, once, and for good. */
abstract class EndingRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    EndingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    @BatchAnswers({"P51", "W19"})
    void every_end_is_told_once() {
        var feed = world.feed(FeedFilter.of(Topic.COMPLETIONS));

        var ends = endInEveryWay();

        assertThat(FeedReader.steps(feed.read()))
                .extracting(Event.Step::execution)
                .containsExactlyInAnyOrderElementsOf(ends.keySet());
    }

    @Test
    @BatchAnswers({"P16", "W19"})
    void every_end_reads_as_the_outcome_that_it_was() {
        endInEveryWay()
                .forEach(
                        (work, outcome) -> {
                            assertThat(world.view(work)).endedAs(outcome);
                            assertThat(world.result(work).orThrow().outcome()).isEqualTo(outcome);
                            assertThat(world.lastStep(work).now())
                                    .isEqualTo(world.view(work).state().situation());
                        });
    }

    @Test
    @BatchAnswers({"P23", "P53", "W12", "W26"})
    void what_has_ended_never_changes_again() {
        var ends = endInEveryWay();
        var before = world.everything();

        ends.keySet().forEach(this::tryEverythingWith);
        world.tick();
        assertThat(world.everything()).isEqualTo(before);

        // Behind every timer there was, and behind the life of every session there was.
        world.pass(Duration.ofHours(2));
        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    @BatchAnswers({"P53", "W12"})
    void what_has_ended_is_not_handed_out() {
        var ends = endInEveryWay();
        world.pass(Duration.ofMinutes(2));

        for (var work : ends.keySet()) {
            assertThat(world.worker(world.view(work).lane()).claim(1)).isEmpty();
        }
    }

    @Test
    @BatchAnswers("W12")
    void an_end_takes_the_work_out_of_its_workers_hands() {
        world.submit();
        var worker = world.worker();
        var lease = worker.claimOne();
        world.cancel(idOf(lease));

        assertThat(worker.repeatClaim(1)).isEmpty();
        assertThat(worker.beat(lease.fence()).orThrow().lost()).containsExactly(lease.fence());
        worker.close();
        assertThat(world.view(lease)).endedAs(Outcome.CANCELLED).hasLapsed(0);
    }

    @Test
    void an_end_has_its_moment_and_an_attempt_that_is_over() {
        var lease = world.begun();
        world.advance(MINUTE);

        world.end(complete(lease)).orThrow();

        assertThat(world.view(lease))
                .reads(new Finished(Outcome.SUCCESS, world.now(), AttemptState.ATTEMPT_TERMINAL));
    }

    @Test
    void a_success_has_a_result_and_a_failure_has_a_failure() {
        var succeeded = world.begun();
        var failed = world.begun();
        var cancelled = world.begun();

        world.end(complete(succeeded)).orThrow();
        world.end(fail(failed)).orThrow();
        world.end(cancel(cancelled)).orThrow();

        assertThat(world.result(idOf(succeeded)))
                .isDone(
                        new Result(
                                Outcome.SUCCESS,
                                Optional.of(Endings.RESULT),
                                Optional.empty(),
                                Optional.empty()));
        assertThat(world.result(idOf(failed)))
                .isDone(
                        new Result(
                                Outcome.FAILED,
                                Optional.empty(),
                                Optional.of(Endings.FAILURE),
                                Optional.empty()));
        assertThat(world.result(idOf(cancelled)).orThrow().result()).isEmpty();
        assertThat(world.view(failed).failure()).contains(Endings.FAILURE);
    }

    @Test
    void the_holder_that_ends_its_lease_is_named_and_nobody_else() {
        var lease = world.begun();

        world.end(fail(lease)).orThrow();

        var end = world.lastStep(idOf(lease));
        assertThat(end.transition()).isEqualTo(Transition.FAIL);
        assertThat(end.now()).isEqualTo(Situation.FAILED);
        assertThat(end.owner().orElseThrow().session()).isEqualTo(lease.session());
        assertThat(end.by()).isEmpty();
        assertThat(end.failure()).contains(Endings.FAILURE);
        assertThat(end.leaseChange()).contains(Event.LeaseChange.RELEASED);
    }

    /** Ends one execution in each way there is, from each state there is. */
    private Map<ExecutionId, Outcome> endInEveryWay() {
        var ends = new LinkedHashMap<ExecutionId, Outcome>();
        for (var live : liveInEveryState()) {
            world.cancel(live);
            ends.put(live, Outcome.CANCELLED);
        }
        for (var live : liveInEveryState()) {
            world.act(new OperatorCommand.Complete(live, Endings.RESULT)).orThrow();
            ends.put(live, Outcome.SUCCESS);
        }
        for (var live : liveInEveryState()) {
            world.act(new OperatorCommand.Fail(live, Endings.FAILURE)).orThrow();
            ends.put(live, Outcome.FAILED);
        }
        ends.put(finished(Endings::complete), Outcome.SUCCESS);
        ends.put(finished(Endings::fail), Outcome.FAILED);
        ends.put(finished(Endings::cancel), Outcome.CANCELLED);
        ends.put(lapsedTooOften(), Outcome.FAILED);
        var expiring = liveInEveryState();
        var timed = world.begun(busy().attemptTimeout(MINUTE).retry(Retry.NEVER));
        world.pass(MINUTE);
        ends.put(idOf(timed), Outcome.FAILED);
        world.pass(MINUTE);
        expiring.forEach(live -> ends.put(live, Outcome.EXPIRED));
        return ends;
    }

    /** One execution in each state that is not the end. */
    private List<ExecutionId> liveInEveryState() {
        var ready = world.submit(work(busy()).lane(world.newLane()));
        var delayed = world.submit(busy().start(Due.in(MINUTE.plusSeconds(30))));
        var running = world.begun(busy());
        var backingOff = world.begun(busy());
        world.end(retry(backingOff, MINUTE.plusSeconds(30))).orThrow();
        var letGo = world.begun(busy());
        world.end(delay(letGo, MINUTE.plusSeconds(30))).orThrow();
        var held = world.submit(work(busy()).lane(world.newLane()));
        world.pause(held);
        return List.of(ready, delayed, idOf(running), idOf(backingOff), idOf(letGo), held);
    }

    /** A policy with every timer set. */
    private static Policy busy() {
        return Policy.DEFAULT
                .deadline(Due.in(MINUTE.multipliedBy(2)))
                .attemptTimeout(MINUTE.multipliedBy(10))
                .stallTimeout(MINUTE.multipliedBy(10));
    }

    private ExecutionId finished(Function<Lease, Ending> ending) {
        var lease = world.begun(busy());
        world.end(ending.apply(lease)).orThrow();
        return idOf(lease);
    }

    private ExecutionId lapsedTooOften() {
        var lease = world.begun(busy().maxReclaims(0));
        world.store().sessions().close(lease.session());
        return idOf(lease);
    }

    private void tryEverythingWith(ExecutionId work) {
        var view = world.view(work);
        if (view.epoch() > 0) {
            everyEnding(new Fence(work, view.attempts() - 1, view.epoch()))
                    .forEach(ending -> world.end(ending));
        }
        world.act(new OperatorCommand.Cancel(work));
        world.act(new OperatorCommand.Complete(work, Endings.RESULT));
        world.act(new OperatorCommand.Fail(work, Failure.of(Failure.PERMANENT, "another failure")));
        for (var act :
                List.of(
                        new OperatorCommand.Pause(work),
                        new OperatorCommand.Resume(work),
                        new OperatorCommand.Revoke(work),
                        new OperatorCommand.Reprioritise(work, 9))) {
            assertThat(world.act(act)).isConflict(Conflict.Code.ALREADY_FINISHED);
        }
    }
}
