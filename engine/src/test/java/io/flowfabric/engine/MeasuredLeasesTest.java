package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Budget.Bounds;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Leases;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;

/** What the holders of leases write is counted. */
class MeasuredLeasesTest {
    private static final Attribution OLGA = new Attribution("olga", "to see it counted");
    private static final Session SESSION = Session.of("worker", "one", "default");

    private final ManualTime time = new ManualTime();
    private final Tally tally = new Tally();
    private final MemoryStore store = new MemoryStore(time);
    private final Leases leases =
            new MeasuredLeases(
                    store.leases(),
                    new Sweeps(store.maintenance(), EngineOptions.DEFAULT, tally, time),
                    tally);
    private int reports;

    @BeforeEach
    void open() {
        store.sessions().open(SESSION);
        var bounds = Bounds.hard(100).soft(50);
        store.budgets().define(Budget.of("team", "tokens", 100).bounds("tokens", bounds), OLGA);
    }

    @Test
    void usage_that_reaches_a_limit_is_counted_by_the_limit_from_then_on() {
        var lease = lease();

        spend(lease, 49);
        assertThat(tally.of("over soft limit of tokens")).isZero();
        spend(lease, 1);
        assertThat(tally.of("over soft limit of tokens")).isEqualTo(1);
        spend(lease, 49);
        assertThat(tally.of("over soft limit of tokens")).isEqualTo(2);
        assertThat(tally.of("over hard limit of tokens")).isZero();

        spend(lease, 1);

        assertThat(tally.of("over hard limit of tokens")).isEqualTo(1);
        assertThat(tally.of("over soft limit of tokens")).isEqualTo(2);
    }

    @Test
    void usage_without_a_soft_limit_is_counted_at_the_hard_one() {
        store.budgets().define(Budget.of("team", "tokens", 100), OLGA);
        var lease = lease();

        spend(lease, 99);
        assertThat(tally.heardOf("over hard limit of tokens")).isFalse();
        spend(lease, 1);

        assertThat(tally.of("over hard limit of tokens")).isEqualTo(1);
        assertThat(tally.heardOf("over soft limit of tokens")).isFalse();
    }

    @Test
    void each_call_is_counted_by_itself_when_its_fence_is_refused() {
        var stale = lease().fence();
        store.leases().end(List.of(new Ending.Release(stale)));
        store.claims().claim(new Claim(SESSION.id(), 2, 1));

        var late = new Progress(stale, 1, "late");
        assertThat(leases.progress(List.of(late, late))).noneMatch(Answer::isDone);
        assertThat(leases.spend(List.of(new UsageReport(stale, "team", "tokens", 1, "key"))))
                .noneMatch(Answer::isDone);
        assertThat(leases.checkpoint(List.of(new Checkpoint(stale, "pay", Payload.EMPTY))))
                .noneMatch(Answer::isDone);
        assertThat(leases.end(List.of(new Ending.Complete(stale, Payload.EMPTY))))
                .noneMatch(Answer::isDone);

        assertThat(tally.of("fenced PROGRESS")).isEqualTo(2);
        assertThat(tally.of("fenced SPEND")).isEqualTo(1);
        assertThat(tally.of("fenced CHECKPOINT")).isEqualTo(1);
        assertThat(tally.heardOf("checkpointed")).isFalse();
        assertThat(tally.of("fenced END")).isEqualTo(1);
    }

    @Test
    void frames_are_counted_and_so_are_those_of_stale_leases() {
        var fence = lease().fence();
        var said = Append.durable(fence, 0, "said", Payload.EMPTY);
        var stale = new Fence(fence.execution(), fence.attempt(), fence.epoch() + 1);

        var answers =
                leases.append(List.of(said, said, Append.durable(stale, 1, "said", Payload.EMPTY)));

        assertThat(answers.getLast().isDone()).isFalse();
        assertThat(tally.of("appended")).isEqualTo(2);
        assertThat(tally.of("fenced APPEND")).isEqualTo(1);
    }

    @Test
    void checkpoints_are_counted_by_the_steps_that_they_were_answered_with() {
        var fence = lease().fence();
        var paid = new Checkpoint(fence, "pay", Payload.text("paid"));
        var other = new Checkpoint(fence, "pay", Payload.text("not paid"));

        assertThat(leases.checkpoint(List.of(paid, other, paid)))
                .extracting(Answer::isDone)
                .containsExactly(true, false, true);

        assertThat(tally.of("checkpointed")).isEqualTo(2);
        assertThat(tally.heardOf("fenced CHECKPOINT")).isFalse();
    }

    /** An operator who is called for each refused fence is not called for none. */
    @Test
    void where_no_fence_is_refused_none_is_counted() {
        var lease = lease();

        leases.progress(List.of(new Progress(lease.fence(), 1, "in time")));
        leases.end(List.of(new Ending.Complete(lease.fence(), Payload.EMPTY)));

        assertThat(tally.of("ended COMPLETE")).isEqualTo(1);
        assertThat(tally.heardOf("lease lost")).isFalse();
    }

    private void spend(Lease lease, long amount) {
        var key = "key " + ++reports;
        var report = new UsageReport(lease.fence(), "team", "tokens", amount, key);
        leases.spend(List.of(report)).getFirst().orThrow();
    }

    private Lease lease() {
        var policy = Policy.DEFAULT.budget("team");
        var submission = Submission.of("kind", Payload.EMPTY).policy(policy);
        store.submissions().submit(List.of(submission)).getFirst().orThrow();
        return store.claims().claim(new Claim(SESSION.id(), 1, 1)).leases().getFirst();
    }
}
