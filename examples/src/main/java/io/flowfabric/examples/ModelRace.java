package io.flowfabric.examples;

import static io.flowfabric.Flow.afterQuorum;
import static io.flowfabric.examples.Story.claim;

import io.flowfabric.DurableTask;
import io.flowfabric.Flow;
import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;
import io.flowfabric.WorkFailed;
import io.flowfabric.WorkHandle;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.state.Outcome;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/** Three models are asked the same; the first answer is taken, and the others are stopped. */
final class ModelRace {
    private static final Duration A_MINUTE = Duration.ofMinutes(1);

    record Question(String model, String text) {}

    private static final Kind<Question, String> ASK =
            Kind.of("ask-model", Question.class, String.class).lane("models");
    private static final Kind<String, String> PRESENT =
            Kind.of("present", String.class, String.class).lane("models");

    private ModelRace() {}

    static void run(FlowFabric fabric, PrintStream out) throws Exception {
        var asked = new CountDownLatch(3);
        var stopped = new CountDownLatch(2);
        var worker =
                fabric.worker("models")
                        .on(
                                ASK,
                                (task, question) -> {
                                    out.println(question.model() + " begins to think");
                                    asked.countDown();
                                    asked.await();
                                    if (!question.model().equals("swift")) {
                                        thinkForEver(question.model(), stopped, out);
                                    }
                                    return "42, says " + question.model();
                                })
                        .on(PRESENT, (task, title) -> title + ": " + answer(task))
                        .start();

        var text = "What is the answer?";
        var race =
                fabric.submit(
                        Flow.of("race")
                                .task("swift", ASK.with(new Question("swift", text)))
                                .task("thorough", ASK.with(new Question("thorough", text)))
                                .task("wise", ASK.with(new Question("wise", text)))
                                .task(
                                        "winner",
                                        PRESENT.with("The answer"),
                                        afterQuorum(1, "swift", "thorough", "wise")));

        claim(out, race.await(A_MINUTE) == FlowState.COMPLETED, "the race is over");
        var winner = race.result("winner", String.class).orElseThrow();
        claim(out, winner.equals("The answer: 42, says swift"), winner);
        stopped.await();
        claim(out, true, "the handlers of the two others were interrupted");
        for (var name : new String[] {"thorough", "wise"}) {
            claim(
                    out,
                    outcome(race.task(name, String.class)) == Outcome.SKIPPED,
                    name + " was skipped");
        }
        worker.stop();
    }

    private static String answer(DurableTask task) {
        return Stream.of("swift", "thorough", "wise")
                .flatMap(model -> task.upstream(model, String.class).stream())
                .findFirst()
                .orElseThrow();
    }

    private static void thinkForEver(String model, CountDownLatch stopped, PrintStream out)
            throws InterruptedException {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException enough) {
            out.println(model + " is told to stop");
            stopped.countDown();
            throw enough;
        }
    }

    private static Outcome outcome(WorkHandle<String> work) throws InterruptedException {
        try {
            work.await(A_MINUTE);
            return Outcome.SUCCESS;
        } catch (WorkFailed failed) {
            return failed.outcome();
        }
    }
}
