package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Contended;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.decision.Acceptance;
import io.flowfabric.core.decision.Acceptance.Known;
import io.flowfabric.core.decision.SubmittedContent;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.valkey.internal.record.ExecutionFields;
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.wire.Item;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Work whose id leads to another partition than the one that it belongs to. */
final class StrayWork {
    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

    private final ValkeyContext valkey;
    private final SharedPartitions shared;

    StrayWork(ValkeyContext valkey) {
        this.valkey = valkey;
        this.shared = new SharedPartitions(valkey);
    }

    /** Whether nobody has to be asked whether the id of some work is used, but its home. */
    boolean isHome(Submission submission, Partition home) {
        return addressOf(submission).equals(home) && !mayBeTakenEarlier(submission, home);
    }

    private Partition addressOf(Submission submission) {
        return valkey.spreads().addressOf(submission.id());
    }

    /**
     * Whether the partition that an id names may have work with it, of which nothing is known where
     * the id leads to: it was there before ids of that partition led elsewhere.
     */
    private boolean mayBeTakenEarlier(Submission submission, Partition home) {
        var named = submission.id().partition();
        return !valkey.spreads().at(named).isEmpty()
                && shared.isShared(named)
                && !named.equals(home);
    }

    /**
     * Lets work be found that is about to be stored.
     *
     * @return the answers for what is not to be stored, because its id is used elsewhere; by place
     */
    Map<Integer, Answer<Submitted>> makeFindable(List<Submission> submissions, Partition home) {
        var strays = new LinkedHashMap<Partition, Set<ExecutionId>>();
        var earlier = new LinkedHashMap<Partition, List<ExecutionId>>();
        for (var submission : submissions) {
            var id = submission.id();
            var at = addressOf(submission);
            if (mayBeTakenEarlier(submission, home)) {
                earlier.computeIfAbsent(id.partition(), first -> new ArrayList<>()).add(id);
            }
            if (!at.equals(home)) {
                strays.computeIfAbsent(at, first -> new LinkedHashSet<>()).add(id);
            }
        }
        var others = new HashMap<ExecutionId, Partition>();
        strays.forEach((at, ids) -> others.putAll(valkey.homes().putUpSignposts(at, ids, home)));
        earlier.forEach((at, ids) -> others.putAll(valkey.homes().knownAt(at, ids)));
        var answers = new HashMap<Integer, Answer<Submitted>>();
        for (int i = 0; i < submissions.size(); i++) {
            var submission = submissions.get(i);
            int place = i;
            Optional.ofNullable(others.get(submission.id()))
                    .filter(other -> !other.equals(home))
                    .ifPresent(
                            other ->
                                    known(submission, other)
                                            .or(() -> turnSignpost(submission, home, other))
                                            .ifPresent(answer -> answers.put(place, answer)));
        }
        return answers;
    }

    /**
     * Turns a signpost that leads to where nothing is.
     *
     * @return the answer when its work has come, or another call has turned it elsewhere, at the
     *     same time
     */
    private Optional<Answer<Submitted>> turnSignpost(
            Submission submission, Partition home, Partition nothing) {
        var id = submission.id();
        var at = addressOf(submission);
        if (at.equals(home)) {
            return Optional.empty();
        }
        if (!valkey.homes().clear(id, at, nothing)) {
            return Optional.of(known(submission, nothing).orElseGet(() -> contended(id)));
        }
        var another = valkey.homes().putUpSignposts(at, List.of(id), home).get(id);
        return Optional.ofNullable(another)
                .map(place -> known(submission, place).orElseGet(() -> contended(id)));
    }

    private static Answer<Submitted> contended(ExecutionId id) {
        return Answer.refused(new Contended("the id " + id, RETRY_AFTER));
    }

    /** The answer for a submission whose id is used elsewhere; nothing when it is not. */
    Optional<Answer<Submitted>> known(Submission submission, Partition elsewhere) {
        return found(submission.id().uuid(), elsewhere)
                .map(entry -> answer(submission, submission.id(), entry).orElseThrow());
    }

    /**
     * The answer for a submission whose key some work has; nothing when that has ended, and the
     * submission takes the key over.
     *
     * @param holder which work has it
     * @param entry how that was found
     */
    Optional<Answer<Submitted>> keyed(Submission submission, UUID holder, Item entry) {
        return answer(submission, new ExecutionId(submission.id().partition(), holder), entry);
    }

    /** Some work, where it is if it is there. */
    Optional<Item> found(UUID id, Partition elsewhere) {
        return valkey.read(
                        "view",
                        elsewhere,
                        out ->
                                out.list(4)
                                        .list(1)
                                        .uuid(id)
                                        .text("si")
                                        .truth(false)
                                        .number(Chunks.BYTES))
                .answer()
                .at(0)
                .at(0)
                .optional(entry -> entry);
    }

    private static Optional<Answer<Submitted>> answer(
            Submission submission, ExecutionId asked, Item entry) {
        try {
            var same = Optional.of(known(asked, entry));
            boolean byId = asked.uuid().equals(submission.id().uuid());
            return Acceptance.repeated(
                            submission,
                            submission.digest(),
                            byId ? same : Optional.empty(),
                            byId ? Optional.empty() : same)
                    .map(Answer::done);
        } catch (FlowFabricException refusal) {
            return Optional.of(Answer.refused(refusal));
        } catch (Item.Unreadable damaged) {
            return Optional.of(
                    Answer.refused(StoreFailure.unreadable("The execution " + asked, damaged)));
        }
    }

    private static Known known(ExecutionId asked, Item entry) {
        var stored = entry.at(1).at(0);
        var digest = SubmissionRecord.digest(stored);
        try {
            var fields = ExecutionFields.read(asked.uuid(), entry.at(0).bytes());
            var id = fields.id();
            var before = SubmissionRecord.read(id, stored, entry.at(1).at(1));
            return new Known(
                    id,
                    digest,
                    Optional.of(SubmittedContent.of(before)),
                    fields.situation().terminal());
        } catch (Item.Unreadable damaged) {
            // Of what cannot be read only the digest is compared.
            return new Known(asked, digest, Optional.empty(), false);
        }
    }
}
