package io.flowfabric.valkey.internal;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.valkey.internal.record.ExecutionFields;
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.wire.Item;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What is stored of an execution, as far as something is decided by it.
 *
 * @param packed how it stands
 * @param submitted what was submitted
 * @param words why it is held back
 */
record ExecutionFacts(ExecutionId id, Item packed, Item submitted, Item words) {
    /**
     * What was read at one time.
     *
     * @param all one for each id, in their order
     */
    record View(List<ExecutionFacts> all, Instant now) {}

    /** An execution that can be read. */
    record Decidable(ExecutionFields row, Submission submission, Facts facts) {
        /**
         * An execution as functions tell of it.
         *
         * @param piece its id, how it stands, and what was submitted
         * @throws Item.Unreadable when it is damaged, or of a newer program
         */
        static Decidable of(Item piece) {
            return Item.decoded(
                    () -> {
                        var row = ExecutionFields.read(piece.at(0).uuid(), piece.at(1).bytes());
                        var submission = SubmissionRecord.withoutInput(row.id(), piece.at(2));
                        var facts = row.facts(submission.policy(), Optional.empty());
                        return new Decidable(row, submission, facts);
                    });
        }
    }

    /** Reads executions of one partition. */
    static View read(ValkeyContext valkey, Partition home, List<ExecutionId> ids) {
        var told =
                valkey.read(
                        "read",
                        home,
                        out -> {
                            out.list(2);
                            out.list(2).text("execution");
                            out.list(ids, (o, id) -> o.uuid(id.uuid()));
                            out.list(2).text("detail").list(2 * ids.size());
                            for (var id : ids) {
                                Records.detail(out, id.uuid(), 's');
                                Records.detail(out, id.uuid(), 'w');
                            }
                        });
        var all = new ArrayList<ExecutionFacts>();
        for (int n = 0; n < ids.size(); n++) {
            var details = told.answer().at(1);
            all.add(
                    new ExecutionFacts(
                            ids.get(n),
                            told.answer().at(0).at(n),
                            details.at(2 * n),
                            details.at(2 * n + 1)));
        }
        return new View(all, told.now());
    }

    /**
     * The execution, without its input.
     *
     * @throws NotFound when there is none of this id
     * @throws StoreFailure when it cannot be read any more
     */
    Decidable readable() {
        if (packed.isAbsent()) {
            throw new NotFound("execution", id.toString());
        }
        try {
            var row = ExecutionFields.read(id.uuid(), packed.bytes());
            if (!row.id().equals(id)) {
                throw new NotFound("execution", id.toString());
            }
            var submission = SubmissionRecord.withoutInput(id, submitted);
            Optional<String> why = words.optional(Item::text);
            var facts = Item.decoded(() -> row.facts(submission.policy(), why));
            return new Decidable(row, submission, facts);
        } catch (Item.Unreadable damaged) {
            throw StoreFailure.unreadable("The execution " + id, damaged);
        }
    }
}
