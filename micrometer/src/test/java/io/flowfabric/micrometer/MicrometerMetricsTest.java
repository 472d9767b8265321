package io.flowfabric.micrometer;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Denied;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Budget.Bounds;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.EngineMetrics.Counted;
import io.flowfabric.engine.EngineOptions;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.testkit.memory.MemoryStore;
import io.flowfabric.worker.TaskFailure;
import io.flowfabric.worker.Worker;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

class MicrometerMetricsTest {
    private static final Attribution OLGA = new Attribution("olga", "to see it counted");
    private static final Policy MAIL = Policy.DEFAULT.quota("mail");
    private static final Session SESSION = Session.of("worker", "one", "default");

    private final VirtualClock clock = new VirtualClock();
    private final MemoryStore store = new MemoryStore(clock);
    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final MicrometerMetrics metrics = new MicrometerMetrics(registry);
    private final Engine engine = new Engine(store, EngineOptions.DEFAULT, metrics);
    private int claims;

    @AfterEach
    void stop() {
        engine.stop();
        store.close();
        registry.close();
    }

    @Test
    void claims_are_counted_by_what_they_gave_and_timed_by_lane() {
        submit(3, Policy.DEFAULT);

        claim(2);
        claim(2);
        claim(2);

        assertThat(scraped("ff_claim_total", "outcome=\"full\"")).isEqualTo(1);
        assertThat(scraped("ff_claim_total", "outcome=\"some\"")).isEqualTo(1);
        assertThat(scraped("ff_claim_total", "outcome=\"nothing\"")).isEqualTo(1);
        assertThat(scraped("ff_claimed_total")).isEqualTo(3);
        assertThat(
                        scraped(
                                "ff_claim_from_grant_duration_seconds_count",
                                "lane=\"default/default\""))
                .isEqualTo(3);
        assertThat(
                        scraped(
                                "ff_claim_from_grant_duration_seconds_bucket",
                                "lane=\"default/default\",le=\"+Inf\""))
                .isEqualTo(3);
    }

    @Test
    void grants_are_counted_by_what_became_of_them() {
        metrics.granted(3);
        metrics.redeemed(2);
        metrics.ticketRefused(Denied.Code.BAD_SIGNATURE);

        assertThat(scraped("ff_granted_total")).isEqualTo(3);
        assertThat(scraped("ff_redeemed_total")).isEqualTo(2);
        assertThat(scraped("ff_grant_refused_total", "reason=\"bad_signature\"")).isEqualTo(1);
    }

    @Test
    void a_full_quota_is_counted_once_for_each_claim_that_met_it() {
        store.quotas().define(Quota.atOnce("mail", 1), OLGA);
        store.quotas().define(Quota.rate("calls", 1, Duration.ofMinutes(1)), OLGA);
        submit(10, MAIL);
        submit(10, Policy.DEFAULT.quota("calls"));
        claim(2);

        claim(2);
        claim(2);

        assertThat(scraped("ff_quota_hit_total", "reason=\"concurrency\"")).isEqualTo(2);
        assertThat(scraped("ff_quota_hit_total", "reason=\"rate\"")).isEqualTo(2);
    }

    @Test
    void a_shut_budget_is_counted_by_its_dimension_and_reports_over_a_limit_by_the_limit() {
        var bounds = Bounds.hard(100).soft(50);
        store.budgets().define(Budget.of("team", "tokens", 100).bounds("tokens", bounds), OLGA);
        submit(2, Policy.DEFAULT.budget("team"));
        var lease = claim(1).getFirst();

        spend(lease, 49);
        spend(lease, 1);
        spend(lease, 50);
        claim(1);

        assertThat(scraped("ff_budget_hit_total", "dimension=\"tokens\"")).isEqualTo(1);
        var soft = "dimension=\"tokens\",limit=\"soft\"";
        assertThat(scraped("ff_budget_over_limit_total", soft)).isEqualTo(1);
        var hard = "dimension=\"tokens\",limit=\"hard\"";
        assertThat(scraped("ff_budget_over_limit_total", hard)).isEqualTo(1);
    }

    @Test
    void every_refused_fence_is_counted_once_by_its_call_and_is_zero_before() {
        submit(1, Policy.DEFAULT);
        var stale = claim(1).getFirst().fence();
        assertThat(scraped("ff_fence_refused_total", "call=\"end\"")).isZero();
        store.leases().end(List.of(new Ending.Release(stale)));
        claim(1);

        engine.leases().end(List.of(new Ending.Complete(stale, Payload.EMPTY)));
        engine.leases().progress(List.of(new Progress(stale, 1, "late")));
        engine.leases().progress(List.of(new Progress(stale, 2, "later")));

        assertThat(scraped("ff_fence_refused_total", "call=\"end\"")).isEqualTo(1);
        assertThat(scraped("ff_fence_refused_total", "call=\"progress\"")).isEqualTo(2);
        assertThat(scraped("ff_fence_refused_total", "call=\"spend\"")).isZero();
        assertThat(scraped("ff_fence_refused_total", "call=\"heartbeat\"")).isZero();
    }

    @Test
    void a_worker_counts_the_outcomes_of_its_attempts_and_that_it_is_full() throws Exception {
        var real = new MemoryStore(InstantSource.system());
        var busy = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        try (var running = new Engine(real, EngineOptions.DEFAULT, metrics)) {
            running.start();
            var worker =
                    Worker.on(running)
                            .name("mailer")
                            .lane("emails")
                            .concurrency(1)
                            .handle(
                                    "send",
                                    task -> {
                                        busy.countDown();
                                        go.await();
                                        return Payload.EMPTY;
                                    })
                            .handle(
                                    "break",
                                    task -> {
                                        throw TaskFailure.permanent("broken by a test");
                                    })
                            .start();
            var lane = Lane.of("emails");
            running.submissions()
                    .submit(
                            List.of(
                                    Submission.of("send", Payload.EMPTY).lane(lane),
                                    Submission.of("break", Payload.EMPTY).lane(lane)));
            busy.await();
            go.countDown();
            eventually("both have ended", () -> scraped("ff_attempt_outcome_total") == 2);
            worker.stop();
        } finally {
            real.close();
        }

        var ok = "lane=\"default/emails\",outcome=\"ok\"";
        assertThat(scraped("ff_attempt_outcome_total", ok)).isEqualTo(1);
        var error = "lane=\"default/emails\",outcome=\"error\"";
        assertThat(scraped("ff_attempt_outcome_total", error)).isEqualTo(1);
        assertThat(scraped("ff_worker_at_capacity_total")).isPositive();
        assertThat(scraped("ff_scanner_cycle_total", "scanner=\"timers\"")).isPositive();
        assertThat(scraped("ff_scanner_cycle_duration_seconds_count", "scanner=\"timers\""))
                .isPositive();
    }

    @Test
    void what_only_pauses_an_attempt_is_no_outcome_of_it() {
        for (Transition transition : Transition.values()) {
            metrics.attempted(Lane.DEFAULT, transition, 1);
        }

        assertThat(scraped("ff_attempt_outcome_total")).isEqualTo(4);
    }

    @Test
    void renewals_and_recounts_are_counted() {
        metrics.renewed(true);
        metrics.renewed(false);
        metrics.recounted(Counted.QUOTAS, 12, 0);
        metrics.recounted(Counted.QUOTAS, 12, 3);
        metrics.recountFailed(Counted.QUOTAS);
        metrics.parked(2);
        metrics.parked(-1);

        assertThat(scraped("ff_lease_renewal_total", "outcome=\"ok\"")).isEqualTo(1);
        assertThat(scraped("ff_lease_renewal_total", "outcome=\"error\"")).isEqualTo(1);
        assertThat(scraped("ff_recount_counters_total", "of=\"quotas\"")).isEqualTo(24);
        assertThat(scraped("ff_recount_drift_total", "of=\"quotas\"")).isEqualTo(3);
        assertThat(scraped("ff_recount_errors_total", "of=\"quotas\"")).isEqualTo(1);
        assertThat(scraped("ff_claims_parked")).isEqualTo(1);
    }

    @Test
    void a_label_never_has_more_values_than_a_registry_can_bear() {
        for (int i = 0; i < 2 * FewValues.MOST; i++) {
            metrics.attempted(Lane.of("lane-" + i), Transition.COMPLETE, 1);
            metrics.overLimit("dimension-" + i, true);
        }

        var text = registry.scrape();
        assertThat(text.lines().filter(line -> line.startsWith("ff_attempt_outcome_total{")))
                .hasSize(FewValues.MOST + 1);
        assertThat(text.lines().filter(line -> line.startsWith("ff_budget_over_limit_total{")))
                .hasSize(FewValues.MOST + 1);
        assertThat(scraped("ff_attempt_outcome_total", "lane=\"other\",outcome=\"ok\""))
                .isEqualTo(FewValues.MOST);
    }

    @Test
    void a_claim_that_looks_into_several_lanes_belongs_to_none_of_them() {
        var session = Session.of("worker", "two", "a", "b");
        store.sessions().open(session);

        engine.claims(session).claim(new Claim(session.id(), 1, 1));

        assertThat(scraped("ff_claim_from_grant_duration_seconds_count", "lane=\"several\""))
                .isEqualTo(1);
    }

    private void submit(int count, Policy policy) {
        engine.submissions()
                .submit(
                        IntStream.range(0, count)
                                .mapToObj(i -> Submission.of("kind", Payload.EMPTY).policy(policy))
                                .toList());
    }

    private List<Lease> claim(int max) {
        store.sessions().open(SESSION);
        return engine.claims(SESSION).claim(new Claim(SESSION.id(), ++claims, max));
    }

    private void spend(Lease lease, long amount) {
        var spending = new UsageReport(lease.fence(), "team", "tokens", amount, "key" + amount);
        engine.leases().spend(List.of(spending)).getFirst().orThrow();
    }

    /** The sum of the samples of a name with these labels, or with any. */
    private double scraped(String name, String... labels) {
        var sample =
                Pattern.compile(
                        "%s(\\{%s\\})? (.+)"
                                .formatted(
                                        name,
                                        labels.length == 0 ? ".*" : Pattern.quote(labels[0])));
        return registry.scrape()
                .lines()
                .map(sample::matcher)
                .filter(
                        matcher ->
                                matcher.matches()
                                        && (labels.length == 0 || matcher.group(1) != null))
                .mapToDouble(matcher -> Double.parseDouble(matcher.group(2)))
                .sum();
    }
}
