package io.flowfabric.valkey.internal;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Lane;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.KeyUse;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.wire.Packer;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Work as {@code submit.lua} is asked to take it. Most work of a batch is of the same lane, kind
 * and policy; these are sent once, and named by their numbers.
 */
final class SubmitRequest {
    private static final int ITEM_BYTES = 24;

    private final List<Submission> submissions;
    private final List<Digest> digests;
    private final Optional<Instant> latest;
    private final Optional<Long> removals;
    private final Predicate<Lane> apart;
    private final PartOrder order;
    private final boolean heard;
    private final Map<Lane, Integer> lanes = new LinkedHashMap<>();
    private final List<String> creators = new ArrayList<>();
    private final Map<GateDefinition, Integer> gates = new LinkedHashMap<>();
    private final Map<Policy, Integer> terms = new LinkedHashMap<>();
    private final List<String> policies = new ArrayList<>();

    /** Of each item the numbers of its lane, its gate and its terms. */
    private final List<Numbers> numbers = new ArrayList<>();

    private record Numbers(int lane, int gate, int terms) {}

    /**
     * @param latest when it is too late to take it
     * @param removals how many of leftovers the caller had heard of before it let work be found
     *     elsewhere; nothing where it is found at home
     * @param apart whether this is not the main partition of a lane's namespace
     * @param order which part of a call it is
     * @param heard whether it is known where ids of the partition lead to
     */
    SubmitRequest(
            List<Submission> submissions,
            List<Digest> digests,
            Optional<Instant> latest,
            Optional<Long> removals,
            Predicate<Lane> apart,
            PartOrder order,
            boolean heard) {
        this.submissions = submissions;
        this.digests = digests;
        this.latest = latest;
        this.removals = removals;
        this.apart = apart;
        this.order = order;
        this.heard = heard;
        for (int i = 0; i < submissions.size(); i++) {
            var submission = submissions.get(i);
            numbers.add(
                    i > 0 && isLike(submission, submissions.get(i - 1))
                            ? numbers.getLast()
                            : numbers(submission));
        }
    }

    /** Whether two have the same numbers, which is seen without looking into their policies. */
    @SuppressWarnings("ReferenceEquality") // Others are compared one by one.
    private static boolean isLike(Submission one, Submission other) {
        return one.policy() == other.policy()
                && one.kind().equals(other.kind())
                && one.lane().equals(other.lane());
    }

    private Numbers numbers(Submission submission) {
        if (!lanes.containsKey(submission.lane())) {
            creators.add(submission.creator());
        }
        if (!terms.containsKey(submission.policy())) {
            policies.add(SubmissionRecord.write(submission.policy()));
        }
        return new Numbers(
                number(lanes, submission.lane()),
                number(gates, GateDefinition.of(submission.kind(), submission.policy())),
                number(terms, submission.policy()));
    }

    private static <T> int number(Map<T, Integer> numbers, T one) {
        return numbers.computeIfAbsent(one, first -> numbers.size() + 1);
    }

    void write(Packer out) {
        out.list(10).list(lanes.size());
        lanes.forEach(
                (lane, number) ->
                        out.list(4)
                                .text(lane.namespace().name())
                                .text(lane.name())
                                .text(creators.get(number - 1))
                                .truth(apart.test(lane)));
        out.list(gates.keySet(), (o, gate) -> gate.write(o))
                .list(terms.keySet(), SubmitRequest::write)
                .bytes(items())
                .optional(latest, Packer::moment)
                .list(submissions.size());
        for (int i = 0; i < submissions.size(); i++) {
            var policy = policies.get(numbers.get(i).terms - 1);
            out.bytes(SubmissionRecord.write(submissions.get(i), policy, digests.get(i)));
        }
        writeWhatFewHave(out);
        order.write(out);
        out.truth(heard).optional(removals, Packer::number);
    }

    /** Each item in fixed places: id, numbers of its lane, its gate and its terms, partition. */
    private byte[] items() {
        var items = ByteBuffer.allocate(ITEM_BYTES * submissions.size());
        for (int i = 0; i < submissions.size(); i++) {
            var id = submissions.get(i).id();
            var number = numbers.get(i);
            items.putLong(id.uuid().getMostSignificantBits())
                    .putLong(id.uuid().getLeastSignificantBits())
                    .putShort((short) number.lane)
                    .putShort((short) number.gate)
                    .putShort((short) number.terms)
                    .putShort((short) id.partition().number());
        }
        return items.array();
    }

    /**
     * By the number of the item: input that is kept apart, key, tags, and whether it takes the key
     * over from what has ended.
     */
    private void writeWhatFewHave(Packer out) {
        var few =
                IntStream.range(0, submissions.size())
                        .filter(i -> hasMore(submissions.get(i)))
                        .toArray();
        out.list(2 * few.length);
        for (int i : few) {
            var submission = submissions.get(i);
            var tags = submission.tags().values().entrySet();
            out.number(i + 1)
                    .list(4)
                    .optional(SubmissionRecord.apart(submission), Packer::bytes)
                    .optional(submission.key(), Packer::text)
                    .list(tags, (o, tag) -> o.text(tag.getKey() + "=" + tag.getValue()))
                    .truth(submission.keyUse() == KeyUse.WHILE_PENDING);
        }
    }

    private static boolean hasMore(Submission submission) {
        return submission.key().isPresent()
                || !submission.tags().values().isEmpty()
                || SubmissionRecord.isApart(submission);
    }

    private static void write(Packer out, Policy policy) {
        var quotas = new TreeSet<String>();
        policy.quotas().forEach(use -> quotas.add(use.quota()));
        out.list(9).number(policy.priority());
        due(out, Optional.of(policy.start()).filter(start -> !start.equals(Due.NOW)));
        due(out, policy.deadline());
        out.optional(policy.attemptTimeout(), Packer::duration)
                .optional(policy.stallTimeout(), Packer::duration)
                .optional(policy.retention(), Packer::duration)
                .optional(policy.share(), Packer::text)
                .texts(quotas);
        GateDefinition.writeNeeded(out, policy.budgets());
    }

    /** A moment that the server's clock decides about. */
    static void due(Packer out, Optional<Due> due) {
        out.optional(
                due,
                (o, moment) -> {
                    switch (moment) {
                        case Due.After(var delay) -> o.list(2).text("after").duration(delay);
                        case Due.At(var time) -> o.list(2).text("at").moment(time);
                    }
                });
    }
}
