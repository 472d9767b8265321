package io.flowfabric.testkit.history;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.Event.Step;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Result;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.history.Acknowledgement.WorkAccepted;
import io.flowfabric.testkit.history.RunCheck.Notes;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Judges a run while it goes on, for as long as it likes: what has ended is judged and forgotten.
 *
 * <p>It is told what is submitted before the call, every event in the order of the feed, and what
 * clients were told. An execution is judged when all that there is to know about it was heard,
 * which the caller decides. It is not made for several threads.
 */
public final class RunningVerdict {
    private final Notes notes;
    private final QuotaCheck quotas;
    private final List<RunCheck> checks;
    private final Map<ExecutionId, Open> open = new LinkedHashMap<>();
    private final List<Violation> violations = new ArrayList<>();

    /** What was heard of an execution that was not judged yet. */
    private static final class Open {
        private final List<Step> steps = new ArrayList<>();
        private final List<Acknowledgement> acknowledged = new ArrayList<>();
    }

    public RunningVerdict(Optional<Expectations> expected) {
        this(expected, Optional.empty());
    }

    /**
     * A verdict on a store of several parts.
     *
     * @param parts which of them an execution lies in, if there are several: work has an order, and
     *     sessions end, in each of them by itself
     */
    public RunningVerdict(
            Optional<Expectations> expected, Optional<Function<ExecutionId, ?>> parts) {
        this.notes = new Notes(parts);
        this.quotas = new QuotaCheck(notes);
        var always =
                Stream.of(
                        new SessionsCheck(notes, expected), quotas, new RecordedStepsCheck(notes));
        var inRealTime =
                expected.stream()
                        .flatMap(
                                times ->
                                        Stream.of(
                                                new BudgetCheck(notes, times),
                                                new QueueCheck(notes, times)));
        this.checks = Stream.<RunCheck>concat(always, inRealTime).toList();
    }

    /** Hears of work that is about to be submitted. */
    public void submitting(Submission submission) {
        notes.submitted(submission.id(), new Notes.Work(submission.kind(), submission.policy()));
    }

    /**
     * Forgets work that no client was told of and that no event has told of. Events that come later
     * are judged without it.
     */
    public void neverAccepted(ExecutionId id) {
        if (!open.containsKey(id)) {
            notes.forget(id);
        }
    }

    /** Knows work by what is there of it. */
    void seen(ExecutionView view) {
        notes.submitted(view.id(), new Notes.Work(view.kind(), view.policy()));
    }

    /** Whether work is known that nothing but a worker was missing to. */
    public boolean isPlain(ExecutionId id) {
        return notes.work(id).filter(Notes.Work::plain).isPresent();
    }

    /** Hears what a client was told. */
    public void heard(Acknowledgement told) {
        if (told instanceof WorkAccepted work) {
            notes.submitted(
                    work.execution(),
                    new Notes.Work(work.submission().kind(), work.submission().policy()));
        }
        open(told.execution()).acknowledged.add(told);
    }

    /** Hears of the next event of the feed. */
    public void happened(Event event) {
        if (event instanceof Step step) {
            open(step.execution()).steps.add(step);
        }
        checks.forEach(check -> check.next(event));
    }

    private Open open(ExecutionId id) {
        return open.computeIfAbsent(id, first -> new Open());
    }

    /** The executions that were heard of and not judged yet. */
    public List<ExecutionId> unjudged() {
        return List.copyOf(open.keySet());
    }

    /** Those of them that had ended before a moment. */
    public List<ExecutionId> endedBefore(Instant moment) {
        return open.entrySet().stream()
                .filter(entry -> hasEnded(entry.getValue(), moment))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static boolean hasEnded(Open work, Instant before) {
        return !work.steps.isEmpty()
                && work.steps.getLast().now().terminal()
                && work.steps.getLast().at().isBefore(before);
    }

    /**
     * Judges an execution, and forgets it.
     *
     * @param view what is there of it, if anything
     * @param result what came of it, if it has one
     * @param now the store's clock when that was read
     * @param drained whether it was meant to be done by then
     */
    public void judge(
            ExecutionId id,
            Optional<ExecutionView> view,
            Optional<Result> result,
            Instant now,
            boolean drained) {
        var known = Optional.ofNullable(open.remove(id)).orElseGet(Open::new);
        var dossier = new ExecutionRecord(id, known.steps, known.acknowledged, view, result);
        StepsCheck.of(dossier);
        AcknowledgementCheck.of(dossier);
        FinalStateCheck.of(dossier, now, drained);
        violations.addAll(dossier.violations());
        notes.forget(id);
    }

    /** Everything that is wrong so far; nothing, when the run is sound. */
    public List<Violation> violations() {
        return Stream.concat(violations.stream(), notes.violations().stream()).toList();
    }

    Notes notes() {
        return notes;
    }

    QuotaCheck quotas() {
        return quotas;
    }
}
