package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.contract.Act;
import io.flowfabric.core.contract.By;
import io.flowfabric.core.contract.FeedFilter;
import io.flowfabric.core.contract.FeedFilter.Topic;
import io.flowfabric.core.contract.Quota;
import io.flowfabric.core.contract.Recount;
import io.flowfabric.core.contract.Submission;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.state.Transition;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Sixteen workers in four processes at thousands of executions behind several quotas. Processes are
 * killed and stopped, leases lapse, work is retried and cancelled; the log says what was held when.
 */
class QuotasUnderFireTest {
    private static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration LONGER_THAN_IT_LIVES = TTL.plusMillis(500);
    private static final int PROCESSES = 4;
    private static final int WORKERS_EACH = 4;
    private static final int AT_ONCE = 4;
    private static final int KILLS = 5;
    private static final int BATCH = 500;
    private static final int CANCELLED = 25;
    private static final int CUSTOMERS = 20;
    private static final By OPERATOR = new By("ada", "the customer has changed his mind");

    private static final QuotaUse TENANT = QuotaUse.of("tenant");
    private static final QuotaUse CALLS = QuotaUse.of("calls");
    private static final Map<String, Quota> QUOTAS =
            Stream.of(
                            Quota.atOnce("tenant", 12),
                            Quota.atOnce("customer", 2),
                            Quota.rate("calls", 40, Duration.ofMillis(300)),
                            Quota.atOnce("burst", 3).rate(25, Duration.ofMillis(500)))
                    .collect(Collectors.toMap(Quota::name, Function.identity()));

    private static final Policy POLICY =
            Policy.DEFAULT.retry(Retry.times(5).backoff(Backoff.fixed(Duration.ofMillis(20))));

    private final World world = new World();
    private final Random random = new Random(11);
    private final Map<ExecutionId, Set<QuotaUse>> uses = new HashMap<>();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void no_quota_is_exceeded_at_any_instant_and_every_place_is_given_back_once() {
        QUOTAS.values().forEach(quota -> world.store().quotas().define(quota, OPERATOR));
        var submitted = new ArrayList<>(submit());
        var workers = new ArrayList<WorkerProcess>();
        for (int i = 0; i < PROCESSES; i++) {
            workers.add(worker("worker-" + i));
        }
        workers.forEach(WorkerProcess::awaitReady);

        for (int i = 0; i < KILLS; i++) {
            submitted.addAll(submit());
            cancelSome(submitted);
            Waiting.pause(Duration.ofMillis(200 + random.nextInt(600)));
            workers.remove(random.nextInt(workers.size())).kill();
            workers.add(worker("successor-" + i));
        }
        var sleeper = workers.getFirst();
        sleeper.freeze();
        submitted.addAll(submit());
        cancelSome(submitted);
        Waiting.pause(LONGER_THAN_IT_LIVES);
        sleeper.thaw();

        world.judge();
        var replay = replay();
        System.out.printf("%,d executions: %s%n", submitted.size(), replay);
        assertThat(replay.faults()).isEmpty();
        assertThat(replay.peak(TENANT)).as("a bound that was reached").isEqualTo(12);
        assertThat(replay.mostStarts(CALLS)).as("a window that was full").isEqualTo(40);
        assertThat(replay.seen())
                .as("what still counts when nothing runs")
                .hasSize(2 + 2 * CUSTOMERS)
                .allSatisfy(use -> assertThat(running(use)).isZero());
        assertThat(world.store().quotas().recount(Namespace.DEFAULT))
                .isEqualTo(new Recount(replay.seen().size(), List.of()));
        assertThat(replay.times(Transition.LAPSE)).isGreaterThan(KILLS);
        assertThat(replay.times(Transition.RETRY)).isGreaterThan(BATCH / 2);
        assertThat(replay.times(Transition.CANCEL)).isGreaterThan(KILLS);
    }

    private WorkerProcess worker(String name) {
        return world.process(name, TTL, AT_ONCE, WORKERS_EACH);
    }

    private List<ExecutionId> submit() {
        var works = IntStream.range(0, BATCH).mapToObj(i -> work()).toList();
        var ids = World.submit(world.watched(), works);
        for (int i = 0; i < ids.size(); i++) {
            uses.put(ids.get(i), works.get(i).policy().quotas());
        }
        return ids;
    }

    private Submission work() {
        var customer = "c" + random.nextInt(CUSTOMERS);
        var policy =
                switch (random.nextInt(6)) {
                    case 0 -> POLICY.quota("tenant");
                    case 1 -> POLICY.quota("customer", customer);
                    case 2 -> POLICY.quota("tenant").quota("customer", customer);
                    case 3 -> POLICY.quota("calls").quota("customer", customer);
                    case 4 -> POLICY.quota("calls").quota("burst", customer);
                    default -> POLICY;
                };
        return World.work(WorkerProgram.FRAIL, 1, policy).getFirst();
    }

    /** Whatever they are at: waiting, running or over. */
    private void cancelSome(List<ExecutionId> submitted) {
        var acts =
                IntStream.range(0, CANCELLED)
                        .mapToObj(i -> submitted.get(random.nextInt(submitted.size())))
                        .distinct()
                        .<Act>map(Act.Cancel::new)
                        .toList();
        world.watched().operations().act(acts, OPERATOR);
    }

    private QuotaReplay replay() {
        var replay = new QuotaReplay(QUOTAS, uses);
        var feeds = world.store().feeds();
        var filter = FeedFilter.of(Topic.EVERYTHING);
        var batch = feeds.read(filter, feeds.beginning(), 1000);
        while (true) {
            batch.entries().forEach(entry -> replay.add(entry.event()));
            if (!batch.more()) {
                return replay;
            }
            batch = feeds.read(filter, batch.next(), 1000);
        }
    }

    private int running(QuotaUse use) {
        return world.store().quotas().describe(Namespace.DEFAULT, use).running();
    }
}
