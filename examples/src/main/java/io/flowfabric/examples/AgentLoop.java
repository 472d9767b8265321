package io.flowfabric.examples;

import static io.flowfabric.examples.Story.claim;

import io.flowfabric.DurableTask;
import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.stream.StreamEnd;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

/** An agent thinks, uses tools and asks a person, in a loop; a reader looks on. */
final class AgentLoop {
    private static final Duration A_MINUTE = Duration.ofMinutes(1);
    private static final int MOST_TURNS = 10;

    /** What the model wants next. */
    record Thought(String words, String tool) {}

    private static final Kind<String, String> AGENT =
            Kind.of("agent", String.class, String.class).lane("agents");

    private final FakeModel model = new FakeModel();
    private final AtomicInteger runs = new AtomicInteger();

    private AgentLoop() {}

    static void run(FlowFabric fabric, PrintStream out) throws Exception {
        var loop = new AgentLoop();
        var worker = fabric.worker("agents").on(AGENT, loop::work).start();

        var agent = fabric.submit(AGENT.with("Plan a picnic"));
        var reader = new FutureTask<>(() -> watch(fabric, agent.id(), out));
        Thread.ofVirtual().start(reader);

        agent.signal("question-2", "by train"); // it is kept until the agent asks
        var plan = agent.await(A_MINUTE);
        claim(out, plan.equals("A picnic at the lake, by train"), "its result: " + plan);
        claim(out, reader.get() == StreamEnd.COMPLETED, "the reader saw the stream to its end");
        claim(out, loop.runs.get() == 2, "the handler ran twice, because it waited for a person");
        claim(out, loop.model.calls.get() == 3, "the model was asked once for each of three turns");
        worker.stop();
    }

    private String work(DurableTask task, String goal) throws Exception {
        runs.incrementAndGet();
        var seen = new ArrayList<String>(List.of(goal));
        for (int turn = 1; turn <= MOST_TURNS; turn++) {
            // What is said inside of a step is said once, as the step is done once.
            var thought = task.step("think-" + turn, Thought.class, () -> think(task, seen));
            switch (thought.tool()) {
                case "done" -> {
                    return thought.words();
                }
                case "weather" ->
                        seen.add(
                                task.step("tool-" + turn, String.class, () -> "sunny at the lake"));
                case "ask" ->
                        seen.add(task.awaitSignal("question-" + turn, String.class).orElseThrow());
                default -> throw new IllegalStateException("There is no tool " + thought.tool());
            }
        }
        throw new IllegalStateException("It came to no end in %d turns.".formatted(MOST_TURNS));
    }

    private Thought think(DurableTask task, List<String> seen) {
        var thought = model.next(seen);
        for (var word : thought.words().split(" ", -1)) {
            task.stream("word", Payload.text(word)); // a real model brings them one by one
        }
        task.stream("turn", Payload.text(thought.tool()));
        return thought;
    }

    /** Shows what the agent says in its first attempt, as it says it. */
    private static StreamEnd watch(FlowFabric fabric, ExecutionId agent, PrintStream out)
            throws InterruptedException {
        var line = new StringBuilder();
        for (long next = 0; ; ) {
            var page = fabric.engine().tail(agent, 0, next, 100, A_MINUTE);
            for (var frame : page.frames()) {
                if (frame.type().equals("turn")) {
                    out.printf("agent:%s [%s]%n", line, frame.payload().asText());
                    line.setLength(0);
                } else {
                    line.append(' ').append(frame.payload().asText());
                }
            }
            if (page.last()) {
                return page.closed().orElseThrow();
            }
            next = page.next();
        }
    }

    /** Stands in for a language model: three turns to a plan. */
    private static final class FakeModel {
        private final AtomicInteger calls = new AtomicInteger();

        Thought next(List<String> seen) {
            calls.incrementAndGet();
            return switch (seen.size()) {
                case 1 -> new Thought("I look at the weather first", "weather");
                case 2 -> new Thought("It is " + seen.get(1) + ", how do you travel?", "ask");
                default -> new Thought("A picnic at the lake, " + seen.getLast(), "done");
            };
        }
    }
}
