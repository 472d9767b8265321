package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * Everybody at the same few executions at once: claims, endings, operators and sweeps take locks on
 * the same rows, and must take them in an order in which nobody waits for each other for ever.
 */
class DeadlockTest {
    private static final Duration LENGTH = Duration.ofSeconds(8);

    /** On a machine that is busy with other things everything happens more rarely. */
    private static final Duration LONGEST = Duration.ofSeconds(90);

    private static final String DEADLOCKS =
            "select deadlocks from pg_stat_database where datname = current_database()";

    private static final int THREADS = 16;
    private static final int EXECUTIONS = 24;
    private static final int OFTEN = 25;
    private static final int MANY = 1_000_000;
    static final Policy POLICY =
            Policy.DEFAULT
                    .maxReclaims(MANY)
                    .maxReplays(MANY)
                    .retry(Retry.retries(MANY).backoff(Backoff.fixed(Duration.ofMillis(3))));

    private final FaultScenario world = new FaultScenario();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void no_deadlock_reaches_anybody() throws Exception {
        var crowded = world.watched(world.another(world.options().withConnections(THREADS)));
        var ids =
                FaultScenario.submit(
                        crowded, FaultScenario.work(FaultScenario.KIND, EXECUTIONS, POLICY));
        var deeds = new Deeds();
        long before = Servers.number(world.options(), DEADLOCKS);

        long began = System.nanoTime();
        BooleanSupplier over =
                () -> {
                    long passed = System.nanoTime() - began;
                    return passed > LONGEST.toNanos()
                            || (passed > LENGTH.toNanos() && deeds.leastOften() >= OFTEN);
                };
        try (var threads = Executors.newFixedThreadPool(THREADS)) {
            var players =
                    IntStream.range(0, THREADS)
                            .mapToObj(seed -> new Player(crowded, ids, seed, deeds))
                            .map(player -> threads.submit(() -> player.playUntil(over)))
                            .toList();
            for (var player : players) {
                player.get();
            }
        }
        System.out.printf("%d threads at %d executions: %s%n", THREADS, EXECUTIONS, deeds);

        assertThat(deeds.failures())
                .as("deadlocks that a caller was told of")
                .noneMatch(DeadlockTest::isDeadlock);
        assertThat(deeds.failures()).as("what else went wrong").isEmpty();
        assertThat(deeds.leastOften()).as(deeds.toString()).isGreaterThanOrEqualTo(OFTEN);
        cancelAll(ids);
        assertThat(Servers.number(world.options(), DEADLOCKS) - before)
                .as("deadlocks that the server had to resolve")
                .isZero();
        world.judge();
    }

    private void cancelAll(List<ExecutionId> ids) {
        var acts = ids.stream().<OperatorCommand>map(OperatorCommand.Cancel::new).toList();
        world.watched().operations().act(acts, new Attribution("ada", "that was enough"));
    }

    private static boolean isDeadlock(Throwable failure) {
        for (var cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && "40P01".equals(sql.getSQLState())) {
                return true;
            }
        }
        return false;
    }
}
