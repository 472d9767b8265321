package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.submit.Submission;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Work behind several quotas that is part of a {@link Fire}: leases lapse, work is retried and
 * cancelled; the log says what was held when.
 */
final class QuotasUnderFire {
    private static final int CUSTOMERS = 20;

    /** Of the quotas without keys, and of each key of the others. */
    static final int METERS = 2 + 2 * CUSTOMERS;

    /** Few enough for a window to be full on a machine that is busy with other things. */
    private static final int CALLS_AT_MOST = 20;

    private static final Attribution OPERATOR = new Attribution("ada", "what our contracts say");

    private static final QuotaUse TENANT = QuotaUse.of("tenant");
    private static final QuotaUse CALLS = QuotaUse.of("calls");
    private static final Map<String, Quota> QUOTAS =
            Stream.of(
                            Quota.atOnce("tenant", 12),
                            Quota.atOnce("customer", 2),
                            Quota.rate("calls", CALLS_AT_MOST, Duration.ofMillis(500)),
                            Quota.atOnce("burst", 3).rate(25, Duration.ofMillis(500)))
                    .collect(Collectors.toMap(Quota::name, Function.identity()));

    private static final Policy POLICY =
            Policy.DEFAULT.retry(Retry.retries(5).backoff(Backoff.fixed(Duration.ofMillis(20))));

    private final FaultScenario world;
    private final Random random;

    QuotasUnderFire(FaultScenario world, Random random) {
        this.world = world;
        this.random = random;
    }

    void define() {
        QUOTAS.values().forEach(quota -> world.store().quotas().define(quota, OPERATOR));
    }

    /**
     * No quota was exceeded at any instant, and every place was given back once.
     *
     * @return how many meters were counted anew; a store may keep none that stands at zero
     */
    int judge(Fire fire) {
        var replay = new QuotaReplay(QUOTAS, uses(fire));
        fire.replay(replay);
        System.out.printf("%,d executions: %s%n", fire.ids().size(), replay);
        assertThat(replay.faults()).isEmpty();
        assertThat(replay.seen())
                .as("what still counts when nothing runs")
                .allSatisfy(use -> assertThat(running(use)).isZero());
        var recount = world.store().quotas().recount(Namespace.DEFAULT);
        assertThat(recount.drifts()).isEmpty();
        return recount.counted();
    }

    /** The fire was long enough to show it. */
    void assertBurnt(Fire fire) {
        var replay = new QuotaReplay(QUOTAS, uses(fire));
        fire.replay(replay);
        assertThat(replay.peak(TENANT)).as("a bound that was reached").isEqualTo(12);
        assertThat(replay.mostStarts(CALLS)).as("a window that was full").isEqualTo(CALLS_AT_MOST);
        assertThat(replay.seen()).hasSize(METERS);
        assertThat(replay.times(Transition.LAPSE)).isGreaterThan(Fire.KILLS);
        assertThat(replay.times(Transition.RETRY)).isGreaterThan(Fire.BATCH / 2);
        assertThat(replay.times(Transition.CANCEL)).isGreaterThan(Fire.KILLS);
    }

    private static Map<ExecutionId, Set<QuotaUse>> uses(Fire fire) {
        var uses = new HashMap<ExecutionId, Set<QuotaUse>>();
        for (int i = 0; i < fire.ids().size(); i++) {
            uses.put(fire.ids().get(i), fire.works().get(i).policy().quotas());
        }
        return uses;
    }

    Submission work() {
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
        return frail(policy);
    }

    /** Work that counts against nothing. */
    static Submission plainWork() {
        return frail(POLICY);
    }

    private static Submission frail(Policy policy) {
        return FaultScenario.work(WorkerProgram.FRAIL, 1, policy).getFirst();
    }

    private int running(QuotaUse use) {
        return world.store().quotas().describe(Namespace.DEFAULT, use).running();
    }
}
