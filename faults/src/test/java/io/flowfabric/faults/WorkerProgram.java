package io.flowfabric.faults;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.store.Store;
import io.flowfabric.engine.Engine;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.worker.Task;
import io.flowfabric.worker.TaskFailure;
import io.flowfabric.worker.Worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/**
 * A program that runs a worker until its input ends, and says what it does:
 *
 * <ul>
 *   <li>{@code ready} once it runs;
 *   <li>{@code begun <fence>} when a handler that holds on begins;
 *   <li>{@code ended <fence> <result>} when the store has acknowledged a completion;
 *   <li>{@code tried <fence> <what> <answer>} when a handler that held on wrote by itself.
 * </ul>
 */
final class WorkerProgram {
    /** The kind of work that holds on until the program is told to go on. */
    static final String HOLD = "hold";

    /** The kind of work that fails at first, and then is short. */
    static final String FRAIL = "frail";

    /**
     * The kind of work that reports what it uses up: its input names the budget, and then how many
     * tokens one after the other. One in four fails at first, when it has reported the first part.
     */
    static final String SPENDING = "spending";

    static final String TOKENS = "tokens";

    /** Tells those who hold on to finish. */
    static final String GO = "go";

    /** Tells them to write with the leases that they once had, and then to finish. */
    static final String WRITE = "write";

    private final String name;
    private final Store store;
    private final CountDownLatch go = new CountDownLatch(1);
    private volatile boolean writes;

    private WorkerProgram(String name, Store store) {
        this.name = name;
        this.store = HookedStore.over(store, WorkerProgram::watch);
    }

    /**
     * Takes the words of a {@link StoreAddress}, name, lane, time to live in milliseconds, how much
     * each worker does at once, and how many workers there are.
     */
    public static void main(String... words) throws IOException {
        var address = StoreAddress.parse(List.of(words));
        // The server may be away just now, as for any process that an orchestrator starts.
        try (var store = Persistence.repeat(() -> address.open(words[3]))) {
            new WorkerProgram(words[3], store)
                    .run(
                            words[4],
                            Duration.ofMillis(Long.parseLong(words[5])),
                            Integer.parseInt(words[6]),
                            Integer.parseInt(words[7]));
        }
    }

    /** How the connections of a worker process of this name are called in the server. */
    static String applicationName(String name) {
        return "flowfabric-" + name;
    }

    private void run(String lane, Duration ttl, int concurrency, int count) throws IOException {
        try (var engine = new Engine(store)) {
            engine.start();
            var workers =
                    IntStream.range(0, count)
                            .mapToObj(i -> worker(engine, lane, ttl, concurrency))
                            .toList();
            say("ready");
            awaitEndOfInput();
            workers.forEach(worker -> worker.stop(Duration.ofSeconds(5)));
        }
    }

    private Worker worker(Engine engine, String lane, Duration ttl, int concurrency) {
        return Worker.on(engine)
                .name(name)
                .lane(lane)
                .ttl(ttl)
                .concurrency(concurrency)
                .handle(FaultScenario.KIND, this::welcome)
                .handle(HOLD, this::hold)
                .handle(FRAIL, this::frail)
                .handle(SPENDING, this::spend)
                // Only the workers of this process have a handler for it.
                .handle(name, this::welcome)
                .start();
    }

    private void awaitEndOfInput() throws IOException {
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (var line = input.readLine(); line != null; line = input.readLine()) {
            writes = line.equals(WRITE);
            go.countDown();
        }
    }

    /** Work that takes a few moments, always as many. */
    private Payload welcome(Task task) {
        long moments = Math.floorMod(task.execution().hashCode(), 60);
        if (moments % 4 == 0) {
            task.progress(50, "half");
        }
        Waiting.pause(Duration.ofMillis(moments));
        return result(task);
    }

    /** Work whose first attempt fails, for one in four. */
    private Payload frail(Task task) {
        int chance = Math.floorMod(task.execution().hashCode(), 20);
        Waiting.pause(Duration.ofMillis(chance));
        if (task.attempt() == 1 && chance % 4 == 0) {
            throw new TaskFailure(Failure.TRANSIENT, "not at first");
        }
        return result(task);
    }

    private Payload spend(Task task) {
        var words = task.input().asText().split(" ", -1);
        int chance = Math.floorMod(task.execution().hashCode(), 20);
        for (int part = 1; part < words.length; part++) {
            Waiting.pause(Duration.ofMillis(chance));
            report(task, words[0], Long.parseLong(words[part]), part);
            if (task.attempt() == 1 && chance % 4 == 0) {
                throw new TaskFailure(Failure.TRANSIENT, "not at first");
            }
        }
        return result(task);
    }

    /** Under a key that tells attempts apart, but not who goes on with one. */
    private static void report(Task task, String budget, long amount, int part) {
        var key = "%s/%d/%d".formatted(task.execution(), task.attempt(), part);
        task.spend(budget, TOKENS, amount, key);
    }

    /** Work that takes as long as it is let, and notices nothing meanwhile. */
    private Payload hold(Task task) {
        say("begun " + task.fence());
        while (go.getCount() > 0) {
            try {
                go.await();
            } catch (InterruptedException e) {
                // It is told that its time is over, and does not listen.
            }
        }
        if (writes) {
            // In a thread that nobody interrupts: a store would give up on the others.
            CompletableFuture.runAsync(
                            () -> {
                                report(task);
                                writeByItself(task.fence());
                            },
                            Thread::startVirtualThread)
                    .join();
        }
        return result(task);
    }

    private static void report(Task task) {
        try {
            task.progress(99, "nearly");
            say("tried %s report accepted".formatted(task.fence()));
        } catch (FlowFabricException e) {
            say("tried %s report %s".formatted(task.fence(), word(e)));
        }
    }

    /** Past everything in this process that would keep it from writing. */
    private void writeByItself(Fence fence) {
        var progress = store.leases().progress(List.of(new Progress(fence, 99, "late"))).getFirst();
        say("tried %s progress %s".formatted(fence, word(progress)));
        var ending = new Ending.Complete(fence, Payload.text("stolen"));
        say(
                "tried %s end %s"
                        .formatted(fence, word(store.leases().end(List.of(ending)).getFirst())));
    }

    private static String word(Answer<?> answer) {
        return answer instanceof Answer.Refused<?>(var refusal) ? word(refusal) : "accepted";
    }

    private static String word(FlowFabricException refusal) {
        return refusal.getClass().getSimpleName();
    }

    private Payload result(Task task) {
        return result(name, task);
    }

    /** What work of a process of this name is completed with. */
    static Payload result(String name, Task task) {
        return Payload.text(name + " " + task.fence());
    }

    /** Says which completions the store has acknowledged. */
    static Object watch(String call, HookedStore.Call real) throws Exception {
        var answer = real.call();
        if (call.equals("end")) {
            var endings = (List<?>) real.argument();
            for (int i = 0; i < endings.size(); i++) {
                if (endings.get(i) instanceof Ending.Complete(var fence, var result)
                        && ((List<?>) answer).get(i) instanceof Answer.Done<?>) {
                    say("ended %s %s".formatted(fence, result.asText()));
                }
            }
        }
        return answer;
    }

    static synchronized void say(String line) {
        System.out.println(line);
    }
}
