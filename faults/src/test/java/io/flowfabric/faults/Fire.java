package io.flowfabric.faults;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.submit.Submission;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Sixteen workers in four processes at thousands of executions. Processes are killed and stopped,
 * and work is cancelled, whatever it is at.
 */
final class Fire {
    static final int KILLS = 5;
    static final int BATCH = 600;

    /** No more is submitted while so much has not ended. */
    private static final long CROWD = 8 * BATCH;

    /** How many executions can run at once. */
    static final int PLACES = 64;

    private static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration LONGER_THAN_IT_LIVES = TTL.plusMillis(500);
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int PROCESSES = 4;
    private static final int WORKERS_EACH = 4;
    private static final int AT_ONCE = PLACES / PROCESSES / WORKERS_EACH;
    private static final int CANCELLED = 25;
    private static final Attribution OPERATOR =
            new Attribution("ada", "the customer has changed his mind");

    private final FaultScenario world;
    private final Random random;
    private final Supplier<Submission> work;
    private final List<ExecutionId> submitted = new ArrayList<>();
    private final List<Submission> submissions = new ArrayList<>();

    /**
     * @param work what there is to do, another piece each time
     */
    Fire(FaultScenario world, Random random, Supplier<Submission> work) {
        this.world = world;
        this.random = random;
        this.work = work;
    }

    /**
     * Lets it burn for so many kills and until all work has ended, and judges the history.
     *
     * @param meanwhile what else happens between one kill and the next
     */
    void burn(Runnable meanwhile) {
        submit();
        var workers = new ArrayList<WorkerProcess>();
        for (int i = 0; i < PROCESSES; i++) {
            workers.add(worker("worker-" + i));
        }
        workers.forEach(WorkerProcess::awaitReady);
        for (int i = 0; i < KILLS; i++) {
            if (world.live() < CROWD) {
                submit();
            }
            cancelSome();
            Waiting.pause(Duration.ofMillis(200 + random.nextInt(600)));
            meanwhile.run();
            workers.remove(random.nextInt(workers.size())).kill();
            workers.add(worker("successor-" + i));
        }
        var sleeper = workers.getFirst();
        sleeper.freeze();
        submit();
        cancelSome();
        Waiting.pause(LONGER_THAN_IT_LIVES);
        sleeper.thaw();
        meanwhile.run();
        Waiting.until("all work has ended", PATIENCE, world::drained);
        world.judge();
    }

    private WorkerProcess worker(String name) {
        return world.process(name, TTL, AT_ONCE, WORKERS_EACH);
    }

    private void submit() {
        var works = IntStream.range(0, BATCH).mapToObj(i -> work.get()).toList();
        submitted.addAll(FaultScenario.submit(world.watched(), works));
        submissions.addAll(works);
    }

    /** Whatever they are at: waiting, running or over. */
    private void cancelSome() {
        var acts =
                IntStream.range(0, CANCELLED)
                        .mapToObj(i -> submitted.get(random.nextInt(submitted.size())))
                        .distinct()
                        .<OperatorCommand>map(OperatorCommand.Cancel::new)
                        .toList();
        world.watched().operations().act(acts, OPERATOR);
    }

    /** All that was submitted, in order. */
    List<ExecutionId> ids() {
        return submitted;
    }

    /** What it was, in the same order. */
    List<Submission> works() {
        return submissions;
    }

    /** Shows what happened to somebody who looks at it again. */
    void replay(LeaseReplay replay) {
        var feeds = world.store().feeds();
        var filter = FeedFilter.of(Topic.EVERYTHING);
        var batch = feeds.read(filter, feeds.beginning(), 1000);
        while (true) {
            batch.entries().forEach(entry -> replay.add(entry.event()));
            if (!batch.more()) {
                return;
            }
            batch = feeds.read(filter, batch.next(), 1000);
        }
    }
}
