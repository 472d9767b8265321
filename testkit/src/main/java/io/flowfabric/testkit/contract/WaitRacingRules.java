package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Endings.UNTIL_APPROVED;
import static io.flowfabric.testkit.contract.Endings.suspend;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;
import static io.flowfabric.testkit.contract.Scenario.OLGA;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.signal.Condition;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.signal.Delivery.Effect;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.signal.Suspension.Behaviour;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Suspended;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.testkit.StoreFixture;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Whoever ends a wait first has ended it, and everybody is told the same. */
abstract class WaitRacingRules extends Rules {
    /** How many waits there are races about; more of them for whoever has the time. */
    private static final int RACES = Integer.getInteger("flowfabric.races", 200);

    private static final int AT_ONCE = 100;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Attribution ADA = new Attribution("ada", "in a hurry");

    WaitRacingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    @BatchAnswers({"P36", "W1"})
    void of_signal_operator_cancel_and_time_exactly_one_ends_a_wait() {
        var chance = new Random(RACES);
        for (int done = 0; done < RACES; done += AT_ONCE) {
            var works = suspended();
            world.advance(HOUR);
            var answers = race(works, chance);
            for (int n = 0; n < AT_ONCE; n++) {
                assertOneWon(works.get(n), answers, n);
            }
        }
    }

    private List<ExecutionId> suspended() {
        var lane = world.newLane();
        world.submit(AT_ONCE, () -> work().lane(lane));
        var leases = world.worker(lane).claim(AT_ONCE);
        world.store()
                .leases()
                .end(
                        leases.stream()
                                .map(
                                        lease ->
                                                suspend(
                                                        lease,
                                                        UNTIL_APPROVED.timeout(
                                                                HOUR, Behaviour.RESUME)))
                                .toList())
                .forEach(Answer::orThrow);
        return leases.stream().map(Given::idOf).toList();
    }

    /** What those were told who took part; each went through the works in an order of its own. */
    private record Told(List<Answer<?>> signals, List<Answer<?>> resumes, List<Answer<?>> cancels) {
        static Told nothing() {
            return new Told(empty(), empty(), empty());
        }

        private static List<Answer<?>> empty() {
            return new ArrayList<>(Collections.nCopies(AT_ONCE, null));
        }
    }

    private Told race(List<ExecutionId> works, Random chance) {
        var told = Told.nothing();
        var orders = new ArrayList<List<Integer>>();
        for (int member = 0; member < 3; member++) {
            var order = new ArrayList<Integer>();
            for (int n = 0; n < AT_ONCE; n++) {
                order.add(n);
            }
            Collections.shuffle(order, chance);
            orders.add(order);
        }
        Crowd.together(
                List.<Callable<Integer>>of(
                        () -> each(orders.get(0), n -> told.signals.set(n, signal(works.get(n)))),
                        () ->
                                each(
                                        orders.get(1),
                                        n ->
                                                told.resumes.set(
                                                        n,
                                                        world.act(
                                                                new OperatorCommand.Resume(
                                                                        works.get(n))))),
                        () ->
                                each(
                                        orders.get(2).subList(0, AT_ONCE / 4),
                                        n ->
                                                told.cancels.set(
                                                        n,
                                                        world.act(
                                                                new OperatorCommand.Cancel(
                                                                        works.get(n))))),
                        () -> {
                            int rung = 0;
                            while (rung < AT_ONCE / 4 && world.tick(Chore.TIMERS, 5).more()) {
                                rung += 5;
                            }
                            return rung;
                        }));
        world.tick();
        return told;
    }

    private static <T> int each(List<T> order, Consumer<T> deed) {
        order.forEach(deed);
        return order.size();
    }

    private Answer<Delivery> signal(ExecutionId work) {
        return world.send(Signal.of(new Waitpoint(work, "boss"), "approved", Payload.EMPTY, ADA));
    }

    private void assertOneWon(ExecutionId work, Told told, int n) {
        var steps = world.steps(work);
        var ends =
                steps.stream()
                        .dropWhile(step -> step.now() != Situation.SUSPENDED)
                        .skip(1)
                        .toList();
        assertThat(ends).as("how the wait of %s ended: %s", work, steps).isNotEmpty();
        var won = ends.getFirst();
        assertThat(ends.stream().filter(step -> step.transition() == Transition.RESUME))
                .as("resumed once at most: %s", steps)
                .hasSizeLessThanOrEqualTo(1);
        boolean resumed = won.transition() == Transition.RESUME;
        var winner = won.by().orElseThrow();
        assertThat(effect(told.signals.get(n)) == Effect.RESUMED)
                .as("what the sender was told: %s", steps)
                .isEqualTo(resumed && winner.equals(ADA));
        assertThat(told.resumes.get(n) instanceof Answer.Done)
                .as("what the operator was told: %s", steps)
                .isEqualTo(resumed && winner.equals(OLGA));
        assertThat(world.recorded(work)).hasSize(resumed ? 1 : 0);
        assertThat(world.store().signals().waitpoints(work)).isEmpty();
    }

    private static @Nullable Effect effect(Answer<?> answer) {
        return answer instanceof Answer.Done<?>(Delivery delivery) ? delivery.effect() : null;
    }

    @Test
    void a_signal_that_comes_while_its_execution_is_suspended_is_not_lost() {
        for (int done = 0; done < RACES; done += AT_ONCE) {
            var lane = world.newLane();
            world.submit(AT_ONCE, () -> work().lane(lane));
            var leases = world.worker(lane).claim(AT_ONCE);
            Crowd.together(
                    List.<Callable<Integer>>of(
                            () -> each(leases, lease -> signal(idOf(lease)).orThrow()),
                            () ->
                                    each(
                                            leases,
                                            lease ->
                                                    world.end(suspend(lease, UNTIL_APPROVED))
                                                            .orThrow())));
            for (Lease lease : leases) {
                assertThat(world.view(lease).state())
                        .as("what came of %s", world.steps(idOf(lease)))
                        .isInstanceOf(Ready.class);
                assertThat(world.received(idOf(lease))).hasSize(1);
            }
        }
    }

    @Test
    void signals_that_come_together_all_count() {
        int senders = 4;
        var lease =
                world.suspended(
                        Suspension.until(
                                "all of them",
                                Condition.atLeast(
                                        senders * 25, Condition.Distinct.SIGNALS, "boss")));
        Crowd.of(
                senders,
                sender -> {
                    for (int n = 0; n < 25; n++) {
                        signal(idOf(lease)).orThrow();
                    }
                    return sender;
                });

        assertThat(world.view(lease).state()).isInstanceOf(Ready.class);
        assertThat(world.received(idOf(lease)))
                .extracting(one -> one.delivery().number())
                .doesNotHaveDuplicates()
                .hasSize(senders * 25);
    }

    @Test
    void a_worker_that_dies_while_it_suspends_has_done_so_or_has_not() {
        for (int done = 0; done < RACES; done += AT_ONCE) {
            var lane = world.newLane();
            world.submit(AT_ONCE, () -> work().lane(lane));
            var worker = world.worker(lane);
            var leases = worker.claim(AT_ONCE);
            var answers =
                    Crowd.<List<Boolean>>together(
                                    List.of(
                                            () -> leases.stream().map(this::isSuspended).toList(),
                                            () -> {
                                                died(worker);
                                                return List.of();
                                            }))
                            .getFirst();
            world.tick();
            for (int n = 0; n < AT_ONCE; n++) {
                var state = world.view(leases.get(n)).state();
                assertThat(state)
                        .as("told %s: %s", answers.get(n), world.steps(idOf(leases.get(n))))
                        .isInstanceOf(answers.get(n) ? Suspended.class : Ready.class);
            }
            assertThat(world.worker(Lane.DEFAULT).claim(1)).isEmpty();
        }
    }

    private boolean isSuspended(Lease lease) {
        return world.end(suspend(lease, UNTIL_APPROVED)) instanceof Answer.Done;
    }

    private void died(ScenarioWorker worker) {
        world.store().workers().markDead(worker.session().id(), OLGA);
    }
}
