package io.flowfabric.valkey.internal;

import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Partition;
import io.flowfabric.core.decision.Acceptance;
import io.flowfabric.core.decision.Acceptance.Known;
import io.flowfabric.core.decision.SubmittedContent;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.Optional;

/** Work that is submitted again, and what is compared with what was submitted before. */
final class KnownSubmissions {
    private final LargeInputs inputs;

    KnownSubmissions(ValkeyContext valkey) {
        this.inputs = new LargeInputs(valkey);
    }

    private Optional<SubmittedContent> content(Partition home, ExecutionId known, Item told) {
        try {
            var input = inputs.read(home, known, told.at(4));
            var before = SubmissionRecord.read(known, told.at(3), input);
            return Optional.of(SubmittedContent.of(before));
        } catch (Item.Unreadable damaged) {
            return Optional.empty();
        }
    }

    /**
     * The answer for what was submitted before.
     *
     * @param told what is known, as {@code submit.lua} tells of it
     * @throws io.flowfabric.core.Conflict when it was submitted with other content
     */
    Submitted repeated(Partition home, Submission submission, Digest digest, Item told) {
        var uuid = told.at(1).uuid();
        var known =
                new ExecutionId(
                        told.at(2).isAbsent()
                                ? submission.id().partition()
                                : new Partition(told.at(2).small()),
                        uuid);
        var digestBefore = SubmissionRecord.digest(told.at(3));
        // Of what cannot be read only the digest is compared, and of what is the same. What had
        // ended is told of only where it keeps its key.
        var content =
                told.at(2).isAbsent() || digestBefore.equals(digest)
                        ? Optional.<SubmittedContent>empty()
                        : content(home, known, told);
        var same = Optional.of(new Known(known, digestBefore, content, false));
        boolean byId = uuid.equals(submission.id().uuid());
        return Acceptance.repeated(
                        submission,
                        digest,
                        byId ? same : Optional.empty(),
                        byId ? Optional.empty() : same)
                .orElseThrow();
    }
}
