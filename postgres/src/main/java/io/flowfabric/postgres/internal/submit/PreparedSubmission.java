package io.flowfabric.postgres.internal.submit;

import static java.util.stream.Collectors.toSet;

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
import io.flowfabric.postgres.internal.catalog.NumberRemoved;
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
import java.util.stream.IntStream;

/**
 * A submission with its place in the batch, its digest and the numbers that it refers to.
 *
 * @param reserve how much it reserves, in the order of its gate
 * @param forgotten how often everything had been forgotten when its numbers were looked up
 */
public record PreparedSubmission(
        int index,
        Submission submission,
        Digest digest,
        int gate,
        int policy,
        List<Long> reserve,
        Optional<NotFound> undefined,
        int forgotten) {
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
        return prepared(
                postgres, submissions, IntStream.range(0, submissions.size()).boxed().toList());
    }

    /**
     * The same items with the numbers that are right now: those that they had may have been removed
     * since.
     */
    public static List<PreparedSubmission> again(
            PostgresContext postgres, List<PreparedSubmission> items) {
        for (PreparedSubmission item : items) {
            var lane = postgres.catalog().lanes().number(item.lane());
            postgres.catalog()
                    .forget(
                            item.lane().namespace(),
                            item.submission.policy(),
                            List.of(item.gate),
                            lane == null ? List.of() : List.of(lane));
        }
        return prepared(
                postgres,
                items.stream().map(PreparedSubmission::submission).toList(),
                items.stream().map(PreparedSubmission::index).toList());
    }

    /** The lanes of a batch, each with the creator of the first work that goes there. */
    public static Map<Lane, String> creators(List<PreparedSubmission> items) {
        var creators = new HashMap<Lane, String>();
        items.forEach(item -> creators.putIfAbsent(item.lane(), item.submission.creator()));
        return creators;
    }

    /**
     * Meters, gates and policies of a batch are made all at once where there are none: thousands of
     * keys may come in with one call.
     */
    private static List<PreparedSubmission> prepared(
            PostgresContext postgres, List<Submission> submissions, List<Integer> indexes) {
        int forgotten = postgres.catalog().gates().forgotten();
        makeMeters(postgres, submissions);
        var wanted = submissions.stream().map(submission -> wanted(postgres, submission)).toList();
        var gates = wanted.stream().flatMap(item -> item.gate.stream()).collect(toSet());
        var numbers = postgres.catalog().gates().numbers(postgres.db(), gates);
        var items = new ArrayList<PreparedSubmission>(submissions.size());
        for (int i = 0; i < submissions.size(); i++) {
            var submission = submissions.get(i);
            items.add(
                    new PreparedSubmission(
                            indexes.get(i),
                            submission,
                            submission.digest(),
                            wanted.get(i).gate.map(numbers::get).orElse(NO_GATE),
                            postgres.catalog()
                                    .policies()
                                    .number(postgres.db(), submission.policy()),
                            GateBudget.amounts(submission.policy().budgets()),
                            wanted.get(i).undefined,
                            forgotten));
        }
        return items;
    }

    /** The gate that a submission is to wait behind, or what it names that nobody defined. */
    private record Wanted(Optional<Gate> gate, Optional<NotFound> undefined) {}

    private static Wanted wanted(PostgresContext postgres, Submission submission) {
        try {
            return new Wanted(Optional.of(gateOf(postgres, submission)), Optional.empty());
        } catch (NotFound undefined) {
            return new Wanted(Optional.empty(), Optional.of(undefined));
        }
    }

    private static void makeMeters(PostgresContext postgres, List<Submission> submissions) {
        var metered = new HashMap<Namespace, Set<QuotaUse>>();
        for (Submission submission : submissions) {
            if (!submission.policy().quotas().isEmpty()) {
                metered.computeIfAbsent(submission.lane().namespace(), first -> new HashSet<>())
                        .addAll(submission.policy().quotas());
            }
        }
        metered.forEach(
                (namespace, uses) ->
                        postgres.catalog().meters().make(postgres.db(), namespace, uses));
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

    /**
     * The queues that those items join that are for one of these lanes.
     *
     * @throws NumberRemoved when their numbers may stand for something else by now
     */
    public static Queues queues(
            PostgresContext postgres,
            Collection<PreparedSubmission> items,
            Map<Lane, Integer> lanes) {
        var reserved = new HashMap<LaneGate, ReservedAmounts>();
        for (PreparedSubmission item : items) {
            if (item.forgotten != postgres.catalog().gates().forgotten()) {
                throw new NumberRemoved();
            }
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
