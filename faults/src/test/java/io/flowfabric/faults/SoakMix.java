package io.flowfabric.faults;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** What a {@link Soak} submits, and the lanes, quotas and budgets that it does so behind. */
final class SoakMix {
    /** The lane whose work waits for nothing but a worker: what is measured goes through here. */
    static final Lane PLAIN = Lane.of("plain");

    static final Lane BOUNDED = Lane.of("bounded");
    static final Lane SHARED = Lane.of("shared");
    static final Lane AGED = Lane.of("aged");
    static final List<String> LANES =
            List.of(PLAIN.name(), BOUNDED.name(), SHARED.name(), AGED.name());

    /** Long enough to be judged, and short enough for tables to stay small. */
    static final Duration RETENTION = Duration.ofSeconds(40);

    static final Budget HOUSE = Budget.of("house", SoakProgram.TOKENS, 1_000_000_000L);
    static final Budget TEAM = Budget.of("team", SoakProgram.TOKENS, 900_000_000L).parent("house");
    static final Budget TIGHT = Budget.of("tight", SoakProgram.TOKENS, 200);
    static final Budget PERIOD =
            Budget.of("period", SoakProgram.TOKENS, 100).period(Duration.ofSeconds(1));
    static final List<Budget> BUDGETS = List.of(HOUSE, TEAM, TIGHT, PERIOD);

    static final List<Quota> QUOTAS =
            List.of(
                    Quota.atOnce("customer", 2),
                    Quota.rate("calls", 20, Duration.ofMillis(500)),
                    Quota.atOnce("lane", 6).rate(30, Duration.ofSeconds(1)));

    private static final Attribution OPERATOR = new Attribution("ada", "what our contracts say");
    private static final int CUSTOMERS = 10;
    private static final int SMALL_INPUT = 200;
    private static final int LARGE_INPUT = 128 * 1024;

    private static final Policy POLICY =
            Policy.DEFAULT
                    .retention(RETENTION)
                    .retry(Retry.retries(5).backoff(Backoff.fixed(Duration.ofMillis(50))));

    private final Random random;

    SoakMix(Random random) {
        this.random = random;
    }

    static void define(Store store) {
        QUOTAS.forEach(quota -> store.quotas().define(quota, OPERATOR));
        BUDGETS.forEach(budget -> store.budgets().define(budget, OPERATOR));
        var lanes = store.lanes();
        lanes.configure(PLAIN, LaneSettings.DEFAULT.weight(3), OPERATOR);
        lanes.configure(BOUNDED, LaneSettings.DEFAULT.quota("lane"), OPERATOR);
        lanes.configure(SHARED, LaneSettings.DEFAULT.sharing(true), OPERATOR);
        lanes.configure(AGED, LaneSettings.DEFAULT.ageing(Duration.ofMillis(500)), OPERATOR);
    }

    /** Lets work go on that waits behind the budget that is soon used up. */
    static void goOn(Store store) {
        store.budgets().reset(Namespace.DEFAULT, TIGHT.name(), OPERATOR);
    }

    /** Takes away what would keep work waiting when everything is to end. */
    static void lift(Store store) {
        store.budgets().define(Budget.of("tight", SoakProgram.TOKENS, 1_000_000_000L), OPERATOR);
    }

    /** What decides it. */
    Random random() {
        return random;
    }

    /** Another piece of work. */
    Submission next() {
        return switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5 -> quick(PLAIN, priority());
            case 6 -> quick(SHARED, POLICY.share(customer()));
            case 7 -> quick(AGED, priority());
            case 8 -> quick(BOUNDED, POLICY);
            case 9 -> quick(PLAIN, POLICY.start(Due.in(Duration.ofMillis(random.nextInt(3000)))));
            case 10 -> work(SoakProgram.Kind.FRAIL, PLAIN, small(), priority());
            case 11 ->
                    work(
                            SoakProgram.Kind.FRAIL,
                            BOUNDED,
                            small(),
                            POLICY.quota("customer", customer()));
            case 12 -> quick(PLAIN, POLICY.quota("calls").quota("customer", customer()));
            // It takes a quarter of a second, so that half of this is too slow.
            case 13 -> work(SoakProgram.Kind.SLOW, PLAIN, small(), hurried());
            case 14 -> work(SoakProgram.Kind.LARGE, PLAIN, large(), POLICY);
            case 15 -> spending("team", "team 4 6");
            case 16 -> spending("period", "period 10");
            case 17 -> spending("tight", "tight 5 5");
            case 18 -> work(SoakProgram.Kind.PATIENT, SHARED, moment(), POLICY.share(customer()));
            default ->
                    quick(
                            PLAIN,
                            POLICY.start(Due.in(Duration.ofSeconds(5)))
                                    .deadline(Due.in(Duration.ofSeconds(2 + random.nextInt(6)))));
        };
    }

    private static Submission work(SoakProgram.Kind kind, Lane lane, Payload input, Policy policy) {
        return Submission.of(kind.word(), input).lane(lane).policy(policy);
    }

    private Submission quick(Lane lane, Policy policy) {
        return work(SoakProgram.Kind.QUICK, lane, small(), policy);
    }

    private static Submission spending(String budget, String input) {
        var policy = POLICY.budget(budget, Map.of(SoakProgram.TOKENS, 10L));
        return work(SoakProgram.Kind.SPENDING, PLAIN, Payload.text(input), policy);
    }

    private Policy priority() {
        return POLICY.priority(random.nextInt(3) * 5);
    }

    private Policy hurried() {
        return random.nextBoolean()
                ? POLICY
                : POLICY.attemptTimeout(Duration.ofMillis(150))
                        .retry(Retry.retries(1).backoff(Backoff.fixed(Duration.ofMillis(50))));
    }

    private Payload moment() {
        return Payload.text(
                Instant.now()
                        .plusMillis(random.nextInt(2000))
                        .truncatedTo(ChronoUnit.MILLIS)
                        .toString());
    }

    private Payload small() {
        return bytes(random.nextInt(SMALL_INPUT));
    }

    private Payload large() {
        return bytes(LARGE_INPUT + random.nextInt(LARGE_INPUT));
    }

    private Payload bytes(int length) {
        var bytes = new byte[length];
        random.nextBytes(bytes);
        return Payload.of(bytes, "application/octet-stream");
    }

    private String customer() {
        return "c" + random.nextInt(CUSTOMERS);
    }
}
