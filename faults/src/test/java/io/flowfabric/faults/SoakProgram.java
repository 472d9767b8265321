package io.flowfabric.faults;

import io.flowfabric.core.Failure;
import io.flowfabric.core.Payload;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.store.Store;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.EngineMetrics;
import io.flowfabric.engine.EngineOptions;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.worker.Task;
import io.flowfabric.worker.TaskFailure;
import io.flowfabric.worker.TaskResult;
import io.flowfabric.worker.Worker;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;

/**
 * A process of a {@link Soak}: an engine, and a worker unless it has no places for work. It runs
 * until its input ends, says {@code ready} once it runs, and {@code ended <fence> <result>} when
 * the store has acknowledged a completion.
 */
final class SoakProgram {
    /** Kinds of work, as the handlers below treat them. */
    enum Kind {
        /** A few milliseconds. */
        QUICK,
        /** Its first attempt fails, for one in four. */
        FRAIL,
        /** A quarter of a second, with reports; longer than some of it is allowed to take. */
        SLOW,
        /** Answers with a checksum of its large input. */
        LARGE,
        /** Reports what it uses: its input is the budget and how much, one after the other. */
        SPENDING,
        /** Lets go until the moment that its input names. */
        PATIENT;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static final String TOKENS = "tokens";

    /** The name of the process that nothing happens to. */
    static final String VETERAN = "veteran";

    private static final EngineOptions OFTEN =
            EngineOptions.DEFAULT
                    .retentionEvery(Duration.ofSeconds(5))
                    .recountEvery(Duration.ofMinutes(1));

    private final String name;

    private SoakProgram(String name) {
        this.name = name;
    }

    /**
     * Takes the words of a {@link StoreAddress}, name, time to live in milliseconds, places, and
     * then lanes.
     */
    public static void main(String... words) throws IOException {
        var address = StoreAddress.parse(List.of(words));
        // The server may be away just now, as for any process that an orchestrator starts.
        try (var store = Persistence.repeat(() -> address.open(words[3]))) {
            new SoakProgram(words[3])
                    .run(
                            store,
                            Duration.ofMillis(Long.parseLong(words[4])),
                            Integer.parseInt(words[5]),
                            List.of(words).subList(6, words.length));
        }
    }

    private void run(Store store, Duration ttl, int places, List<String> lanes) throws IOException {
        var watched = HookedStore.over(store, WorkerProgram::watch);
        try (var engine = new Engine(watched, OFTEN, EngineMetrics.NONE)) {
            engine.start();
            if (places == 0) {
                WorkerProgram.say("ready");
                awaitEndOfInput();
                return;
            }
            var builder = Worker.on(engine).name(name).ttl(ttl).concurrency(places);
            lanes.forEach(builder::lane);
            var worker =
                    builder.grace(Duration.ofSeconds(5))
                            .handle(Kind.QUICK.word(), this::quick)
                            .handle(Kind.FRAIL.word(), this::frail)
                            .handle(Kind.SLOW.word(), this::slow)
                            .handle(Kind.LARGE.word(), SoakProgram::large)
                            .handle(Kind.SPENDING.word(), this::spend)
                            .handleWithResult(Kind.PATIENT.word(), this::patient)
                            .start();
            if (name.equals(VETERAN)) {
                Thread.ofPlatform().daemon().start(SoakProgram::tellOfItsHeap);
            }
            WorkerProgram.say("ready");
            awaitEndOfInput();
            worker.stop();
        }
    }

    /** So that its memory shows what it needs, and not when it was last cleaned up. */
    private static void tellOfItsHeap() {
        while (true) {
            Waiting.pause(Duration.ofSeconds(20));
            System.gc();
            long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
            WorkerProgram.say("heap " + used / (double) (1 << 20));
        }
    }

    private static void awaitEndOfInput() throws IOException {
        while (System.in.read() >= 0) {
            // Nothing is said to it but that it should end.
        }
    }

    private Payload quick(Task task) {
        Waiting.pause(Duration.ofMillis(chance(task)));
        return result(task);
    }

    private Payload frail(Task task) {
        Waiting.pause(Duration.ofMillis(chance(task)));
        if (task.attempt() == 1 && chance(task) % 4 == 0) {
            throw new TaskFailure(Failure.TRANSIENT, "not at first");
        }
        return result(task);
    }

    private Payload slow(Task task) throws InterruptedException {
        for (int part = 1; part <= 5; part++) {
            // It can be interrupted, as work can be.
            boolean unused = new CountDownLatch(1).await(50, TimeUnit.MILLISECONDS);
            task.progress(20 * part, "part " + part);
        }
        return result(task);
    }

    private static Payload large(Task task) {
        return Payload.text(Long.toString(checksum(task.input())));
    }

    static long checksum(Payload payload) {
        var crc = new CRC32();
        crc.update(payload.bytes());
        return crc.getValue();
    }

    /** Under a key that tells attempts apart, but not who goes on with one. */
    private Payload spend(Task task) {
        var words = task.input().asText().split(" ", -1);
        for (int part = 1; part < words.length; part++) {
            Waiting.pause(Duration.ofMillis(chance(task)));
            var key = "%s/%d/%d".formatted(task.execution(), task.attempt(), part);
            task.spend(words[0], TOKENS, Long.parseLong(words[part]), key);
        }
        return result(task);
    }

    private TaskResult patient(Task task) {
        var until = Instant.parse(task.input().asText());
        return Instant.now().isBefore(until)
                ? TaskResult.delay(Due.at(until))
                : TaskResult.complete(result(task));
    }

    private static int chance(Task task) {
        return Math.floorMod(task.execution().hashCode(), 20);
    }

    private Payload result(Task task) {
        return WorkerProgram.result(name, task);
    }
}
