package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Store;
import io.flowfabric.engine.Bulk;
import io.flowfabric.engine.Bulk.Progress;
import io.flowfabric.worker.TaskFailure;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** A replay of very many, broken off in every way there is, and begun again. */
class BulkReplayTest {
    static final Search FAILED =
            Search.in(Namespace.DEFAULT).kind(FaultScenario.KIND).states(PublicState.FAILED);

    private static final Attribution ADA = new Attribution("ada", "the bug is mended");
    private static final int EXECUTIONS = 20_000;

    /** How many are replayed before somebody breaks it off. */
    private static final int SOME = 4_000;

    /** Nothing here is about how long it takes. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final String NAME = "bulk";

    private final FaultScenario world = new FaultScenario();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void close() {
        threads.close();
        world.close();
    }

    @Test
    void very_many_failures_are_replayed_once_each_however_often_it_is_broken_off()
            throws Exception {
        failAll();
        var replay = replay(world.store());
        assertThat(replay.count(FAILED)).isEqualTo(EXECUTIONS);

        interruptedInTheMiddle();
        long left = leftAfterAtLeast(SOME, EXECUTIONS);
        withoutConnectionsInTheMiddle();
        left = leftAfterAtLeast(SOME, left);
        killedInTheMiddle();
        left = leftAfterAtLeast(SOME, left);

        // Two who know nothing of each other share the rest.
        var one = threads.submit(() -> replay.run(FAILED, far -> {}));
        var other = threads.submit(() -> replay(world.store()).run(FAILED, far -> {}));
        assertThat(one.get().done() + other.get().done()).isEqualTo(left);

        assertThat(replay.count(FAILED)).isZero();
        assertThat(replay.run(FAILED, far -> {})).isEqualTo(new Progress(0, 0, 0));
        assertThat(world.counts()).containsExactly(entry(PublicState.WAITING, (long) EXECUTIONS));
        assertThat(everything()).hasSize(EXECUTIONS).allMatch(view -> view.replays() == 1);
        assertThat(replayedInTheFeed()).hasSize(EXECUTIONS).doesNotHaveDuplicates();
    }

    private static Bulk replay(Store store) {
        return new Bulk(store, OperatorCommand.Replay::new, ADA);
    }

    private void failAll() {
        var engine = world.engine(world.store());
        engine.submissions().submit(FaultScenario.work(EXECUTIONS));
        var worker =
                FaultScenario.worker(engine)
                        .concurrency(256)
                        .handle(
                                FaultScenario.KIND,
                                task -> {
                                    throw TaskFailure.permanent("it has a bug");
                                })
                        .start();
        Waiting.until("all have failed", PATIENCE, world::drained);
        worker.stop();
        assertThat(world.counts()).containsExactly(entry(PublicState.FAILED, (long) EXECUTIONS));
    }

    /** What is left to do, of which a dry run says the same as the counts. */
    private long leftAfterAtLeast(long replayed, long before) {
        long left = replay(world.store()).count(FAILED);
        assertThat(left).isLessThanOrEqualTo(before - replayed).isPositive();
        assertThat(world.counts())
                .containsOnly(
                        entry(PublicState.FAILED, left),
                        entry(PublicState.WAITING, EXECUTIONS - left));
        return left;
    }

    private void interruptedInTheMiddle() throws Exception {
        var some = new CountDownLatch(1);
        var run = new FutureTask<>(() -> runAndTell(replay(world.store()), some));
        var thread = Thread.ofVirtual().start(run);
        await(some);
        thread.interrupt();

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(run::get)
                .withCauseInstanceOf(InterruptedException.class);
    }

    private void withoutConnectionsInTheMiddle() throws Exception {
        var some = new CountDownLatch(1);
        var store = world.another(world.options().withApplicationName(NAME));
        Future<Progress> run = threads.submit(() -> runAndTell(replay(store), some));
        await(some);
        Waiting.until(
                "it notices",
                () -> {
                    Servers.number(
                            world.options(),
                            "select count(pg_terminate_backend(pid)) from pg_stat_activity where"
                                    + " application_name = '%s'".formatted(NAME));
                    return run.isDone();
                });

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(run::get)
                .withCauseInstanceOf(StoreFailure.class);
    }

    private void killedInTheMiddle() throws Exception {
        var some = new CountDownLatch(1);
        var program =
                Child.start(
                        BulkProgram.class,
                        List.of(),
                        List.of(
                                world.options().url(),
                                Objects.requireNonNull(world.options().user()),
                                world.schema().text()),
                        Objects.requireNonNull(world.options().password()),
                        line -> {
                            if (Long.parseLong(line) >= SOME) {
                                some.countDown();
                            }
                        });
        try (program) {
            await(some);
            program.kill();
        }
    }

    private static Progress runAndTell(Bulk replay, CountDownLatch some)
            throws InterruptedException {
        return replay.run(
                FAILED,
                far -> {
                    if (far.done() >= SOME) {
                        some.countDown();
                    }
                });
    }

    private static void await(CountDownLatch some) throws InterruptedException {
        assertThat(some.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    private List<ExecutionView> everything() {
        var all = new ArrayList<ExecutionView>();
        var after = Cursor.START;
        do {
            var page = world.store().queries().search(Search.in(Namespace.DEFAULT), after, 1000);
            all.addAll(page.items());
            after = page.next();
        } while (!after.equals(Cursor.END));
        return all;
    }

    /** Whom the feed of what operators did tells to have been replayed. */
    private List<ExecutionId> replayedInTheFeed() {
        var replayed = new ArrayList<ExecutionId>();
        var feeds = world.store().feeds();
        var batch = feeds.read(FeedFilter.of(Topic.OPERATIONS), feeds.beginning(), 1000);
        while (batch.more() || !batch.entries().isEmpty()) {
            for (var entry : batch.entries()) {
                if (entry.event() instanceof Event.Step step
                        && step.transition() == Transition.REPLAY) {
                    replayed.add(step.execution());
                }
            }
            batch = feeds.read(FeedFilter.of(Topic.OPERATIONS), batch.next(), 1000);
        }
        return replayed;
    }
}
