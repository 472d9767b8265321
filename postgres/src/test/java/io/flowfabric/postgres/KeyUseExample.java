package io.flowfabric.postgres;

import io.flowfabric.core.Payload;
import io.flowfabric.core.submit.KeyUse;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submissions;
import io.flowfabric.core.submit.Submitted;

/** The code that docs/idempotency.md shows; {@link KeyUsePageTest} compares, and runs it. */
final class KeyUseExample {
    private final Submissions submissions;

    KeyUseExample(Submissions submissions) {
        this.submissions = submissions;
    }

    // [PAGE
    /** The same order again is the same work; another amount under its key is a mistake. */
    Submitted invoice(String order, int cents) {
        return submissions.submit(
                Submission.of("invoice", Payload.text(order + " " + cents))
                        .key("invoice-" + order));
    }

    /** Whoever comes first decides what the welcome says. */
    Submitted welcome(String customer, String text) {
        return submissions.submit(
                Submission.of("welcome", Payload.text(text))
                        .key("welcome-" + customer, KeyUse.IF_ABSENT));
    }

    /** At most one report is waiting or running; once it is done the next can be ordered. */
    Submitted report(String customer, String from) {
        return submissions.submit(
                Submission.of("report", Payload.text(customer + " " + from))
                        .key("report-" + customer, KeyUse.WHILE_PENDING));
    }
    // PAGE]
}
