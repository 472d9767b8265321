package io.flowfabric.testkit.fault;

import io.flowfabric.core.Answer;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.testkit.history.Acknowledgement;
import io.flowfabric.testkit.history.Acknowledgement.Span;
import io.flowfabric.testkit.history.Acknowledgements;

import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Notes what the callers of a store were told has happened, and nothing that they never heard. */
public final class Witness {
    private static final Set<String> NOTED =
            Set.of("submit", "claim", "end", "progress", "checkpoint", "act");

    private final Acknowledgements notebook;

    /**
     * @param storeClock the clock that the store goes by; stores keep whole milliseconds
     */
    public Witness(InstantSource storeClock) {
        notebook = new Acknowledgements(milliseconds(storeClock));
    }

    /**
     * A witness that keeps nothing.
     *
     * @param storeClock the clock that the store goes by; stores keep whole milliseconds
     * @param reader is shown each note as it is made, by the thread that makes it
     */
    public Witness(InstantSource storeClock, Consumer<Acknowledgement> reader) {
        notebook = new Acknowledgements(milliseconds(storeClock), reader);
    }

    private static InstantSource milliseconds(InstantSource clock) {
        return () -> clock.instant().truncatedTo(ChronoUnit.MILLIS);
    }

    public List<Acknowledgement> acknowledged() {
        return notebook.all();
    }

    /** Notes the end of a lease of which another process says that it was acknowledged. */
    public void heardOf(Ending ending, Ended answer) {
        var now = notebook.now();
        notebook.note(new Acknowledgement.LeaseEnded(notebook.since(now), ending, answer));
    }

    /** Notes work of which a caller knows that it was accepted, as by the commit of its own. */
    public void accepted(Submission submission) {
        var now = notebook.now();
        notebook.note(
                new Acknowledgement.WorkAccepted(notebook.since(now), submission, submission.id()));
    }

    /** A hook that makes its calls through another one, and notes the answers. */
    public HookedStore.Hook watching(HookedStore.Hook hook) {
        return (name, call) -> {
            var began = notebook.now();
            var answer = hook.around(name, call);
            if (NOTED.contains(name)) {
                note(call.argument(), answer, notebook.since(began));
            }
            return answer;
        };
    }

    private void note(Object asked, Object answer, Span span) {
        if (answer instanceof Lease lease) {
            notebook.note(new Acknowledgement.LeaseGiven(span, lease));
            return;
        }
        var items = asked instanceof List<?> list ? list : List.of();
        var answers = answer instanceof Claimed claimed ? claimed.leases() : (List<?>) answer;
        for (int i = 0; i < answers.size(); i++) {
            switch (answers.get(i)) {
                case Lease lease -> notebook.note(new Acknowledgement.LeaseGiven(span, lease));
                case Answer.Done<?>(var value) -> noteDone(items.get(i), value, span);
                default -> {
                    // A refusal promises nothing.
                }
            }
        }
    }

    private void noteDone(Object asked, Object value, Span span) {
        switch (asked) {
            case Submission submission ->
                    notebook.note(
                            new Acknowledgement.WorkAccepted(
                                    span, submission, ((Submitted) value).id()));
            case Ending ending ->
                    notebook.note(new Acknowledgement.LeaseEnded(span, ending, (Ended) value));
            case Progress report -> notebook.note(new Acknowledgement.ProgressKept(span, report));
            case Checkpoint checkpoint ->
                    notebook.note(new Acknowledgement.StepKept(span, checkpoint, (Step) value));
            case OperatorCommand act -> notebook.note(new Acknowledgement.ActDone(span, act));
            default -> throw new IllegalArgumentException("Nobody promises " + asked);
        }
    }
}
