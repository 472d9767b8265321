package io.flowfabric.faults;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Payload;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Result;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.fault.Witness;
import io.flowfabric.testkit.history.Acknowledgement;
import io.flowfabric.testkit.history.Expectations;
import io.flowfabric.testkit.history.RunningVerdict;
import io.flowfabric.testkit.history.Violation;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Follows a {@link Soak} from its first event to its last, judges each execution a while after its
 * end and forgets it, and measures how long plain work waits for a worker.
 */
final class SoakJudge implements AutoCloseable {
    /** All that clients have to say about an execution is heard so long after its end. */
    private static final Duration HEARD_ALL = Duration.ofSeconds(15);

    private static final Duration LOOK_EVERY = Duration.ofMillis(200);
    private static final int BATCH = 500;

    /** More than are judged between the last word of a client and its arrival. */
    private static final int REMEMBERED = 5_000;

    /** What was not heard of by then was never accepted: no caller repeats it any more. */
    private static final Duration GIVEN_UP = Duration.ofMinutes(3);

    private static final FeedFilter EVERYTHING = FeedFilter.of(Topic.EVERYTHING);

    private final Store store;
    private final RunningVerdict verdict;
    private final Queue<Runnable> told = new ConcurrentLinkedQueue<>();
    private final Witness witness = new Witness(InstantSource.system(), this::heard);
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final Map<ExecutionId, Long> checksums = new HashMap<>();
    private final Map<ExecutionId, Instant> waiting = new HashMap<>();
    private final Map<ExecutionId, Instant> unheard = new LinkedHashMap<>();
    private final Map<ExecutionId, Boolean> rolledBack = lately();
    private final Map<ExecutionId, Boolean> judged = lately();
    private final AtomicLong submitted = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();
    private final AtomicLong failedCalls = new AtomicLong();
    private volatile Latencies latencies = new Latencies();
    private Cursor cursor;
    private Instant lookedThrough = Instant.EPOCH;
    private volatile boolean over;
    private final Thread thread;

    SoakJudge(Store store, Expectations expected) {
        this.store = store;
        this.verdict = new RunningVerdict(Optional.of(expected));
        this.cursor = store.feeds().beginning();
        this.thread = Thread.ofPlatform().name("judge").start(this::follow);
    }

    private static Map<ExecutionId, Boolean> lately() {
        return new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<ExecutionId, Boolean> eldest) {
                return size() > REMEMBERED;
            }
        };
    }

    /** Notes what callers are told. */
    Witness witness() {
        return witness;
    }

    /** Work that is about to be submitted. */
    void submitting(Submission work) {
        submitted.incrementAndGet();
        told.add(
                () -> {
                    verdict.submitting(work);
                    unheard.put(work.id(), Instant.now());
                    if (work.kind().equals(SoakProgram.Kind.LARGE.word())) {
                        checksums.put(work.id(), SoakProgram.checksum(work.input()));
                    }
                });
    }

    /** Work whose transaction will not be committed: nothing may ever be heard of it. */
    void rolledBack(ExecutionId id) {
        told.add(() -> rolledBack.put(id, true));
    }

    private void heard(Acknowledgement acknowledgement) {
        told.add(
                () -> {
                    if (!judged.containsKey(acknowledgement.execution())) {
                        verdict.heard(acknowledgement);
                    }
                });
    }

    /** A call that failed while something was broken. */
    void failedCall() {
        failedCalls.incrementAndGet();
    }

    /** Something that must not happen, whatever is broken. */
    void wrong(String what) {
        wrong.add(what);
    }

    long submitted() {
        return submitted.get();
    }

    long ended() {
        return ended.get();
    }

    long failedCalls() {
        return failedCalls.get();
    }

    /** What was measured since this was asked before. */
    Latencies nextLatencies() {
        var measured = latencies;
        latencies = new Latencies();
        return measured;
    }

    private void follow() {
        while (!over) {
            try {
                if (!readOn()) {
                    judgeEnded();
                    Waiting.pause(LOOK_EVERY);
                }
            } catch (FlowFabricException e) {
                // The server is away.
                Waiting.pause(LOOK_EVERY);
            } catch (RuntimeException e) {
                wrong("the judge failed: " + e);
                over = true;
            }
        }
    }

    /** Reads a portion of the feed, and says whether there is more. */
    private boolean readOn() {
        var batch = store.feeds().read(EVERYTHING, cursor, BATCH);
        // What was submitted was told before, so that it is known now.
        for (var next = told.poll(); next != null; next = told.poll()) {
            next.run();
        }
        batch.entries().forEach(entry -> happened(entry.event()));
        cursor = batch.next();
        return batch.more();
    }

    private void happened(Event event) {
        verdict.happened(event);
        if (event instanceof Event.Step step) {
            if (rolledBack.containsKey(step.execution())) {
                wrong("%s was rolled back, and is there".formatted(step.execution()));
            }
            unheard.remove(step.execution());
            measure(step);
        }
    }

    private void measure(Event.Step step) {
        if (step.transition() == Transition.SUBMIT
                && step.now() == Situation.READY
                && step.lane().equals(SoakMix.PLAIN)
                && verdict.isPlain(step.execution())) {
            waiting.put(step.execution(), step.at());
        } else {
            var since = waiting.remove(step.execution());
            if (since != null && step.transition() == Transition.CLAIM) {
                latencies.add(Duration.between(since, step.at()));
            }
        }
        if (step.now().terminal()) {
            ended.incrementAndGet();
        }
    }

    private void judgeEnded() {
        var now = Instant.now();
        if (now.isBefore(lookedThrough.plusSeconds(1))) {
            return;
        }
        lookedThrough = now;
        judge(verdict.endedBefore(now.minus(HEARD_ALL)), false);
        forgetUnheard(now.minus(GIVEN_UP));
    }

    private void forgetUnheard(Instant before) {
        for (var oldest = unheard.entrySet().iterator(); oldest.hasNext(); ) {
            var work = oldest.next();
            if (!work.getValue().isBefore(before)) {
                return;
            }
            verdict.neverAccepted(work.getKey());
            checksums.remove(work.getKey());
            oldest.remove();
        }
    }

    private void judge(List<ExecutionId> all, boolean drained) {
        for (int from = 0; from < all.size(); from += BATCH) {
            var ids = all.subList(from, Math.min(all.size(), from + BATCH));
            var views = store.queries().describe(ids);
            var results = store.queries().results(ids);
            var now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
            for (int i = 0; i < ids.size(); i++) {
                judge(ids.get(i), done(views.get(i)), done(results.get(i)), now, drained);
            }
        }
    }

    private void judge(
            ExecutionId id,
            Optional<ExecutionView> view,
            Optional<Result> result,
            Instant now,
            boolean drained) {
        verdict.judge(id, view, result, now, drained);
        judged.put(id, true);
        var checksum = checksums.remove(id);
        result.filter(known -> checksum != null && known.outcome() == Outcome.SUCCESS)
                .flatMap(Result::result)
                .map(Payload::asText)
                .filter(text -> !text.equals(String.valueOf(checksum)))
                .ifPresent(text -> wrong("%s got other bytes than were sent".formatted(id)));
    }

    private static <T> Optional<T> done(Answer<T> answer) {
        return answer instanceof Answer.Done<T>(T value) ? Optional.of(value) : Optional.empty();
    }

    /** Reads what is left, when nobody writes any more and all has ended, and judges all of it. */
    void conclude() {
        over = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        while (readOn()) {
            // There is more.
        }
        judge(verdict.unjudged(), true);
    }

    /** What is wrong; to be asked when it was concluded. */
    List<Violation> violations() {
        return verdict.violations();
    }

    /** What else is wrong, in words. */
    List<String> otherwiseWrong() {
        return new ArrayList<>(wrong);
    }

    @Override
    public void close() {
        over = true;
    }
}
