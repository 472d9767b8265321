package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * R26: no call needs a second connection while it has one, or as many calls as there are
 * connections would wait for each other.
 */
class OneConnectionTest {
    private static final Attribution ADA = new Attribution("ada", "one will do");

    @Test
    void one_connection_is_enough_for_every_call() {
        try (var store =
                PostgresStore.open(
                        TestPostgres.options().withConnections(1), TestPostgres.freshSchema())) {
            var budget = Budget.of("team", "tokens", 100).period(Duration.ofHours(1));
            store.budgets().define(budget, ADA);
            store.budgets().define(budget.period(Duration.ofHours(2)), ADA);
            store.quotas().define(Quota.atOnce("mail", 5), ADA);
            store.lanes().configure(Lane.DEFAULT, LaneSettings.DEFAULT.quota("mail"), ADA);
            var session = Session.of("worker", "1", "default");
            store.sessions().open(session);
            var work =
                    Submission.of("work", Payload.EMPTY)
                            .key("k")
                            .policy(Policy.DEFAULT.budget("team", Map.of("tokens", 5L)));
            store.submissions().submit(List.of(work)).forEach(Answer::orThrow);

            var lease = store.claims().claim(new Claim(session.id(), 1, 1)).leases().getFirst();
            store.leases()
                    .end(List.of(new Ending.Complete(lease.fence(), Payload.EMPTY)))
                    .forEach(Answer::orThrow);
            for (Chore chore : Chore.values()) {
                store.maintenance().tick(chore, 100);
            }
            store.quotas().recount(Namespace.DEFAULT);
            store.budgets().recount(Namespace.DEFAULT);

            assertThat(store.queries().describe(List.of(work.id())).getFirst().orThrow().id())
                    .isEqualTo(work.id());
        }
    }
}
