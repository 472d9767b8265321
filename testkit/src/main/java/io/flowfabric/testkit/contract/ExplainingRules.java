package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.cancel;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.delay;
import static io.flowfabric.testkit.contract.Endings.fail;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.unknown;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Partition;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.StateVector.BlockingReason;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** Rule 8: why an execution is not running, with the facts. */
abstract class ExplainingRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final String SIGNED = ", by olga: she was asked to";

    ExplainingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void what_nobody_knows_cannot_be_explained() {
        var known = world.submit();
        var misspelt =
                new ExecutionId(
                        new Partition((known.partition().number() + 1) % 256), known.uuid());

        assertThat(asked(() -> world.explain(unknown()))).isNotFound("execution");
        assertThat(asked(() -> world.explain(misspelt))).isNotFound("execution");
    }

    @Test
    void what_cannot_be_read_cannot_be_explained() {
        var work = world.submit();
        world.poison(work);

        assertThat(asked(() -> world.explain(work))).isUnreadable();
    }

    @Test
    void ready_work_without_any_worker_says_that_nobody_is_there() {
        var explanation = world.explain(world.submit());

        assertThat(explanation.words())
                .isEqualTo("ready: no live worker in lane default/default; nothing is ahead of it");
        assertThat(explanation.reason()).isEqualTo(BlockingReason.WAITING_FOR_WORKER);
        assertThat(explanation.nextTry()).isEmpty();
        assertThat(explanation.facts())
                .containsExactly(
                        new Fact.Workers(Lane.DEFAULT, 0, 0, 0, Optional.empty()),
                        Fact.Ahead.of(0),
                        new Fact.Step(Transition.SUBMIT, world.now(), Optional.empty()));
    }

    @Test
    void ready_work_says_who_could_take_it_and_what_is_ahead_of_it() {
        world.submit();
        var work = world.submit();
        world.worker();
        world.worker(world.session(Lane.DEFAULT).kinds("something-else"));
        world.worker(world.newLane());

        assertThat(world.explain(work).words())
                .isEqualTo(
                        "ready: 1 of 2 live workers in lane default/default can take it, holding"
                                + " nothing; 1 execution is ahead of it");
    }

    @Test
    void ready_work_says_how_much_those_hold_who_could_take_it() {
        var lane = world.newLane();
        world.submit(6, () -> work().lane(lane));
        world.submit(2, () -> work().lane(Lane.DEFAULT));
        world.worker(lane).claim(2);
        world.worker(lane, Lane.DEFAULT).claim(3);
        world.worker(world.session(lane).kinds("job", "print")).close();
        world.claimByHand(world.submit(), world.worker(world.session(lane).kinds("print")))
                .orThrow();
        var work = world.submit(work().lane(lane));

        assertThat(world.explain(work).facts())
                .startsWith(new Fact.Workers(lane, 3, 2, 5, Optional.empty()));
    }

    @Test
    void ready_work_that_nobody_has_noticed_to_be_past_its_deadline_says_so() {
        var work = world.submit(Policy.DEFAULT.deadline(Due.in(MINUTE)));
        var deadline = world.in(MINUTE);
        assertThat(world.explain(work).facts()).contains(new Fact.Deadline(deadline));

        world.advance(MINUTE);

        assertThat(world.explain(work).words())
                .isEqualTo(
                        "its deadline passed at %s; it expires as soon as the engine looks"
                                .formatted(deadline));
        assertThat(world.explain(work).state()).isEqualTo(world.view(work).state());
    }

    @Test
    void delayed_work_says_until_when_and_who_asked_for_it() {
        var delayed = world.submit(Policy.DEFAULT.start(Due.in(MINUTE)));
        var lease = world.begun();
        world.end(delay(lease, MINUTE)).orThrow();
        var until = world.in(MINUTE);

        var submitted = world.explain(delayed);
        assertThat(submitted.words())
                .isEqualTo("delayed until %s, as its submission asked".formatted(until));
        assertThat(submitted.nextTry()).contains(until);
        assertThat(submitted.facts())
                .startsWith(new Fact.Delay(until, DelayedBy.REQUEST, LeasePurpose.FIRST));
        assertThat(world.explain(idOf(lease)).words())
                .isEqualTo("delayed until %s, as its worker asked".formatted(until));

        world.advance(MINUTE);
        assertThat(world.explain(delayed).words())
                .isEqualTo(
                        "its delay was over at %s; it becomes ready as soon as the engine looks"
                                .formatted(until));
    }

    @Test
    void work_that_backs_off_names_the_failure() {
        var lease = world.begun();
        world.end(retry(lease, MINUTE)).orThrow();

        var explanation = world.explain(idOf(lease));

        assertThat(explanation.words())
                .isEqualTo(
                        "backing off until %s; retry 1 of 3, after transient: the printer is on fire"
                                .formatted(world.in(MINUTE)));
        assertThat(explanation.reason()).isEqualTo(BlockingReason.WAITING_FOR_RETRY_BACKOFF);
        assertThat(explanation.nextTry()).contains(world.in(MINUTE));
        assertThat(explanation.facts()).contains(new Fact.LastFailure(Endings.FAILURE, 1, 3));
    }

    @Test
    void held_work_says_who_holds_it_and_what_it_goes_back_to() {
        var work = world.submit(Policy.DEFAULT.start(Due.in(MINUTE)));
        var until = world.in(MINUTE);
        world.advance(Duration.ofSeconds(1));
        var held = world.now();
        world.pause(work);
        world.advance(Duration.ofSeconds(1));
        world.act(new OperatorCommand.Reprioritise(work, 7)).orThrow();

        var explanation = world.explain(work);

        assertThat(explanation.words()).isEqualTo("held since %s%s".formatted(held, SIGNED));
        assertThat(explanation.reason()).isEqualTo(BlockingReason.PAUSED_BY_OPERATOR);
        assertThat(explanation.nextTry()).isEmpty();
        assertThat(explanation.facts())
                .containsExactly(
                        new Fact.Step(Transition.PAUSE, held, Optional.of(Scenario.OLGA)),
                        new Fact.Delay(until, DelayedBy.REQUEST, LeasePurpose.FIRST));
    }

    @Test
    void work_in_a_closed_lane_says_who_closed_it_when_and_why() {
        var lane = world.newLane();
        world.submit(work().lane(lane));
        world.worker(lane).claimOne();
        var work = world.submit(work().lane(lane));
        close(lane, LaneSettings.State.PAUSED, new Attribution("ada", "the mail server is down"));
        world.advance(MINUTE);
        var since = world.now();
        var ben = new Attribution("ben", "it will stay down");
        close(lane, LaneSettings.State.DISABLED, ben);
        world.advance(MINUTE);
        // Another lane, and work that goes on in this one, have nothing to do with it.
        world.configure(world.newLane(), LaneSettings.State.PAUSED);
        world.act(new OperatorCommand.Reprioritise(work, 7)).orThrow();

        var explanation = world.explain(work);

        assertThat(explanation.words())
                .isEqualTo(
                        "lane %s is disabled since %s, by ben: it will stay down"
                                .formatted(lane, since));
        assertThat(explanation.nextTry()).isEmpty();
        assertThat(explanation.facts())
                .startsWith(
                        new Fact.ClosedLane(
                                lane, LaneSettings.State.DISABLED, since, Optional.of(ben)),
                        new Fact.Workers(lane, 1, 1, 1, Optional.empty()));
    }

    @Test
    void work_that_nobody_can_take_says_what_none_of_them_has() {
        var work = world.submit(Policy.DEFAULT.needs(Capabilities.of("gpu")));
        world.worker();
        world.worker();

        var explanation = world.explain(work);

        var why = "needs gpu; 2 live workers in lane default/default, none has gpu";
        assertThat(explanation.words()).isEqualTo(why);
        assertThat(explanation.reason()).isEqualTo(BlockingReason.WAITING_FOR_CAPABLE_WORKER);
        assertThat(explanation.facts())
                .startsWith(new Fact.Workers(Lane.DEFAULT, 2, 0, 0, Optional.of(why)));
    }

    @Test
    void running_work_says_where_since_when_and_how_far_it_is() {
        world.submit();
        var worker = world.frailWorker();
        var lease = worker.claimOne();
        var since = world.now();
        world.advance(Duration.ofSeconds(5));
        worker.beat(lease.fence()).orThrow();
        var heard = world.now();
        world.advance(Duration.ofSeconds(1));
        world.report(lease, 40).orThrow();

        var explanation = world.explain(idOf(lease));

        assertThat(explanation.words())
                .isEqualTo(
                        "running on worker worker-1, instance worker-1-instance, since %s, last"
                                        .formatted(since)
                                + " heard of at %s; 40 %% done at %s: on it"
                                        .formatted(heard, world.now()));
        assertThat(explanation.facts())
                .containsExactly(
                        new Fact.Holder(
                                worker.owner(), since, heard, heard.plus(worker.session().ttl())),
                        new Fact.Reported(new ExecutionView.Done(40, "on it", world.now())),
                        new Fact.Step(Transition.CLAIM, since, Optional.empty()));
    }

    @Test
    void running_work_of_a_worker_that_nobody_has_noticed_to_be_dead_says_so() {
        world.submit();
        var worker = world.frailWorker();
        var lease = worker.claimOne();
        var died = world.in(worker.session().ttl());
        world.advance(worker.session().ttl());

        assertThat(world.explain(idOf(lease)).words())
                .isEqualTo(
                        "its worker worker-1, instance worker-1-instance, died at %s; it returns to"
                                        .formatted(died)
                                + " the queue as soon as the engine looks");
    }

    @Test
    void work_that_has_ended_says_how_when_and_by_whom() {
        var completed = world.begun();
        world.end(complete(completed)).orThrow();
        var failed = world.begun();
        world.end(fail(failed)).orThrow();
        var givenUp = world.begun();
        world.end(cancel(givenUp)).orThrow();
        var cancelled = world.begun();
        world.end(retry(cancelled, Duration.ZERO)).orThrow();
        world.cancel(idOf(cancelled));
        var now = world.now();

        assertThat(words(completed.fence().execution())).isEqualTo("completed at " + now);
        assertThat(words(failed.fence().execution()))
                .isEqualTo("failed at %s; transient: the printer is on fire".formatted(now));
        assertThat(words(givenUp.fence().execution()))
                .isEqualTo("cancelled at %s; cancelled: no longer wanted".formatted(now));
        assertThat(words(idOf(cancelled))).isEqualTo("cancelled at %s%s".formatted(now, SIGNED));
        assertThat(world.explain(idOf(cancelled)).facts())
                .containsExactly(
                        new Fact.End(Outcome.CANCELLED, now),
                        new Fact.LastFailure(Endings.FAILURE, 1, 3),
                        new Fact.Step(Transition.CANCEL, now, Optional.of(Scenario.OLGA)));
    }

    @Test
    void who_held_work_is_left_out_once_it_is_forgotten_and_who_closed_a_lane_never_is() {
        var held = world.submit();
        world.pause(held);
        var lane = world.newLane();
        var waiting = world.submit(work().lane(lane));
        world.configure(lane, LaneSettings.State.PAUSED);
        var since = world.now();

        world.pass(Duration.ofDays(9));

        assertThat(words(held)).isEqualTo("held by an operator: she was asked to");
        assertThat(words(waiting))
                .isEqualTo(
                        "lane %s is paused since %s, by olga: she was asked to"
                                .formatted(lane, since));
        assertThat(world.explain(held).facts(Fact.Step.class)).isEmpty();
    }

    private String words(ExecutionId execution) {
        return world.explain(execution).words();
    }

    private void close(Lane lane, LaneSettings.State state, Attribution by) {
        world.store().lanes().configure(lane, LaneSettings.DEFAULT.state(state), by);
    }
}
