package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Contended;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.store.Chunks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * A list of things to be done to executions, each by itself: those of a partition are read, decided
 * and written together, and what has changed meanwhile is decided anew. Several about one execution
 * are done one after the other.
 */
final class DecidedBatches<T, R> {
    private static final int CHUNK = 256;

    /** So often others may come in between. */
    private static final int ATTEMPTS = 32;

    /** So often what was lost is decided anew at once; then after a pause by chance. */
    private static final int AT_ONCE = 4;

    private static final long LONGEST_PAUSE = Duration.ofMillis(8).toNanos();

    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

    private final ValkeyContext valkey;
    private final List<T> items;
    private final Function<T, ExecutionId> id;
    private final ToLongFunction<T> bytes;
    private final Map<Integer, Answer<R>> answers = new TreeMap<>();
    private final Map<Integer, Integer> attempts = new HashMap<>();
    private final AppliedParts parts;
    private int chunk = CHUNK;

    /** What was not found, and has been looked for where its signpost leads to, if it has one. */
    private final Set<Integer> followed = new HashSet<>();

    /** Reads, decides and writes. */
    interface Attempt<T, R> {
        /**
         * Reads, decides and writes once.
         *
         * @param items of one partition, each about another execution
         * @return an answer for each; nothing where something has changed before it was written
         */
        List<Optional<Answer<R>>> attempt(Partition home, List<T> items);
    }

    /**
     * @param what the items are, in words
     * @param id the execution that an item is about
     * @param bytes how large an item is
     */
    DecidedBatches(
            ValkeyContext valkey,
            String what,
            List<T> items,
            Function<T, ExecutionId> id,
            ToLongFunction<T> bytes) {
        this(valkey, what, items, id, bytes, new AppliedParts());
    }

    /**
     * @param parts what was done before
     */
    DecidedBatches(
            ValkeyContext valkey,
            String what,
            List<T> items,
            Function<T, ExecutionId> id,
            ToLongFunction<T> bytes,
            AppliedParts parts) {
        Limit.BATCH.checkCount(what, items.size());
        this.valkey = valkey;
        this.items = items;
        this.id = id;
        this.bytes = bytes;
        this.parts = parts;
    }

    /** Does so many together, if they are not too large. */
    DecidedBatches<T, R> chunks(int most) {
        chunk = most;
        return this;
    }

    /** Does all of them, and answers in their order. */
    List<Answer<R>> each(Attempt<T, R> attempt) {
        while (answers.size() < items.size()) {
            firstOfEach()
                    .forEach(
                            (home, places) -> {
                                var lost = new HashMap<Integer, Answer<R>>();
                                for (var part : Chunks.of(places, chunk, this::size)) {
                                    attempt(home, part, attempt, lost);
                                }
                                follow(home, lost);
                            });
            pauseIfOthersAreFaster();
        }
        return List.copyOf(answers.values());
    }

    /** Callers in step would come in between each other again and again, and one lose always. */
    private void pauseIfOthersAreFaster() {
        int most =
                attempts.entrySet().stream()
                        .filter(lost -> !answers.containsKey(lost.getKey()))
                        .mapToInt(Map.Entry::getValue)
                        .max()
                        .orElse(0);
        if (most > AT_ONCE) {
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE));
        }
    }

    private long size(int place) {
        return bytes.applyAsLong(items.get(place));
    }

    private ExecutionId execution(int place) {
        return id.apply(items.get(place));
    }

    /** The places of the first about each execution that is not answered yet, by partition. */
    private Map<Partition, List<Integer>> firstOfEach() {
        var homes = new LinkedHashMap<Partition, List<Integer>>();
        var seen = new HashSet<UUID>();
        for (int place = 0; place < items.size(); place++) {
            var execution = execution(place);
            if (!answers.containsKey(place) && seen.add(execution.uuid())) {
                homes.computeIfAbsent(valkey.home(execution), first -> new ArrayList<>())
                        .add(place);
            }
        }
        return homes;
    }

    private void attempt(
            Partition home,
            List<Integer> places,
            Attempt<T, R> attempt,
            Map<Integer, Answer<R>> lost) {
        var some = places.stream().map(items::get).toList();
        var told = parts.change(() -> attempt.attempt(home, some));
        for (int n = 0; n < places.size(); n++) {
            int place = places.get(n);
            var answer = told.get(n);
            if (answer.isEmpty()) {
                if (attempts.merge(place, 1, Integer::sum) == ATTEMPTS) {
                    answers.put(place, contended(execution(place)));
                }
            } else if (isNotFound(answer.get()) && followed.add(place)) {
                lost.put(place, answer.get());
            } else {
                answers.put(place, answer.get());
            }
        }
    }

    /** What was not found stays so, unless it may be elsewhere: then it is tried there. */
    private void follow(Partition tried, Map<Integer, Answer<R>> lost) {
        var ids = lost.keySet().stream().map(this::execution).toList();
        var elsewhere = parts.follow(() -> valkey.homes().elsewhere(ids, tried));
        lost.forEach(
                (place, answer) -> {
                    if (!elsewhere.containsKey(execution(place))) {
                        answers.put(place, answer);
                    }
                });
    }

    private static boolean isNotFound(Answer<?> answer) {
        return answer instanceof Answer.Refused<?> refused && refused.error() instanceof NotFound;
    }

    private static <R> Answer<R> contended(ExecutionId id) {
        return Answer.refused(new Contended("the execution " + id, RETRY_AFTER));
    }
}
