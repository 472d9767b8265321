package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Payload;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.testkit.history.Expectations;
import io.flowfabric.testkit.history.Faults;
import io.flowfabric.testkit.history.History;
import io.flowfabric.testkit.history.HistoryAssert;
import io.flowfabric.testkit.history.HistoryChecker;
import io.flowfabric.testkit.history.Violation;
import io.flowfabric.testkit.history.Violation.Kind;
import io.flowfabric.worker.TaskFailure;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Work that is due starts soon while nothing is broken, and it shows when it does not. */
class PromptnessTest {
    private static final Duration SLACK = Duration.ofSeconds(5);
    private static final Duration LONGER = SLACK.plusSeconds(1);
    private static final Duration TTL = Duration.ofSeconds(20);
    private static final int PLACES = 4;

    private final FaultScenario world = new FaultScenario();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void nothing_is_late_while_nothing_is_broken() {
        world.start(
                FaultScenario.worker(world.engine())
                        .concurrency(PLACES)
                        .handle(
                                FaultScenario.KIND,
                                task -> {
                                    if (task.attempt() == 1) {
                                        throw new TaskFailure(Failure.TRANSIENT, "not at first");
                                    }
                                    return Payload.text("done");
                                }));
        var policy =
                Policy.DEFAULT
                        .start(Due.in(Duration.ofMillis(300)))
                        .retry(Retry.retries(2).backoff(Backoff.fixed(Duration.ofMillis(200))));
        for (int round = 0; round < 5; round++) {
            FaultScenario.submit(
                    world.watched(), FaultScenario.work(FaultScenario.KIND, 20, policy));
            Waiting.pause(Duration.ofMillis(200));
        }

        world.judge();
        HistoryAssert.assertThat(history().expecting(expecting(new Faults()))).isSound();
    }

    @Test
    void work_that_waits_for_a_worker_which_is_frozen_is_late_unless_that_is_known() {
        var worker = world.process("frozen", TTL, PLACES).awaitReady();
        var first = submit();
        Waiting.until("it works", () -> world.view(first).state().terminal());
        var faults = new Faults();
        var fault = faults.at("frozen", Instant.now());

        worker.freeze();
        submit();
        Waiting.pause(LONGER);
        worker.thaw();
        fault.over(Instant.now().plus(SLACK));

        world.judge();
        assertThat(kinds(new Faults())).containsExactly(Kind.LATE);
        assertThat(kinds(faults)).isEmpty();
    }

    private ExecutionId submit() {
        var work = FaultScenario.work("frozen", 1, Policy.DEFAULT);
        return FaultScenario.submit(world.watched(), work).getFirst();
    }

    private List<Kind> kinds(Faults faults) {
        return new HistoryChecker(history().expecting(expecting(faults)))
                .verdict().stream().map(Violation::kind).toList();
    }

    private static Expectations expecting(Faults faults) {
        return new Expectations(SLACK, PLACES, List.of(), faults);
    }

    private History history() {
        return History.of(world.store(), Instant.now(), world.witness.acknowledged());
    }
}
