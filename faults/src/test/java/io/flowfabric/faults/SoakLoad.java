package io.flowfabric.faults;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.fault.HookedStore;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Those who use the store during a {@link Soak}: they submit in batches, in transactions of their
 * own and under keys, submit the same again, cancel, and raise what is used up. They go as fast as
 * they are told and no faster, so that one minute is like the next.
 */
final class SoakLoad implements AutoCloseable {
    private static final Duration EVERY = Duration.ofMillis(250);
    private static final int BATCH = 8;
    private static final int REMEMBERED = 200;
    private static final Attribution OPERATOR = new Attribution("ada", "the customer says so");

    private final SoakServer server;
    private final Store watched;
    private final SoakJudge judge;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Deque<ExecutionId> recent = new ArrayDeque<>();
    private volatile boolean over;

    SoakLoad(SoakServer server, SoakJudge judge, long seed) {
        this.server = server;
        this.judge = judge;
        this.watched =
                HookedStore.over(
                        server.store(), judge.witness().watching((name, call) -> call.call()));
        start(new Random(seed), this::submitBatch);
        start(new Random(seed + 1), this::submitBatch);
        start(
                new Random(seed + 2),
                server.hasTransactions() ? this::submitInTransaction : this::submitOne);
        start(new Random(seed + 3), this::submitTwice);
        start(new Random(seed + 4), this::cancel);
        var unused =
                threads.submit(
                        () -> each(Duration.ofSeconds(2), () -> SoakMix.goOn(server.store())));
    }

    private interface Habit {
        void once(SoakMix mix) throws SQLException;
    }

    private void start(Random random, Habit habit) {
        var mix = new SoakMix(random);
        var unused = threads.submit(() -> each(EVERY, () -> habit.once(mix)));
    }

    private interface Deed {
        void run() throws SQLException;
    }

    /** Again and again; what fails because something is broken is left, and the next one tried. */
    private void each(Duration pause, Deed deed) {
        while (!over) {
            try {
                deed.run();
            } catch (FlowFabricException | SQLException e) {
                // It was not told that anything is done, and nothing is promised.
                judge.failedCall();
            } catch (RuntimeException e) {
                judge.wrong("a caller got " + e);
            }
            Waiting.pause(pause);
        }
    }

    private void submitBatch(SoakMix mix) {
        submit(IntStream.range(0, BATCH).mapToObj(i -> mix.next()).toList());
    }

    private void submitOne(SoakMix mix) {
        submit(List.of(mix.next()));
    }

    private void submit(List<Submission> works) {
        works.forEach(judge::submitting);
        FaultScenario.submit(watched, works).forEach(this::remember);
    }

    /** One in four changes its mind. */
    private void submitInTransaction(SoakMix mix) throws SQLException {
        var work = mix.next();
        boolean commits = mix.random().nextInt(4) > 0;
        if (commits) {
            judge.submitting(work);
        } else {
            judge.rolledBack(work.id());
        }
        var id = server.submitInTransaction(work, commits);
        if (commits) {
            judge.witness().accepted(work);
            remember(id);
        }
    }

    /** Under one key, by its own id again and by another one, as callers do who heard nothing. */
    private void submitTwice(SoakMix mix) {
        var work = mix.next().key("key-" + mix.random().nextLong());
        judge.submitting(work);
        var again = work.id(ExecutionId.mint());
        for (var repeat : List.of(work, work, again)) {
            if (!FaultScenario.submit(watched, List.of(repeat)).contains(work.id())) {
                judge.wrong("the key of %s gave another execution".formatted(work.id()));
            }
        }
    }

    private synchronized void remember(ExecutionId id) {
        recent.addLast(id);
        if (recent.size() > REMEMBERED) {
            recent.removeFirst();
        }
    }

    private synchronized List<ExecutionId> some(Random random) {
        return recent.stream().filter(id -> random.nextInt(REMEMBERED) == 0).toList();
    }

    /** Whatever it is at: waiting, running or over. */
    private void cancel(SoakMix mix) {
        var acts =
                some(mix.random()).stream()
                        .<OperatorCommand>map(OperatorCommand.Cancel::new)
                        .toList();
        if (!acts.isEmpty()) {
            watched.operations().act(acts, OPERATOR);
        }
    }

    /** Lets all of them come to an end. */
    void end() {
        over = true;
        threads.shutdown();
        try {
            if (!threads.awaitTermination(2, TimeUnit.MINUTES)) {
                throw new AssertionError("a submitter does not end");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        over = true;
        threads.shutdownNow();
    }
}
