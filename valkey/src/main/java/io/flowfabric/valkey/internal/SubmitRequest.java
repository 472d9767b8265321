package io.flowfabric.valkey.internal;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Lane;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Work as {@code submit.lua} is asked to take it. Most work of a batch is of the same lane, kind
 * and policy; these are sent once, and named by their numbers.
 */
final class SubmitRequest {
    private final List<Submission> submissions;
    private final List<Digest> digests;
    private final Optional<Instant> latest;
    private final Predicate<Lane> apart;
    private final Map<Lane, Integer> lanes = new LinkedHashMap<>();
    private final List<String> creators = new ArrayList<>();
    private final Map<GateDefinition, Integer> gates = new LinkedHashMap<>();
    private final Map<Policy, Integer> terms = new LinkedHashMap<>();

    /**
     * @param latest when it is too late to take it
     * @param apart whether this is not the main partition of a lane's namespace
     */
    SubmitRequest(
            List<Submission> submissions,
            List<Digest> digests,
            Optional<Instant> latest,
            Predicate<Lane> apart) {
        this.submissions = submissions;
        this.digests = digests;
        this.latest = latest;
        this.apart = apart;
        for (var submission : submissions) {
            if (lanes.putIfAbsent(submission.lane(), lanes.size() + 1) == null) {
                creators.add(submission.creator());
            }
            gates.putIfAbsent(gate(submission), gates.size() + 1);
            terms.putIfAbsent(submission.policy(), terms.size() + 1);
        }
    }

    private static GateDefinition gate(Submission submission) {
        return GateDefinition.of(submission.kind(), submission.policy());
    }

    void write(Packer out) {
        out.list(5).list(lanes.size());
        lanes.forEach(
                (lane, number) ->
                        out.list(4)
                                .text(lane.namespace().name())
                                .text(lane.name())
                                .text(creators.get(number - 1))
                                .truth(apart.test(lane)));
        out.list(gates.keySet(), (o, gate) -> gate.write(o))
                .list(terms.keySet(), SubmitRequest::write)
                .list(submissions.size());
        for (int i = 0; i < submissions.size(); i++) {
            write(out, submissions.get(i), digests.get(i));
        }
        out.optional(latest, Packer::moment);
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

    private void write(Packer out, Submission submission, Digest digest) {
        var tags = submission.tags().values().entrySet();
        out.list(9)
                .uuid(submission.id().uuid())
                .number(Objects.requireNonNull(lanes.get(submission.lane())))
                .number(Objects.requireNonNull(gates.get(gate(submission))))
                .number(Objects.requireNonNull(terms.get(submission.policy())))
                .number(submission.id().partition().number())
                .bytes(SubmissionRecord.write(submission, digest))
                .optional(SubmissionRecord.apart(submission), Packer::bytes)
                .optional(submission.key(), Packer::text);
        if (tags.isEmpty()) {
            out.absent();
        } else {
            out.list(tags, (o, tag) -> o.text(tag.getKey() + "=" + tag.getValue()));
        }
    }
}
