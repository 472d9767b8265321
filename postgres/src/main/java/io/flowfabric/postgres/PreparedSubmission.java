package io.flowfabric.postgres;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.submit.Submission;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A submission with its place in the batch, its digest and the numbers that it refers to. */
record PreparedSubmission(
        int index,
        Submission submission,
        Digest digest,
        int gate,
        int terms,
        Optional<NotFound> undefined) {
    private static final int NO_GATE = -1;

    record Key(String namespace, String key) {}

    /**
     * A batch, whose gates and terms are made if there are none.
     *
     * <p>Each of them is committed at once, also when the submissions are part of a caller's
     * transaction: others who need the same one must not wait until that ends.
     */
    static List<PreparedSubmission> all(PostgresContext postgres, List<Submission> submissions) {
        Limit.BATCH.checkCount("submissions", submissions.size());
        var items = new ArrayList<PreparedSubmission>(submissions.size());
        for (Submission submission : submissions) {
            items.add(incoming(postgres, items.size(), submission));
        }
        return items;
    }

    private static PreparedSubmission incoming(
            PostgresContext postgres, int index, Submission submission) {
        int terms = postgres.catalog().terms(postgres.db(), submission.policy());
        try {
            int gate = gate(postgres, submission);
            return new PreparedSubmission(
                    index, submission, submission.digest(), gate, terms, Optional.empty());
        } catch (NotFound undefined) {
            return new PreparedSubmission(
                    index, submission, submission.digest(), NO_GATE, terms, Optional.of(undefined));
        }
    }

    private static int gate(PostgresContext postgres, Submission submission) {
        var policy = submission.policy();
        var namespace = submission.lane().namespace();
        var gate =
                new Catalog.Gate(
                        submission.kind(),
                        policy.needs(),
                        policy.attemptTimeout().isPresent() || policy.stallTimeout().isPresent(),
                        policy.quotas(),
                        policy.budgets(),
                        postgres.catalog().costs(postgres.db(), namespace, policy));
        return postgres.catalog().gate(postgres.db(), gate);
    }

    /** Whether there is a gate that it could wait behind. */
    boolean gated() {
        return undefined.isEmpty();
    }

    UUID id() {
        return submission.id().uuid();
    }

    Lane lane() {
        return submission.lane();
    }

    boolean keyed() {
        return submission.key().isPresent();
    }

    /** Whether it is stored and queued, and that is all. */
    boolean plain() {
        var policy = submission.policy();
        return !keyed()
                && submission.tags().values().isEmpty()
                && policy.share().isEmpty()
                && policy.start().equals(Due.NOW)
                && policy.deadline().isEmpty()
                && RowCodec.inline(submission.input());
    }

    Key key() {
        return new Key(lane().namespace().name(), submission.key().orElseThrow());
    }
}
