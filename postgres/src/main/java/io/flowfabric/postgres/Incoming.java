package io.flowfabric.postgres;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.contract.Submission;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A submission with its place in the batch, its digest and the numbers that it refers to. */
record Incoming(int index, Submission submission, Digest digest, int gate, int terms) {
    private static final int NO_GATE = -1;

    record Key(String namespace, String key) {}

    /**
     * A batch, whose gates and terms are made if there are none.
     *
     * <p>Each of them is committed at once, also when the submissions are part of a caller's
     * transaction: others who need the same one must not wait until that ends.
     */
    static List<Incoming> all(Postgres postgres, List<Submission> submissions) {
        Limit.BATCH.checkCount("submissions", submissions.size());
        var items = new ArrayList<Incoming>(submissions.size());
        for (Submission submission : submissions) {
            items.add(
                    new Incoming(
                            items.size(),
                            submission,
                            submission.digest(),
                            gate(postgres, submission).orElse(NO_GATE),
                            postgres.catalog().terms(postgres.db(), submission.policy())));
        }
        return items;
    }

    /** Nothing when it names a quota that nobody defined. */
    private static Optional<Integer> gate(Postgres postgres, Submission submission) {
        var policy = submission.policy();
        var namespace = submission.lane().namespace();
        return postgres.catalog()
                .meters(postgres.db(), namespace, policy.quotas())
                .map(
                        meters ->
                                new Catalog.Gate(
                                        submission.kind(), policy.needs(), policy.quotas(), meters))
                .map(gate -> postgres.catalog().gate(postgres.db(), gate));
    }

    /** Whether there is a gate that it could wait behind. */
    boolean gated() {
        return gate != NO_GATE;
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

    Key key() {
        return new Key(lane().namespace().name(), submission.key().orElseThrow());
    }
}
