package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.state.Transition;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Random;

/** Worker processes that are killed with SIGKILL, whatever they are at. */
@ParameterizedClass
@EnumSource(StoreKind.class)
class KilledWorkersTest {
    private static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration PROMISED = Duration.ofSeconds(1);
    private static final int KILLS = 8;

    private final FaultScenario world;

    KilledWorkersTest(StoreKind store) {
        this.world = store.scenario();
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void all_work_ends_once_although_workers_are_killed_again_and_again() {
        var random = new Random(3);
        var ids = new ArrayList<>(world.submit(200));
        var workers = new ArrayList<WorkerProcess>();
        for (int i = 0; i < 3; i++) {
            workers.add(world.process("worker-" + i, TTL, 6));
        }
        workers.forEach(WorkerProcess::awaitReady);

        for (int i = 0; i < KILLS; i++) {
            ids.addAll(world.submit(100));
            Waiting.pause(Duration.ofMillis(50 + random.nextInt(400)));
            workers.remove(random.nextInt(workers.size())).kill();
            workers.add(world.process("successor-" + i, TTL, 6));
        }

        world.judge();
        assertThat(ids.stream().filter(id -> !world.steps(id, Transition.RECLAIM).isEmpty()))
                .as("work that a killed worker held, and another one took over")
                .hasSizeGreaterThan(KILLS);
    }

    @Test
    void all_work_ends_once_although_engines_are_killed_again_and_again() {
        // What fails at first waits for an engine that notices when its time has come.
        var retried =
                Policy.DEFAULT.retry(
                        Retry.retries(3).backoff(Backoff.fixed(Duration.ofMillis(200))));
        var ids = new ArrayList<ExecutionId>();
        world.process("worker", TTL, 8).awaitReady();
        for (int i = 0; i < KILLS / 2; i++) {
            var engine = world.process("engine-" + i, TTL, 1, 0).awaitReady();
            var frail = FaultScenario.work(WorkerProgram.FRAIL, 100, retried);
            ids.addAll(FaultScenario.submit(world.watched(), frail));
            engine.kill();
        }

        world.judge();
        assertThat(ids.stream().filter(id -> !world.steps(id, Transition.RETRY).isEmpty()))
                .as("work that was tried again")
                .hasSizeGreaterThan(KILLS);
    }

    @Test
    void work_of_a_killed_worker_is_claimed_again_within_a_second_of_its_time_to_live() {
        var ids =
                FaultScenario.submit(
                        world.watched(),
                        FaultScenario.work(WorkerProgram.HOLD, 12, Policy.DEFAULT));
        var victim = world.process("victim", TTL, ids.size()).awaitReady();
        Waiting.until("it works on all", () -> victim.begun().size() == ids.size());
        var heir = world.process("heir", TTL, ids.size()).awaitReady();
        heir.go();
        // So that it has been heard of at least once more than when it began.
        Waiting.until("a heartbeat", () -> lastSign(ids.getFirst()).isAfter(Instant.now()));

        victim.kill();
        var killed = Instant.now();

        world.judge();
        for (var id : ids) {
            var again = world.steps(id, Transition.RECLAIM).getFirst().at();
            assertThat(again)
                    .isAfterOrEqualTo(lastSign(id))
                    .isBefore(lastSign(id).plus(PROMISED))
                    .isBefore(killed.plus(TTL).plus(PROMISED));
            assertThat(world.result(id).result().orElseThrow().asText()).startsWith("heir ");
        }
    }

    /** Until when the last heartbeat of the first who held it made that one's leases hold. */
    private Instant lastSign(ExecutionId id) {
        var history = world.store().queries().history(id);
        var first =
                history.stream()
                        .filter(event -> event instanceof Event.Step step && isClaim(step))
                        .map(event -> ((Event.Step) event).owner().orElseThrow())
                        .findFirst()
                        .orElseThrow();
        return history.stream()
                .filter(Event.Renewal.class::isInstance)
                .map(Event.Renewal.class::cast)
                .filter(renewal -> renewal.owner().session().equals(first.session()))
                .map(Event.Renewal::until)
                .max(Instant::compareTo)
                .orElse(Instant.MIN);
    }

    private static boolean isClaim(Event.Step step) {
        return step.transition() == Transition.CLAIM;
    }
}
