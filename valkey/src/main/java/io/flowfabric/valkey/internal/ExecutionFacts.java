package io.flowfabric.valkey.internal;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.valkey.internal.record.ExecutionFields;
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.record.WaitRecord;
import io.flowfabric.valkey.internal.wire.Item;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * What is stored of an execution, as far as something is decided by it.
 *
 * @param packed how it stands
 * @param submitted what was submitted
 * @param words why it is held back
 * @param remembered of its waits
 */
record ExecutionFacts(ExecutionId id, Item packed, Item submitted, Item words, Item remembered) {
    private static final Item NOTHING = new Item.Truth(false);

    /**
     * What was read at one time.
     *
     * @param all one for each id, in their order
     * @param beside for each id the detail that was asked for besides, if one was
     */
    record View(List<ExecutionFacts> all, List<Item> beside, Instant now) {}

    /**
     * An execution that can be read.
     *
     * @param remembered of its waits, as it is stored
     */
    record Decidable(ExecutionFields row, Submission submission, Facts facts, Item remembered) {
        /**
         * An execution as functions tell of it, where nothing is decided about its waits.
         *
         * @param piece its id, how it stands, and what was submitted
         * @throws Item.Unreadable when it is damaged, or of a newer program
         */
        static Decidable of(Item piece) {
            return of(piece, NOTHING, NOTHING);
        }

        /** The same, with what is remembered of its waits, and why it is held back. */
        static Decidable of(Item piece, Item remembered, Item words) {
            return Item.decoded(
                    () -> {
                        var row = ExecutionFields.read(piece.at(0).uuid(), piece.at(1).bytes());
                        var submission = SubmissionRecord.withoutInput(row.id(), piece.at(2));
                        var facts =
                                row.facts(submission.policy(), words.optional(Item::text))
                                        .awaiting(WaitRecord.read(remembered));
                        return new Decidable(row, submission, facts, remembered);
                    });
        }
    }

    /** Reads executions of one partition. */
    static View read(ValkeyContext valkey, Partition home, List<ExecutionId> ids) {
        return read(valkey, home, ids, Collections.nCopies(ids.size(), Optional.empty()));
    }

    /**
     * Reads executions of one partition.
     *
     * @param beside for each id a detail that is asked for besides, if one is
     */
    static View read(
            ValkeyContext valkey,
            Partition home,
            List<ExecutionId> ids,
            List<Optional<byte[]>> beside) {
        var wanted = beside.stream().flatMap(Optional::stream).toList();
        var told =
                valkey.read(
                        "read",
                        home,
                        out -> {
                            out.list(2);
                            out.list(2).text("execution");
                            out.list(ids, (o, id) -> o.uuid(id.uuid()));
                            out.list(2).text("detail").list(3 * ids.size() + wanted.size());
                            for (var id : ids) {
                                Records.detail(out, id.uuid(), 's');
                                Records.detail(out, id.uuid(), 'w');
                                Records.detail(out, id.uuid(), 'a');
                            }
                            wanted.forEach(out::bytes);
                        });
        var all = new ArrayList<ExecutionFacts>();
        var found = new ArrayList<Item>();
        int next = 3 * ids.size();
        for (int n = 0; n < ids.size(); n++) {
            var details = told.answer().at(1);
            all.add(
                    new ExecutionFacts(
                            ids.get(n),
                            told.answer().at(0).at(n),
                            details.at(3 * n),
                            details.at(3 * n + 1),
                            details.at(3 * n + 2)));
            found.add(beside.get(n).isPresent() ? details.at(next++) : NOTHING);
        }
        return new View(all, found, told.now());
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
            var facts =
                    Item.decoded(
                            () ->
                                    row.facts(submission.policy(), why)
                                            .awaiting(WaitRecord.read(remembered)));
            return new Decidable(row, submission, facts, remembered);
        } catch (Item.Unreadable damaged) {
            throw StoreFailure.unreadable("The execution " + id, damaged);
        }
    }
}
