package io.flowfabric.postgres.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Limit;
import io.flowfabric.core.store.Chunks;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * Cuts a batch into statements that name each execution once, so that repeats see each other in
 * order.
 */
public final class ExecutionBatches {
    /** What one statement takes: one commit should not hold everybody up. */
    private static final int CHUNK = 1000;

    private ExecutionBatches() {}

    /**
     * Answers a batch piece by piece, in the order of the batch.
     *
     * @param execution which execution an item is about
     * @param piece answers each item of a piece in which no execution is named twice
     */
    public static <T, R> List<Answer<R>> answer(
            String field,
            List<T> batch,
            Function<T, UUID> execution,
            Function<List<T>, Map<UUID, Answer<R>>> piece) {
        return answer(field, batch, execution, small -> 0, piece);
    }

    /**
     * Answers a batch of items that can be large piece by piece, in the order of the batch.
     *
     * @param bytes how large an item is
     */
    public static <T, R> List<Answer<R>> answer(
            String field,
            List<T> batch,
            Function<T, UUID> execution,
            ToLongFunction<T> bytes,
            Function<List<T>, Map<UUID, Answer<R>>> piece) {
        Limit.BATCH.checkCount(field, batch.size());
        var answers = new HashMap<Integer, Answer<R>>();
        var pending = IntStream.range(0, batch.size()).boxed().toList();
        while (!pending.isEmpty()) {
            var now = new ArrayList<Integer>();
            var later = new ArrayList<Integer>();
            var seen = new HashSet<UUID>();
            long sum = 0;
            // Once one does not fit, all that follow wait: a smaller one could be its repeat.
            boolean room = true;
            for (int index : pending) {
                var item = batch.get(index);
                long size = bytes.applyAsLong(item);
                room = room && Chunks.fits(now.size(), CHUNK, sum, size);
                boolean first = room && seen.add(execution.apply(item));
                (first ? now : later).add(index);
                sum += first ? size : 0;
            }
            var decided = piece.apply(now.stream().map(batch::get).toList());
            for (int index : now) {
                answers.put(
                        index,
                        Objects.requireNonNull(decided.get(execution.apply(batch.get(index)))));
            }
            pending = later;
        }
        return IntStream.range(0, batch.size())
                .mapToObj(index -> Objects.requireNonNull(answers.get(index)))
                .toList();
    }
}
