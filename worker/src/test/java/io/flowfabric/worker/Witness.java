package io.flowfabric.worker;

import io.flowfabric.core.contract.Answer;
import io.flowfabric.core.contract.Ended;
import io.flowfabric.core.contract.Ending;
import io.flowfabric.core.contract.Lease;
import io.flowfabric.core.contract.Progress;
import io.flowfabric.core.contract.Submission;
import io.flowfabric.core.contract.Submitted;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.history.Acknowledgement;
import io.flowfabric.testkit.history.Acknowledgement.Span;
import io.flowfabric.testkit.history.Acknowledgements;

import java.time.InstantSource;
import java.util.List;
import java.util.Set;

/** Notes what engines and workers were told has happened, and nothing that they never heard. */
final class Witness {
    private static final Set<String> NOTED = Set.of("submit", "claim", "end", "progress");

    private final Acknowledgements notebook;

    Witness(InstantSource storeClock) {
        notebook = new Acknowledgements(storeClock);
    }

    List<Acknowledgement> acknowledged() {
        return notebook.all();
    }

    /** A hook that makes its calls through another one, and notes the answers. */
    HookedStore.Hook watching(HookedStore.Hook hook) {
        return (name, call) -> {
            var began = notebook.now();
            var answer = hook.around(name, call);
            var span = notebook.since(began);
            if (NOTED.contains(name)) {
                note(name, call.argument(), answer, span);
            }
            return answer;
        };
    }

    private void note(String name, Object asked, Object answer, Span span) {
        switch (name) {
            case "submit" -> {
                for (int i = 0; i < ((List<?>) asked).size(); i++) {
                    if (done(answer, i) instanceof Submitted submitted) {
                        var submission = (Submission) ((List<?>) asked).get(i);
                        notebook.note(
                                new Acknowledgement.WorkAccepted(span, submission, submitted.id()));
                    }
                }
            }
            case "claim" -> {
                for (var lease : (List<?>) answer) {
                    notebook.note(new Acknowledgement.LeaseGiven(span, (Lease) lease));
                }
            }
            case "end" -> {
                for (int i = 0; i < ((List<?>) asked).size(); i++) {
                    if (done(answer, i) instanceof Ended ended) {
                        var ending = (Ending) ((List<?>) asked).get(i);
                        notebook.note(new Acknowledgement.LeaseEnded(span, ending, ended));
                    }
                }
            }
            case "progress" -> {
                for (int i = 0; i < ((List<?>) asked).size(); i++) {
                    if (((List<?>) answer).get(i) instanceof Answer.Done<?>) {
                        var report = (Progress) ((List<?>) asked).get(i);
                        notebook.note(new Acknowledgement.ProgressKept(span, report));
                    }
                }
            }
            default -> {
                // Nothing that anybody relies on.
            }
        }
    }

    private static Object done(Object answers, int i) {
        return ((List<?>) answers).get(i) instanceof Answer.Done<?> done ? done.value() : "";
    }
}
