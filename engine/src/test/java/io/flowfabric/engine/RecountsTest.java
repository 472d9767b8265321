package io.flowfabric.engine;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.admission.BudgetRecount;
import io.flowfabric.core.admission.QuotaRecount;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

class RecountsTest {
    private static final Namespace TENANT = new Namespace("tenant");

    private final ManualTime time = new ManualTime();
    private final Tally tally = new Tally();
    private final Queue<Object> recounted = new ConcurrentLinkedQueue<>();
    private final AtomicReference<Object> failing = new AtomicReference<>("nothing");
    private final AtomicReference<Integer> drift = new AtomicReference<>(0);
    private final Store store = HookedStore.over(new MemoryStore(time), this::around);
    private final Recounts recounts = new Recounts(store, EngineOptions.DEFAULT, tally, time);

    @BeforeEach
    void start() {
        store.submissions()
                .submit(
                        List.of(
                                Submission.of("kind", Payload.EMPTY),
                                Submission.of("kind", Payload.EMPTY)
                                        .lane(new Lane(TENANT, "default"))));
        recounts.start();
        eventually("it waits", () -> time.waiting("ff-recounts") == 1);
    }

    @AfterEach
    void stop() {
        recounts.stop();
    }

    @Test
    void every_namespace_is_counted_anew_every_ten_minutes_and_not_at_the_start() {
        assertThat(recounted).isEmpty();

        skip(Duration.ofMinutes(10));
        eventually("it has counted", () -> tally.of("recounted BUDGETS") == 1);

        assertThat(recounted)
                .as("quotas and budgets")
                .containsExactlyInAnyOrder(Namespace.DEFAULT, Namespace.DEFAULT, TENANT, TENANT);
        eventually("budgets, too", () -> tally.of("recounted BUDGETS") == 1);
        skip(Duration.ofMinutes(10));
        eventually("it has counted again", () -> tally.of("recounted QUOTAS") == 2);
        assertThat(tally.of("drift of QUOTAS")).isZero();
    }

    @Test
    void what_was_put_right_is_counted() {
        drift.set(3);

        skip(Duration.ofMinutes(10));

        eventually("it has counted", () -> tally.of("recounted BUDGETS") == 1);
        assertThat(tally.of("drift of QUOTAS")).isEqualTo(6);
        assertThat(tally.of("drift of BUDGETS")).isEqualTo(6);
    }

    @Test
    void a_namespace_that_cannot_be_counted_is_no_matter_of_the_others() {
        failing.set(Namespace.DEFAULT);

        skip(Duration.ofMinutes(10));

        eventually("it has counted", () -> tally.of("recounted BUDGETS") == 1);
        assertThat(recounted).contains(TENANT);
        assertThat(tally.of("recount failed QUOTAS")).isEqualTo(1);
        assertThat(tally.of("recount failed BUDGETS")).isEqualTo(1);
    }

    private void skip(Duration much) {
        eventually("it waits", () -> time.waiting("ff-recounts") == 1);
        time.skip(much);
    }

    private Object around(String call, HookedStore.Call real) throws Exception {
        if (!call.equals("recount")) {
            return real.call();
        }
        if (real.argument().equals(failing.get())) {
            throw new StoreFailure("Broken by a test.", false, new IllegalStateException());
        }
        var answer = real.call();
        recounted.add(real.argument());
        if (drift.get() == 0) {
            return answer;
        }
        // What nobody can do to the store in memory.
        return answer instanceof QuotaRecount
                ? new QuotaRecount(
                        1, List.of(new QuotaRecount.Drift(QuotaUse.of("mail"), drift.get(), 0)))
                : new BudgetRecount(
                        1, List.of(new BudgetRecount.Drift("team", "tokens", drift.get(), 0)));
    }
}
