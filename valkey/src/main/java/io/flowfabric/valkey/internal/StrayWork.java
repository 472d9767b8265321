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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Work whose id names another partition than that of its namespace. */
final class StrayWork {
    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

    private final ValkeyContext valkey;

    StrayWork(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    /**
     * Lets work be found that is about to be stored.
     *
     * @return the answers for what is not to be stored, because its id is used elsewhere; by place
     */
    Map<Integer, Answer<Submitted>> lead(List<Submission> submissions, Partition home) {
        var strays =
                submissions.stream()
                        .map(Submission::id)
                        .filter(id -> !id.partition().equals(home))
                        .distinct()
                        .toList();
        var others = valkey.homes().lead(strays, home, Optional.empty());
        var answers = new HashMap<Integer, Answer<Submitted>>();
        for (int i = 0; i < submissions.size(); i++) {
            var submission = submissions.get(i);
            int place = i;
            Optional.ofNullable(others.get(submission.id()))
                    .ifPresent(
                            other ->
                                    known(submission, other)
                                            .or(() -> lead(submission, home, other))
                                            .ifPresent(answer -> answers.put(place, answer)));
        }
        return answers;
    }

    /**
     * Lets work be found whose signpost led to where nothing is.
     *
     * @return the answer when another call has led the same id elsewhere at the same time
     */
    private Optional<Answer<Submitted>> lead(
            Submission submission, Partition home, Partition nothing) {
        var id = submission.id();
        var another = valkey.homes().lead(List.of(id), home, Optional.of(nothing)).get(id);
        return Optional.ofNullable(another)
                .map(
                        place ->
                                known(submission, place)
                                        .orElseGet(
                                                () ->
                                                        Answer.refused(
                                                                new Contended(
                                                                        "the id " + id,
                                                                        RETRY_AFTER))));
    }

    /** The answer for a submission whose id is used elsewhere; nothing when it is not. */
    Optional<Answer<Submitted>> known(Submission submission, Partition elsewhere) {
        var found =
                valkey.read(
                                "view",
                                elsewhere,
                                out ->
                                        out.list(4)
                                                .list(1)
                                                .uuid(submission.id().uuid())
                                                .text("si")
                                                .truth(false)
                                                .number(Chunks.BYTES))
                        .answer()
                        .at(0)
                        .at(0);
        return found.optional(entry -> answer(submission, entry));
    }

    private static Answer<Submitted> answer(Submission submission, Item entry) {
        try {
            return Answer.done(
                    Acceptance.repeated(
                                    submission,
                                    submission.digest(),
                                    Optional.of(known(submission.id(), entry)),
                                    Optional.empty())
                            .orElseThrow());
        } catch (FlowFabricException refusal) {
            return Answer.refused(refusal);
        } catch (Item.Unreadable damaged) {
            return Answer.refused(
                    StoreFailure.unreadable("The execution " + submission.id(), damaged));
        }
    }

    private static Known known(ExecutionId asked, Item entry) {
        var stored = entry.at(1).at(0);
        var digest = SubmissionRecord.digest(stored);
        try {
            var id = ExecutionFields.read(asked.uuid(), entry.at(0).bytes()).id();
            var before = SubmissionRecord.read(id, stored, entry.at(1).at(1));
            return new Known(id, digest, Optional.of(SubmittedContent.of(before)));
        } catch (Item.Unreadable damaged) {
            // Of what cannot be read only the digest is compared.
            return new Known(asked, digest, Optional.empty());
        }
    }
}
