package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** R23: what one process deletes no other one goes on to accept. */
class DeletedElsewhereTest {
    private static final Attribution ADA = new Attribution("ada", "it is not needed any more");

    private final PostgresFixture fixture = new PostgresFixture();
    private final Store here = fixture.store();
    private final PostgresStore elsewhere = fixture.another();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void work_that_names_a_quota_that_another_process_deleted_is_refused() {
        var policy = Policy.DEFAULT.quota("mail");
        here.quotas().define(Quota.atOnce("mail", 1), ADA);
        submit(policy);

        here.quotas().delete(Namespace.DEFAULT, "mail", ADA);

        assertThatExceptionOfType(NotFound.class).isThrownBy(() -> submit(policy));
        submit(Policy.DEFAULT);
    }

    @Test
    void the_first_work_of_another_lane_is_refused_as_well() {
        var policy = Policy.DEFAULT.quota("mail");
        here.quotas().define(Quota.atOnce("mail", 1), ADA);
        submit(policy);

        here.quotas().delete(Namespace.DEFAULT, "mail", ADA);

        assertThatExceptionOfType(NotFound.class)
                .isThrownBy(() -> submit(work(policy).lane("other")));
        submit(work(Policy.DEFAULT).lane("other"));
    }

    @Test
    void work_that_names_a_budget_that_another_process_deleted_is_refused() {
        var policy = Policy.DEFAULT.budget("team", Map.of("tokens", 1L));
        here.budgets().define(Budget.of("team", "tokens", 10), ADA);
        submit(policy);

        here.budgets().delete(Namespace.DEFAULT, "team", ADA);

        assertThatExceptionOfType(NotFound.class).isThrownBy(() -> submit(policy));
        submit(Policy.DEFAULT);
    }

    @Test
    void work_in_a_transaction_is_refused_as_well() throws SQLException {
        var policy = Policy.DEFAULT.quota("mail");
        here.quotas().define(Quota.atOnce("mail", 1), ADA);
        submit(policy);
        here.quotas().delete(Namespace.DEFAULT, "mail", ADA);

        var server = TestServer.get();
        try (var tx = DriverManager.getConnection(server.url(), server.user(), server.password())) {
            tx.setAutoCommit(false);
            assertThatExceptionOfType(NotFound.class)
                    .isThrownBy(() -> elsewhere.in(tx).submit(work(policy)));
            assertThat(elsewhere.in(tx).submit(work(Policy.DEFAULT)).created()).isTrue();
        }
    }

    @Test
    void a_report_to_a_budget_that_another_process_deletes_meanwhile_finds_none() {
        here.budgets().define(Budget.of("team", "tokens", 10), ADA);
        submit(Policy.DEFAULT);
        var session = Session.of("worker", "1", "default");
        here.sessions().open(session);
        var lease = here.claims().claim(new Claim(session.id(), 1, 1)).leases().getFirst();
        // It is gone when the report is counted, and before it is read how it stands then.
        execute(
                "create function %1$s.deletes() returns trigger language plpgsql as"
                        + " 'begin update %1$s.budget set deleted = true; return null; end';"
                        + " create trigger deletes after insert on %1$s.spending"
                        + " for each row execute function %1$s.deletes()");
        try {
            var report = new UsageReport(lease.fence(), "team", "tokens", 1, "once");

            assertThatExceptionOfType(NotFound.class)
                    .isThrownBy(() -> here.leases().spend(List.of(report)).getFirst().orThrow())
                    .withMessageContaining("team");
        } finally {
            execute("drop trigger deletes on %1$s.spending; drop function %1$s.deletes()");
        }
    }

    private void execute(String sql) {
        fixture.execute(sql.formatted(fixture.schema()));
    }

    private static Submission work(Policy policy) {
        return Submission.of("work", Payload.EMPTY).policy(policy);
    }

    private void submit(Policy policy) {
        submit(work(policy));
    }

    private void submit(Submission work) {
        elsewhere.submissions().submit(List.of(work)).getFirst().orThrow();
    }
}
