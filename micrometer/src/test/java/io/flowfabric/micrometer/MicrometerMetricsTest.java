package io.flowfabric.micrometer;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Lane;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Budget.Bounds;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.ClaimedForWorker;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Grants.Redemption;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.EngineOptions;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.testkit.memory.MemoryStore;
import io.flowfabric.worker.TaskFailure;
import io.flowfabric.worker.TaskResult;
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
import java.util.stream.Stream;

class MicrometerMetricsTest {
    private static final Attribution OLGA = new Attribution("olga", "to see it counted");
    private static final Duration HOUR = Duration.ofHours(1);
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
    void handlers_are_timed_by_kind_and_fresh_work_by_how_long_it_waited() {
        var metrics = new MicrometerMetrics(registry);
        metrics.handled("welcome", false, Duration.ofMillis(20));
        metrics.handled("welcome", true, Duration.ofMillis(40));
        metrics.begun(Lane.DEFAULT, Duration.ofSeconds(2));

        assertThat(registry.scrape())
                .contains(
                        "ff_handler_duration_seconds_sum{kind=\"welcome\",outcome=\"ok\"} 0.02",
                        "ff_handler_duration_seconds_sum{kind=\"welcome\",outcome=\"error\"} 0.04",
                        "ff_start_wait_seconds_sum{lane=\"default/default\"} 2.0");
    }

    @Test
    void claims_are_counted_by_what_they_gave_and_timed_by_lane() {
        submit(3, Policy.DEFAULT);

        claim(2);
        claim(2);
        claim(2);

        assertThat(scraped("ff_claim_total", "call=\"claim\",outcome=\"full\"")).isEqualTo(1);
        assertThat(scraped("ff_claim_total", "call=\"claim\",outcome=\"some\"")).isEqualTo(1);
        assertThat(scraped("ff_claim_total", "call=\"claim\",outcome=\"nothing\"")).isEqualTo(1);
        assertThat(scraped("ff_claimed_total")).isEqualTo(3);
        assertThat(timed("claim", "default/default")).isEqualTo(3);
        assertThat(
                        scraped(
                                "ff_claim_from_grant_duration_seconds_bucket",
                                "call=\"claim\",lane=\"default/default\",le=\"+Inf\""))
                .isEqualTo(3);
    }

    // R31
    @Test
    void grants_are_counted_by_what_became_of_them_and_timed_by_lane() {
        submit(3, Policy.DEFAULT);

        var grants = grant(4).grants();
        redeem(grants.get(0).token(), grants.get(1).token(), "nonsense");

        assertThat(scraped("ff_granted_total")).isEqualTo(3);
        assertThat(scraped("ff_redeemed_total")).isEqualTo(2);
        assertThat(scraped("ff_grant_refused_total", "reason=\"malformed_token\"")).isEqualTo(1);
        assertThat(scraped("ff_claim_total", "call=\"grant\",outcome=\"some\"")).isEqualTo(1);
        assertThat(scraped("ff_claim_total", "call=\"redeem\",outcome=\"some\"")).isEqualTo(1);
        assertThat(timed("grant", "default/default")).isEqualTo(1);
        assertThat(timed("redeem", "default/default")).isEqualTo(1);
        assertThat(scraped("ff_claimed_total")).isZero();
    }

    // R31
    @Test
    void a_grant_that_meets_a_full_quota_or_a_shut_budget_counts_it_as_a_claim_does() {
        store.quotas().define(Quota.atOnce("mail", 0), OLGA);
        store.budgets().define(Budget.of("team", "tokens", 0), OLGA);
        submit(2, MAIL);
        submit(2, Policy.DEFAULT.budget("team"));

        grant(4);

        assertThat(scraped("ff_quota_hit_total", "reason=\"concurrency\"")).isEqualTo(1);
        assertThat(scraped("ff_budget_hit_total", "dimension=\"tokens\"")).isEqualTo(1);
    }

    // R31
    @Test
    void what_fails_is_counted_and_timed_too() {
        claim(1);
        grant(1);
        store.sessions().close(SESSION.id());

        assertThatThrownBy(() -> engine.claims().claim(new Claim(SESSION.id(), 9, 1)))
                .isInstanceOf(NotFound.class);
        assertThatThrownBy(
                        () ->
                                engine.grants()
                                        .claimForWorker(
                                                new Claim(SESSION.id(), 9, 1), Grants.DEFAULT_TTL))
                .isInstanceOf(NotFound.class);
        assertThatThrownBy(() -> engine.claims().claim(new Claim(SessionId.mint(), 1, 1)))
                .isInstanceOf(NotFound.class);

        assertThat(scraped("ff_claim_total", "call=\"claim\",outcome=\"error\"")).isEqualTo(2);
        assertThat(scraped("ff_claim_total", "call=\"grant\",outcome=\"error\"")).isEqualTo(1);
        assertThat(timed("claim", "default/default")).isEqualTo(2);
        assertThat(timed("grant", "default/default")).isEqualTo(2);
        assertThat(timed("claim", "unknown")).isEqualTo(1);
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
    void a_worker_counts_the_outcomes_of_its_attempts_and_no_pauses_and_that_it_is_full()
            throws Exception {
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
                            .handle(
                                    "try",
                                    task -> {
                                        throw new TaskFailure(Failure.TRANSIENT, "not now");
                                    })
                            .handleWithResult("call off", task -> TaskResult.cancel("no need"))
                            .handleWithResult("wait", task -> TaskResult.delay(Due.in(HOUR)))
                            .start();
            running.submissions()
                    .submit(
                            Stream.of("send", "break", "try", "call off", "wait")
                                    .map(MicrometerMetricsTest::email)
                                    .toList());
            busy.await();
            go.countDown();
            eventually("all have ended or pause", () -> scraped("ff_ended_total") == 5);
            eventually("it is counted", () -> scraped("ff_attempt_outcome_total") == 4);
            worker.stop();
        } finally {
            real.close();
        }

        for (String outcome : List.of("ok", "error", "retry", "cancelled")) {
            var labels = "lane=\"default/emails\",outcome=\"%s\"".formatted(outcome);
            assertThat(scraped("ff_attempt_outcome_total", labels)).as(outcome).isEqualTo(1);
        }
        assertThat(scraped("ff_attempt_outcome_total")).as("and no pauses").isEqualTo(4);
        assertThat(scraped("ff_worker_at_capacity_total")).isPositive();
    }

    private static Submission email(String kind) {
        var retry = Retry.retries(1).backoff(Backoff.fixed(HOUR));
        return Submission.of(kind, Payload.EMPTY)
                .lane(Lane.of("emails"))
                .policy(Policy.DEFAULT.retry(retry));
    }

    @Test
    void a_label_never_has_more_values_than_a_registry_can_bear() {
        submit(1, Policy.DEFAULT);
        var lease = claim(1).getFirst();
        for (int i = 0; i < FewValues.MOST + 10; i++) {
            var session = Session.of("worker", "instance-" + i, "lane-" + i);
            engine.sessions().open(session);
            engine.claims().claim(new Claim(session.id(), 1, 1));
            store.budgets().define(Budget.of("budget-" + i, "dimension-" + i, 1), OLGA);
            var report =
                    new UsageReport(lease.fence(), "budget-" + i, "dimension-" + i, 1, "key-" + i);
            engine.leases().spend(List.of(report)).getFirst().orThrow();
        }

        var text = registry.scrape();
        assertThat(
                        text.lines()
                                .filter(
                                        line ->
                                                line.startsWith(
                                                        "ff_claim_from_grant_duration_seconds_count{")))
                .hasSize(FewValues.MOST + 1);
        assertThat(text.lines().filter(line -> line.startsWith("ff_budget_over_limit_total{")))
                .hasSize(FewValues.MOST + 1);
        assertThat(timed("claim", "other")).isEqualTo(11);
    }

    @Test
    void a_claim_that_looks_into_several_lanes_belongs_to_none_of_them() {
        var session = Session.of("worker", "two", "a", "b");
        store.sessions().open(session);

        engine.claims().claim(new Claim(session.id(), 1, 1));

        assertThat(timed("claim", "several")).isEqualTo(1);
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
        return engine.claims().claim(new Claim(SESSION.id(), ++claims, max)).leases();
    }

    private ClaimedForWorker grant(int max) {
        store.sessions().open(SESSION);
        return engine.grants()
                .claimForWorker(new Claim(SESSION.id(), ++claims, max), Grants.DEFAULT_TTL);
    }

    private void redeem(String... tokens) {
        engine.grants().redeem(new Redemption(SESSION.id(), ++claims, List.of(tokens)));
    }

    private double timed(String call, String lane) {
        return scraped(
                "ff_claim_from_grant_duration_seconds_count",
                "call=\"%s\",lane=\"%s\"".formatted(call, lane));
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
