package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Map;
import java.util.function.IntFunction;

/** How claims are run. */
class ClaimPlansTest extends BacklogPlans {
    ClaimPlansTest(Backlog backlog) {
        super(backlog);
    }

    @Test
    void a_claim_touches_what_it_takes_whatever_waits_beside_it() {
        startLogging();
        for (int i = 0; i < 10; i++) {
            backlog.claim();
        }

        // It looks at a few more than it takes, and at each gate of the lane.
        check("claim_any", BATCH + Backlog.SHUT_GATES + COMPARING_GATES);
    }

    @Test
    void turns_cost_what_takes_them_however_many_keys_wait() {
        var lane = apart("shared");
        var ada = new Attribution("ada", "fair is fair");
        store.lanes().configure(lane, LaneSettings.DEFAULT.sharing(true), ada);
        var sharer = open("8", lane);
        IntFunction<Submission> work =
                i ->
                        Submission.of("work", Payload.EMPTY)
                                .lane(lane)
                                .policy(Policy.DEFAULT.share("key" + i % 2000));
        backlog.submit(Backlog.OPEN, work);
        startLogging();
        backlog.submit(1000, work);
        var soon = Due.in(Duration.ofMillis(1));
        backlog.submit(BATCH, i -> work.apply(i).policy(work.apply(i).policy().start(soon)));
        for (int i = 1; i <= 10; i++) {
            assertThat(store.claims().claim(new Claim(sharer.id(), i, BATCH)).leases())
                    .hasSize(BATCH);
        }
        while (plans("place").isEmpty()) {
            store.maintenance().tick(Chore.TIMERS, 1000);
        }

        check("submit", 1000);
        check("claim_any", BATCH);
        check("place", BATCH);
    }

    @Test
    void a_claim_is_one_statement_when_all_versions_were_compared() {
        backlog.submit(
                COMPARING_GATES * BATCH,
                i ->
                        Submission.of("versioned-work", Payload.EMPTY)
                                .policy(
                                        Policy.DEFAULT
                                                .priority(1)
                                                .needs(
                                                        Capabilities.of(
                                                                "v>=1." + i % COMPARING_GATES))));
        var able =
                open(
                        Session.of("worker", "5", "default")
                                .offers(Capabilities.of("v=1." + (COMPARING_GATES / 2 - 1))));
        startLogging();
        for (int i = 1; i <= 10; i++) {
            var leases = store.claims().claim(new Claim(able.id(), i, BATCH)).leases();
            assertThat(leases).hasSize(BATCH).allMatch(lease -> lease.policy().needs().compare());
        }

        // The first one learns what there is to compare.
        assertThat(plans("claim_any")).hasSize(11);
        assertThat(plans("gates").size()).isLessThanOrEqualTo(1);
        // It looks at a claim's worth behind every gate that is open to it.
        check("claim_any", (BATCH + 24) * (COMPARING_GATES / 2 + 1) + Backlog.SHUT_GATES);
    }

    @Test
    void what_reserves_more_than_is_left_is_passed_over_once() {
        int large = 5_000;
        var lane = apart("priced");
        var priced = open("9", lane);
        store.budgets()
                .define(
                        Budget.of("price", "tokens", 100).namespace(lane.namespace()),
                        new Attribution("ada", "to see"));
        backlog.submit(large, i -> reserving(1_000 + i).lane(lane));
        backlog.submit(1, i -> reserving(10).lane(lane));
        startLogging();

        assertThat(store.claims().claim(new Claim(priced.id(), 1, BATCH)).leases()).hasSize(1);

        check("claim_any", large);
    }

    private static Submission reserving(long tokens) {
        return Submission.of("work", Payload.EMPTY)
                .policy(Policy.DEFAULT.budget("price", Map.of("tokens", tokens)));
    }
}
