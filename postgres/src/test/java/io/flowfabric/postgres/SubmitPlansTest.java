package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.Test;

import java.sql.SQLException;

/** How submissions are run, and plain work from its submission to its end. */
class SubmitPlansTest extends BacklogPlans {
    SubmitPlansTest(Backlog backlog) {
        super(backlog);
    }

    @Test
    void a_submission_touches_what_is_submitted() {
        startLogging();
        backlog.submit(1000, i -> Submission.of("work", Payload.EMPTY).key("key" + i));

        check("submit", 1000);
    }

    @Test
    void a_submission_in_a_callers_transaction_needs_no_settings_of_ours() throws SQLException {
        startLogging();
        for (int i = 0; i < 10; i++) {
            backlog.submitInTransaction(1);
        }
        check("submit", 10);
        check("known", 10);

        startLogging();
        for (int i = 0; i < 10; i++) {
            backlog.submitInTransaction(1000);
        }
        // With a thousand duplicates the server may read a table whole, if it finds that cheaper.
        check("submit", 1000);
    }

    @Test
    void plain_work_is_stored_claimed_and_completed_by_plain_statements() {
        var lane = apart("plain");
        var plain = open("7", lane);
        backlog.submit(Backlog.OPEN, i -> Submission.of("work", Payload.EMPTY).lane(lane));
        startLogging();
        backlog.submit(1000, i -> Submission.of("work", Payload.EMPTY).lane(lane));
        for (int i = 1; i <= 10; i++) {
            var leases = store.claims().claim(new Claim(plain.id(), i, BATCH)).leases();
            assertThat(leases).hasSize(BATCH);
            backlog.end(leases);
        }

        check("submit_plain", 1000);
        check("claim", BATCH + 24);
        check("complete", BATCH);
        assertThat(plans("submit")).isEmpty();
        assertThat(plans("claim_any")).isEmpty();
        assertThat(plans("end")).isEmpty();
    }
}
