package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Reads executions by their ids, each by itself: one that cannot be read hides no other. */
final class ExecutionReads {
    /** So many are read in one view, unless they are large: then it ends before. */
    private static final int PORTION = 256;

    private final ValkeyContext valkey;

    ExecutionReads(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    /**
     * @param letters of the details that are needed
     * @param fromOutside whether it is needed what is around the executions
     */
    <R> List<Answer<R>> each(
            List<ExecutionId> ids,
            String letters,
            boolean fromOutside,
            BiFunction<StoredExecution, Surroundings, R> reader) {
        Limit.BATCH.checkCount("executions", ids.size());
        var answers = new ArrayList<Answer<R>>(Collections.nCopies(ids.size(), null));
        valkey.homes()
                .visit(
                        new AppliedParts(),
                        ids,
                        (home, places) -> {
                            var unknown = new ArrayList<Integer>();
                            int from = 0;
                            while (from < places.size()) {
                                int to = Math.min(places.size(), from + PORTION);
                                var asked = places.subList(from, to);
                                var told = read(home, ids, asked, letters, fromOutside);
                                int size = told.answer().at(0).list().size();
                                var some = asked.subList(0, size);
                                from += size;
                                var around = Surroundings.read(told.answer().at(1), told.now());
                                for (int n = 0; n < some.size(); n++) {
                                    var entry = told.answer().at(0).at(n);
                                    var id = ids.get(some.get(n));
                                    answers.set(
                                            some.get(n),
                                            answer(
                                                    id,
                                                    entry,
                                                    letters,
                                                    stored -> reader.apply(stored, around)));
                                    if (entry.isAbsent()) {
                                        unknown.add(some.get(n));
                                    }
                                }
                            }
                            return unknown;
                        });
        return answers;
    }

    private ValkeyContext.Told read(
            Partition home,
            List<ExecutionId> ids,
            List<Integer> places,
            String letters,
            boolean fromOutside) {
        return valkey.read(
                "view",
                home,
                out ->
                        out.list(4)
                                .list(places, (o, place) -> o.uuid(ids.get(place).uuid()))
                                .text(letters)
                                .truth(fromOutside)
                                .number(Chunks.BYTES));
    }

    /** What is to be said of one execution. */
    static <R> Answer<R> answer(
            ExecutionId id, Item entry, String letters, Function<StoredExecution, R> reader) {
        try {
            if (entry.isAbsent()) {
                throw new NotFound("execution", id.toString());
            }
            var packed = entry.at(0).bytes();
            var details = entry.at(1).list();
            return Answer.done(reader.apply(StoredExecution.read(id, letters, packed, details)));
        } catch (Invalid damaged) {
            // Nothing was asked that could be: a word of a newer program is refused.
            return Answer.refused(StoreFailure.unreadable("The execution " + id, damaged));
        } catch (FlowFabricException refusal) {
            return Answer.refused(refusal);
        } catch (RuntimeException damaged) {
            return Answer.refused(StoreFailure.unreadable("The execution " + id, damaged));
        }
    }
}
