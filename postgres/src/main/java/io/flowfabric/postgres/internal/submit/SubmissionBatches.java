package io.flowfabric.postgres.internal.submit;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Contended;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.core.submit.Submitted;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Cuts a batch of submissions into statements that name each id and each key once, so that repeats
 * see each other in order.
 */
public final class SubmissionBatches {
    /** Larger batches are sent in pieces: one commit should not hold up other calls for long. */
    private static final int CHUNK = 1000;

    /** How often an item may race with an execution that is gone when it is looked for. */
    private static final int TRIES = 5;

    private SubmissionBatches() {}

    /** Decides about one piece of a batch. */
    @FunctionalInterface
    public interface Piece {
        /**
         * Answers those items that could be decided about; the others raced with another call, and
         * are tried again.
         */
        void decide(List<PreparedSubmission> items, Map<Integer, Answer<Submitted>> answers);
    }

    /**
     * Answers a batch piece by piece, in the order of the batch.
     *
     * @param again prepares those anew that were not decided about
     * @param givenUp what to say about an item that was undecided every time
     */
    public static List<Answer<Submitted>> answer(
            List<PreparedSubmission> items,
            Piece piece,
            UnaryOperator<List<PreparedSubmission>> again,
            Function<PreparedSubmission, Contended> givenUp) {
        var answers = new HashMap<Integer, Answer<Submitted>>();
        var remaining = items;
        int tries = 0;
        while (!remaining.isEmpty()) {
            int answered = answers.size();
            var undecided = decideInOrder(firstOfEach(remaining), piece, answers);
            if (answers.size() > answered) {
                tries = 0;
            } else if (++tries > TRIES) {
                for (PreparedSubmission item : undecided) {
                    answers.put(item.index(), Answer.refused(givenUp.apply(item)));
                }
            }
            remaining = remaining.stream().filter(item -> !isAnswered(item, answers)).toList();
            if (!undecided.isEmpty() && !remaining.isEmpty()) {
                remaining = again.apply(remaining);
            }
        }
        return IntStream.range(0, items.size())
                .mapToObj(index -> Objects.requireNonNull(answers.get(index)))
                .toList();
    }

    /**
     * Decides piece by piece, and returns what could not be decided about of the first piece with
     * such items: what comes behind them must not come in before them.
     */
    private static List<PreparedSubmission> decideInOrder(
            List<PreparedSubmission> round, Piece piece, Map<Integer, Answer<Submitted>> answers) {
        for (var some : Chunks.of(round, CHUNK, item -> item.submission().input().size())) {
            piece.decide(some, answers);
            var undecided = some.stream().filter(item -> !isAnswered(item, answers)).toList();
            if (!undecided.isEmpty()) {
                return undecided;
            }
        }
        return List.of();
    }

    private static boolean isAnswered(
            PreparedSubmission item, Map<Integer, Answer<Submitted>> answers) {
        return answers.containsKey(item.index());
    }

    /** The later ones of those that share an id or a key wait for a later round. */
    private static List<PreparedSubmission> firstOfEach(List<PreparedSubmission> items) {
        var ids = new HashSet<UUID>();
        var keys = new HashSet<PreparedSubmission.Key>();
        var first = new ArrayList<PreparedSubmission>();
        for (PreparedSubmission item : items) {
            boolean newId = ids.add(item.id());
            boolean newKey = !item.keyed() || keys.add(item.key());
            if (newId && newKey) {
                first.add(item);
            }
        }
        return first;
    }
}
