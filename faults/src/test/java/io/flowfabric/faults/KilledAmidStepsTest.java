package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.FabricOptions;
import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;
import io.flowfabric.WorkFailed;
import io.flowfabric.WorkHandle;
import io.flowfabric.core.PublicState;
import io.flowfabric.faults.EffectLog.Effect;
import io.flowfabric.faults.StoppingHandlers.Plan;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Processes that are killed with SIGKILL at every boundary of durable code: what a step did outside
 * happened once, and twice only where the process died between that and its record.
 *
 * <p>For each boundary there is a piece of work that stops there. When all of them stand at theirs,
 * the process is killed; in the next process each stops once more, at the boundary behind its
 * first, and the server dies with that process. The third process runs to the end.
 */
@ParameterizedClass
@EnumSource(StoreKind.class)
class KilledAmidStepsTest {
    private static final Duration TTL = Duration.ofSeconds(1);
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int KILLED = 2;

    private record Case(Kind<Plan, String> kind, Plan plan, WorkHandle<String> work) {
        @Override
        public String toString() {
            return "%s, killed at %s".formatted(kind.name(), plan.stops());
        }
    }

    private final StoreKind kind;
    private final List<Case> cases = new ArrayList<>();
    @TempDir Path home;
    private KillableServer server;
    private FaultScenario world;
    private FlowFabric fabric;
    private EffectLog effects;

    @SuppressWarnings("NullAway.Init")
    KilledAmidStepsTest(StoreKind kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() {
        server = kind.killable(home.resolve("server"));
        world = new FaultScenario(server.freshPlace());
        fabric = FlowFabric.on(world.address().open(), FabricOptions.DEFAULT);
        effects = new EffectLog(home.resolve("effects"));
    }

    @AfterEach
    void close() {
        fabric.close();
        world.close();
        server.close();
    }

    @Test
    void what_a_finished_step_did_outside_happened_once_wherever_its_process_was_killed()
            throws Exception {
        submit(StoppingHandlers.ORDER, StoppingHandlers.BOUNDARIES_OF_ORDER);
        submit(StoppingHandlers.PARCEL, StoppingHandlers.BOUNDARIES_OF_PARCEL);
        submitOne(StoppingHandlers.PARCEL, StoppingHandlers.AMID_SUBMITTING_PARTS);
        submit(StoppingHandlers.TRIP, StoppingHandlers.BOUNDARIES_OF_TRIP);

        for (int process = 0; process < KILLED; process++) {
            killAtBoundaries(process);
        }
        try (var last = child(KILLED)) {
            for (var one : cases) {
                assertEnded(one);
            }
            Waiting.until("all work has ended", world::drained);
            last.end();
        }
        world.judgeAsItIs();
    }

    private void submit(Kind<Plan, String> what, List<String> boundaries) {
        for (int i = 0; i < boundaries.size(); i++) {
            submitOne(what, boundaries.subList(i, Math.min(i + KILLED, boundaries.size())));
        }
    }

    private void submitOne(Kind<Plan, String> what, List<String> stops) {
        var plan = new Plan(cases.size(), List.copyOf(stops));
        cases.add(new Case(what, plan, fabric.submit(what.with(plan))));
        if (stops.stream().noneMatch(KilledAmidStepsTest::isAnswered)) {
            answer(cases.getLast());
        }
    }

    /** Whether it is a wait for somebody, who must not be faster than the one who kills. */
    private static boolean isAnswered(String stop) {
        return List.of("boss" + StoppingHandlers.SUSPENDED, "go" + StoppingHandlers.SUSPENDED)
                .contains(stop);
    }

    private void answer(Case one) {
        fabric.approve(one.work.id(), "boss", "ada");
        fabric.signal(one.work.id(), "go", "gone");
    }

    private Child child(int process) {
        return Child.start(
                StoppingProgram.class,
                List.of("-Xmx192m"),
                StoppingProgram.words(world.address(), home.resolve("effects"), process, TTL),
                world.address().password(),
                line -> {});
    }

    private void killAtBoundaries(int process) {
        try (var child = child(process)) {
            for (var one : cases) {
                Waiting.until(
                        "in process %d %s is there".formatted(process, one),
                        () -> isThere(child, one, process));
            }
            child.kill();
        }
        if (process == KILLED - 1) {
            server.kill();
            server.restart();
        }
        cases.stream().filter(one -> isAnswered(one.plan.stop(process))).forEach(this::answerLate);
    }

    private static boolean isThere(Child child, Case one, int process) {
        var stop = one.plan.stop(process);
        return stop.isEmpty()
                || child.said().contains("at %d %s".formatted(one.plan.number(), stop))
                || (stop.endsWith(StoppingHandlers.SUSPENDED)
                        && one.work.describe().state().publicState() == PublicState.SUSPENDED);
    }

    /** Answers with the token that was given out by the process that is dead. */
    private void answerLate(Case one) {
        Persistence.repeat(
                () ->
                        one.plan.stops().contains("go" + StoppingHandlers.SUSPENDED)
                                ? fabric.signal(one.work.id(), "go", "gone")
                                : fabric.approve(last(one, "ask").said(), "ada"));
    }

    private void assertEnded(Case one) throws InterruptedException {
        if (one.kind.equals(StoppingHandlers.ORDER)) {
            assertOrdered(one);
        } else if (one.kind.equals(StoppingHandlers.PARCEL)) {
            assertSent(one);
        } else {
            assertUndone(one);
        }
    }

    private void assertOrdered(Case one) throws InterruptedException {
        var result = one.work.await(SOON);

        assertEffects(one, "one", "two", "three", "four", "ask", "five");
        assertThat(result)
                .as("%s", one)
                .isEqualTo(
                        String.join(
                                " ",
                                last(one, "one").value(),
                                last(one, "two").value(),
                                last(one, "three").value(),
                                last(one, "four").value(),
                                last(one, "five").value(),
                                "[ada]"));
    }

    private void assertSent(Case one) throws InterruptedException {
        var result = one.work.await(SOON);

        assertThat(effects.of(one.plan.number()))
                .as("%s", one)
                .filteredOn(effect -> effect.step().equals("right"))
                .hasSize(1);
        assertEffects(one, "pack", "left", "send");
        assertThat(result)
                .as("%s", one)
                .isEqualTo(
                        String.join(
                                " ",
                                last(one, "pack").value(),
                                "gone",
                                last(one, "left").value(),
                                last(one, "right").value(),
                                last(one, "send").value()));
    }

    private void assertUndone(Case one) {
        assertThatThrownBy(() -> one.work.await(SOON))
                .as("%s", one)
                .isInstanceOf(WorkFailed.class)
                .hasMessageContaining("no cars");
        assertEffects(one, "flight", "hotel", "car", "no-hotel", "no-flight");
    }

    /** Each of these happened, in this order, and once more for each kill before its record. */
    private void assertEffects(Case one, String... steps) {
        var expected = new ArrayList<String>();
        for (var step : steps) {
            expected.add(step);
            one.plan.stops().stream()
                    .filter(stop -> stop.equals(step + ".done"))
                    .forEach(again -> expected.add(step));
        }
        assertThat(effects.of(one.plan.number()))
                .as("%s", one)
                .filteredOn(effect -> !effect.step().equals("right"))
                .extracting(Effect::step)
                .isEqualTo(expected);
        assertThat(one.work.describe().attempts()).as("attempts of %s", one).isEqualTo(1);
    }

    private Effect last(Case one, String step) {
        return effects.of(one.plan.number()).stream()
                .filter(effect -> effect.step().equals(step))
                .reduce((before, after) -> after)
                .orElseThrow();
    }
}
