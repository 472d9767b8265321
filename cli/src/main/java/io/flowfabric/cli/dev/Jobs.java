package io.flowfabric.cli.dev;

import io.flowfabric.core.Failure;
import io.flowfabric.core.Payload;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.query.Queries;
import io.flowfabric.worker.Task;
import io.flowfabric.worker.TaskFailure;
import io.flowfabric.worker.TaskResult;
import io.flowfabric.worker.WorkerBuilder;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** What the demo workers can do. */
final class Jobs {
    static final String GREET = "greet";
    static final String FLAKY = "flaky";
    static final String BROKEN = "broken";
    static final String STUCK = "stuck";
    static final String POLL = "poll";
    static final String HAUL = "haul";

    /** How many times {@link #FLAKY} fails before it succeeds. */
    static final int BAD_TRIES = 2;

    /** How many times {@link #POLL} finds nothing before it is done. */
    private static final int EMPTY_LOOKS = 2;

    private static final Duration FOR_EVER = Duration.ofMinutes(10);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(700);

    private final Queries queries;

    private Jobs(Queries queries) {
        this.queries = queries;
    }

    /**
     * Teaches a worker all of it.
     *
     * @param queries where jobs look up what has become of them before
     */
    static WorkerBuilder teach(WorkerBuilder worker, Queries queries) {
        var jobs = new Jobs(queries);
        return worker.handle(GREET, Jobs::greet)
                .handle(FLAKY, Jobs::flaky)
                .handle(BROKEN, Jobs::broken)
                .handle(STUCK, Jobs::stuck)
                .handle(HAUL, jobs::haul)
                .handleWithResult(POLL, jobs::poll);
    }

    private static Payload greet(Task task) throws InterruptedException {
        work(Duration.ofMillis(ThreadLocalRandom.current().nextInt(30, 120)));
        return Payload.text("Hello, " + task.input().asText() + ".");
    }

    private static Payload flaky(Task task) throws InterruptedException {
        work(Duration.ofMillis(20));
        if (task.attempt() <= BAD_TRIES) {
            throw new TaskFailure(
                    Failure.TRANSIENT, "The other side hung up on try " + task.attempt() + ".");
        }
        return Payload.text("The other side answered.");
    }

    private static Payload broken(Task task) {
        throw TaskFailure.permanent("Nobody can read " + task.input().asText() + ".");
    }

    /** Ends only when its thread is interrupted: because it took too long, or was cancelled. */
    private static Payload stuck(Task task) throws InterruptedException {
        work(FOR_EVER);
        return Payload.EMPTY;
    }

    /**
     * Under its first lease it never comes to an end, so that its worker can be killed over it. The
     * worker that takes it over is done in a second. Its history tells them apart.
     */
    private Payload haul(Task task) throws InterruptedException {
        long lease = leases(task);
        boolean first = lease == 1;
        task.progress(first ? 10 : 50, first ? "loading" : "going on where somebody stopped");
        work(first ? FOR_EVER : Duration.ofSeconds(1));
        return Payload.text("Delivered under lease " + lease + ".");
    }

    private TaskResult poll(Task task) {
        return leases(task) <= EMPTY_LOOKS
                ? TaskResult.delay(Due.in(BETWEEN_LOOKS))
                : TaskResult.complete(Payload.text("It had arrived."));
    }

    /** How many leases it was given, with the one of now. */
    private long leases(Task task) {
        return queries.history(task.execution()).stream()
                .filter(event -> event instanceof Event.Step step && step.transition().givesLease())
                .count();
    }

    /** Stands for work: it takes time, and can be interrupted. */
    private static void work(Duration time) throws InterruptedException {
        boolean unused = new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
    }
}
