package io.flowfabric.micrometer;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.admission.QuotaRecount;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.EngineOptions;
import io.flowfabric.engine.EngineSession;
import io.flowfabric.engine.ManualTime;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.memory.MemoryStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;

/** R31: what the loops of an engine count, in a registry, while that engine runs. */
class EngineLoopMetersTest {
    private final ManualTime time = new ManualTime();
    private final AtomicReference<String> failing = new AtomicReference<>("");
    private final Store store = HookedStore.over(new MemoryStore(time), this::around);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Engine engine =
            new Engine(store, EngineOptions.DEFAULT, new MicrometerMetrics(registry), time);

    @BeforeEach
    void start() {
        store.submissions()
                .submit(List.of(Submission.of("kind", Payload.EMPTY)))
                .getFirst()
                .orThrow();
        engine.start();
    }

    @AfterEach
    void stop() {
        failing.set("");
        engine.stop();
        registry.close();
    }

    @Test
    void heartbeats_are_counted_by_whether_they_were_acknowledged() {
        try (var session = engine.session(Session.of("worker", "one", "mail"), new Idle())) {
            session.start();
            eventually(time, "one is", () -> counted("ff.lease.renewal", "outcome", "ok") > 0);
            failing.set("heartbeat");
            eventually(
                    time, "one is not", () -> counted("ff.lease.renewal", "outcome", "error") > 0);
        }
    }

    @Test
    void claims_that_wait_are_a_gauge() throws Exception {
        try (var claimers = Executors.newVirtualThreadPerTaskExecutor();
                var session = engine.session(Session.of("worker", "one", "mail"), new Idle())) {
            session.start();
            var claim = claimers.submit(() -> session.claim(() -> 1, Duration.ofHours(1)));
            eventually("it waits", () -> parked() == 1);

            session.quiet();

            assertThat(claim.get()).isEmpty();
            assertThat(parked()).isZero();
        }
    }

    @Test
    void recounts_and_what_they_put_right_are_counted() {
        eventually("it waits", () -> time.waiting("ff-recounts") == 1);
        time.skip(Duration.ofMinutes(10));
        eventually("it has counted", () -> counted("ff.recount.counters", "of", "quotas") == 12);
        eventually("it tells", () -> counted("ff.recount.drift", "of", "quotas") == 3);

        failing.set("recount");
        eventually("it waits", () -> time.waiting("ff-recounts") == 1);
        time.skip(Duration.ofMinutes(10));
        eventually("it failed", () -> counted("ff.recount.errors", "of", "quotas") == 1);
    }

    // R40
    @Test
    void sweeps_have_the_names_that_the_dashboards_of_the_original_look_for() {
        for (String scanner : List.of("lease_expiry", "timers", "retention_trimmer")) {
            eventually(
                    time,
                    scanner + " has run",
                    () -> counted("ff.scanner.cycle", "scanner", scanner) > 0);
        }
        assertThat(registry.find("ff.scanner.cycle").counters()).hasSize(3);
    }

    // R38
    @Test
    void reads_of_a_feed_that_fail_are_counted_and_are_zero_before() throws Exception {
        var follower = engine.follow(FeedFilter.of(Topic.EVERYTHING), Cursor.NOW);
        assertThat(registry.get("ff.follower.errors").counter().count()).isZero();
        failing.set("read");

        time.skip(Duration.ofMinutes(1));
        assertThat(follower.next(Duration.ZERO)).isEmpty();

        assertThat(registry.get("ff.follower.errors").counter().count()).isEqualTo(1);
    }

    private double counted(String name, String label, String value) {
        return registry.find(name).tag(label, value).counters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }

    private double parked() {
        return registry.get("ff.claims.parked").gauge().value();
    }

    private Object around(String call, HookedStore.Call real) throws Exception {
        if (call.equals(failing.get())) {
            throw new StoreFailure("Broken by a test.", true, new IllegalStateException());
        }
        var answer = real.call();
        // What nobody can do to the store in memory.
        return answer instanceof QuotaRecount
                ? new QuotaRecount(12, List.of(new QuotaRecount.Drift(QuotaUse.of("mail"), 3, 0)))
                : answer;
    }

    /** A holder that has nothing. */
    private static final class Idle implements EngineSession.Holder {
        @Override
        public Set<Fence> held() {
            return Set.of();
        }

        @Override
        public int lost(Set<Fence> fences) {
            return 0;
        }

        @Override
        public void died() {}
    }
}
