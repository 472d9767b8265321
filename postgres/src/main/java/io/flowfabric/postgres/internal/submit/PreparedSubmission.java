package io.flowfabric.postgres.internal.submit;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.Queues;
import io.flowfabric.postgres.internal.catalog.Gate;
import io.flowfabric.postgres.internal.catalog.GateBudget;
import io.flowfabric.postgres.internal.catalog.LaneGate;
import io.flowfabric.postgres.internal.catalog.ReservedAmounts;
import io.flowfabric.postgres.internal.catalog.RowCodec;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * A submission with its place in the batch, its digest and the numbers that it refers to.
 *
 * @param reserve how much it reserves, in the order of its gate
 */
public record PreparedSubmission(
        int index,
        Submission submission,
        Digest digest,
        int gate,
        int policy,
        List<Long> reserve,
        Optional<NotFound> undefined) {
    private static final int NO_GATE = -1;

    public record Key(String namespace, String key) {}

    /**
     * A batch, whose gates and policies are made if there are none.
     *
     * <p>Each of them is committed at once, also when the submissions are part of a caller's
     * transaction: other submissions that need that gate must not wait until it ends.
     */
    public static List<PreparedSubmission> all(
            PostgresContext postgres, List<Submission> submissions) {
        Limit.BATCH.checkCount("submissions", submissions.size());
        makeAll(postgres, submissions);
        var items = new ArrayList<PreparedSubmission>(submissions.size());
        for (Submission submission : submissions) {
            items.add(incoming(postgres, items.size(), submission));
        }
        return items;
    }

    /**
     * The same items with the numbers that are right now: those that they had may have been removed
     * since.
     */
    public static List<PreparedSubmission> again(
            PostgresContext postgres, List<PreparedSubmission> items) {
        postgres.catalog().forgetGates();
        makeAll(postgres, items.stream().map(PreparedSubmission::submission).toList());
        return items.stream().map(item -> incoming(postgres, item.index, item.submission)).toList();
    }

    private static PreparedSubmission incoming(
            PostgresContext postgres, int index, Submission submission) {
        int policy = postgres.catalog().policies().number(postgres.db(), submission.policy());
        var reserve = GateBudget.amounts(submission.policy().budgets());
        try {
            int gate = gate(postgres, submission);
            return new PreparedSubmission(
                    index,
                    submission,
                    submission.digest(),
                    gate,
                    policy,
                    reserve,
                    Optional.empty());
        } catch (NotFound undefined) {
            return new PreparedSubmission(
                    index,
                    submission,
                    submission.digest(),
                    NO_GATE,
                    policy,
                    reserve,
                    Optional.of(undefined));
        }
    }

    /**
     * Makes the meters and gates of a batch that there are not, all at once: thousands of keys may
     * come in with one call. What is not defined is found out one by one.
     */
    private static void makeAll(PostgresContext postgres, List<Submission> submissions) {
        var catalog = postgres.catalog();
        var metered = new HashMap<Namespace, Set<QuotaUse>>();
        for (Submission submission : submissions) {
            if (!submission.policy().quotas().isEmpty()) {
                metered.computeIfAbsent(submission.lane().namespace(), first -> new HashSet<>())
                        .addAll(submission.policy().quotas());
            }
        }
        metered.forEach((namespace, uses) -> catalog.meters().make(postgres.db(), namespace, uses));
        var gates = new HashSet<Gate>();
        for (Submission submission : submissions) {
            try {
                gates.add(gateOf(postgres, submission));
            } catch (NotFound undefined) {
                // It is refused when its turn comes.
            }
        }
        catalog.gates().make(postgres.db(), gates);
    }

    private static int gate(PostgresContext postgres, Submission submission) {
        return postgres.catalog().gates().number(postgres.db(), gateOf(postgres, submission));
    }

    private static Gate gateOf(PostgresContext postgres, Submission submission) {
        var policy = submission.policy();
        var namespace = submission.lane().namespace();
        return new Gate(
                submission.kind(),
                policy.needs(),
                policy.attemptTimeout().isPresent() || policy.stallTimeout().isPresent(),
                policy.quotas(),
                GateBudget.of(policy.budgets()),
                postgres.catalog().meters().metering(postgres.db(), namespace, policy));
    }

    /** The queues that those items join that are for one of these lanes. */
    public static Queues queues(
            PostgresContext postgres,
            Collection<PreparedSubmission> items,
            Map<Lane, Integer> lanes) {
        var reserved = new HashMap<LaneGate, ReservedAmounts>();
        for (PreparedSubmission item : items) {
            var lane = lanes.get(item.lane());
            if (lane != null) {
                reserved.merge(
                        new LaneGate(lane, item.gate), item.reserved(), ReservedAmounts::and);
            }
        }
        return Queues.of(postgres.catalog(), lanes, reserved);
    }

    private ReservedAmounts reserved() {
        return ReservedAmounts.of(reserve);
    }

    /** Whether there is a gate that it could wait behind. */
    public boolean gated() {
        return undefined.isEmpty();
    }

    public UUID id() {
        return submission.id().uuid();
    }

    public Lane lane() {
        return submission.lane();
    }

    public boolean keyed() {
        return submission.key().isPresent();
    }

    /** Whether it is stored and queued, and that is all. */
    public boolean plain() {
        var policy = submission.policy();
        return !keyed()
                && submission.tags().values().isEmpty()
                && policy.share().isEmpty()
                && policy.start().equals(Due.NOW)
                && policy.deadline().isEmpty()
                && reserve.isEmpty()
                && RowCodec.inline(submission.input());
    }

    public Key key() {
        return new Key(lane().namespace().name(), submission.key().orElseThrow());
    }
}
