package io.flowfabric.testkit.memory;

import io.flowfabric.core.Answer;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Limit;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Batch first: one answer for each item, and a refusal of one is no matter of the others. */
final class ItemAnswers {
    private ItemAnswers() {}

    static <T, R> List<Answer<R>> each(
            MemoryState world, String field, List<T> items, Function<? super T, R> act) {
        Limit.BATCH.checkCount(field, items.size());
        return world.call(() -> answers(items, act));
    }

    private static <T, R> List<Answer<R>> answers(List<T> items, Function<? super T, R> act) {
        var answers = new ArrayList<Answer<R>>(items.size());
        for (T item : items) {
            answers.add(of(() -> act.apply(item)));
        }
        return answers;
    }

    /** What somebody is told about one thing. */
    static <R> Answer<R> of(Supplier<R> act) {
        try {
            return Answer.done(act.get());
        } catch (FlowFabricException refusal) {
            return Answer.refused(refusal);
        }
    }
}
