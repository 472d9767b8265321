package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** How endings, reports and heartbeats of the holders of leases are run. */
class LeasePlansTest extends BacklogPlans {
    LeasePlansTest(Backlog backlog) {
        super(backlog);
    }

    @Test
    void an_ending_touches_what_ends() {
        var leases = backlog.claim();
        startLogging();
        backlog.end(leases);
        backlog.end(leases);

        check("end", BATCH);
        check("given", BATCH);
    }

    @Test
    void a_report_touches_what_it_is_about() {
        var leases = backlog.claim();
        startLogging();
        store.leases()
                .progress(leases.stream().map(l -> new Progress(l.fence(), 50, "half")).toList());

        check("progress", BATCH);
    }

    @Test
    void a_checkpoint_touches_what_it_is_about() {
        var checkpoints = checkpoints(backlog.claim());
        startLogging();
        store.leases().checkpoint(checkpoints).forEach(Answer::orThrow);
        store.leases().checkpoint(checkpoints).forEach(Answer::orThrow);

        check("checkpoint", BATCH);
        check("recorded_before", BATCH);
    }

    @Test
    void an_append_touches_what_it_is_about() {
        var appends =
                backlog.claim().stream()
                        .map(lease -> Append.live(lease.fence(), 0, "said", Payload.EMPTY))
                        .toList();
        startLogging();
        store.leases().append(appends).forEach(Answer::orThrow);
        store.leases().append(appends).forEach(Answer::orThrow);

        check("lock_streams", BATCH);
        check("stream_standings", BATCH);
        check("frames_at", BATCH);
        check("append", BATCH);
    }

    @Test
    void only_a_claim_of_work_with_steps_asks_for_them() {
        var lane = apart("recorders");
        backlog.submit(BATCH, i -> Submission.of("work", Payload.EMPTY).lane(lane));
        var worker = open("7", lane);
        startLogging();
        var first = store.claims().claim(new Claim(worker.id(), 1, BATCH)).leases();
        assertThat(plans("leased_steps")).isEmpty();
        store.leases().checkpoint(checkpoints(first)).forEach(Answer::orThrow);
        store.leases().end(first.stream().<Ending>map(l -> new Ending.Release(l.fence())).toList());
        startLogging();

        var second = store.claims().claim(new Claim(worker.id(), 2, BATCH)).leases();

        assertThat(second).hasSize(BATCH).allMatch(lease -> lease.steps().size() == 1);
        assertThat(plans("leased_steps")).hasSize(1);
        check("leased_steps", BATCH);
    }

    private static List<Checkpoint> checkpoints(List<Lease> leases) {
        return leases.stream()
                .map(lease -> new Checkpoint(lease.fence(), "pay", Payload.text("paid")))
                .toList();
    }

    @Test
    void a_report_of_what_was_used_touches_its_budgets() {
        var ada = new Attribution("ada", "to see");
        var lane = apart("spenders");
        var house = Budget.of("house", "tokens", 1_000_000).namespace(lane.namespace());
        var team = Budget.of("team", "tokens", 1_000_000).namespace(lane.namespace());
        store.budgets().define(house, ada);
        store.budgets().define(team.parent("house"), ada);
        var policy = Policy.DEFAULT.budget("team", Map.of("tokens", 10L));
        backlog.submit(BATCH, i -> Submission.of("work", Payload.EMPTY).lane(lane).policy(policy));
        var spender = open("6", lane);
        var leases = store.claims().claim(new Claim(spender.id(), 1, BATCH)).leases();
        startLogging();
        for (Lease lease : leases) {
            var report = usage(lease, lease.fence().toString());
            store.leases().spend(List.of(report)).getFirst().orThrow();
        }
        store.maintenance().tick(Chore.TIMERS, 1000);

        assertThat(plans("spend")).hasSize(BATCH);
        check("spend", 6);
        check("breached", 6);

        startLogging();
        var batch = leases.stream().map(l -> usage(l, "another " + l.fence())).toList();
        store.leases().spend(batch).forEach(Answer::orThrow);
        store.leases().spend(batch).forEach(Answer::orThrow);

        assertThat(plans("spend")).hasSize(2);
        check("spend", 2 * BATCH);
        check("spent_before", BATCH);
    }

    @Test
    void a_heartbeat_touches_what_its_session_was_given() {
        var other = open("2", Lane.DEFAULT);
        var leases = store.claims().claim(new Claim(other.id(), 1, BATCH)).leases();
        backlog.end(leases.subList(0, BATCH / 2));
        startLogging();
        store.sessions().heartbeat(List.of(new Heartbeat(other.id(), 1, fences(leases))));

        check("renew", BATCH);
    }

    private static UsageReport usage(Lease lease, String key) {
        return new UsageReport(lease.fence(), "team", "tokens", 10, key);
    }

    private static Set<Fence> fences(List<Lease> leases) {
        return Set.copyOf(leases.stream().map(Lease::fence).toList());
    }
}
