package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.store.Store;
import io.flowfabric.engine.CommitClock;
import io.flowfabric.engine.Engine;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.fault.Witness;
import io.flowfabric.testkit.history.History;
import io.flowfabric.testkit.history.HistoryAssert;
import io.flowfabric.testkit.memory.MemoryStore;
import io.flowfabric.worker.Task;
import io.flowfabric.worker.TaskResult;
import io.flowfabric.worker.Worker;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** After every commit of every operation, its caller hears of a failure and not of the commit. */
class LostAnswersTest {
    private static final Duration TTL = Duration.ofSeconds(1);
    private static final Attribution OPERATOR = new Attribution("ada", "to see what happens");
    private static final List<String> EVERY_CALL =
            List.of(
                    "submit",
                    "open",
                    "claim",
                    "progress",
                    "end",
                    "heartbeat",
                    "close",
                    "act",
                    "tick",
                    "nextDue");
    private static final Policy POLICY =
            Policy.DEFAULT
                    .maxReclaims(1000)
                    .retry(Retry.retries(1000).backoff(Backoff.fixed(Duration.ofMillis(2))));

    private final Witness witness = new Witness(InstantSource.system());
    private final LostAnswers loss = new LostAnswers();
    private final Random random = new Random(7);
    private final Set<Fence> begun = ConcurrentHashMap.newKeySet();
    private final AtomicInteger twice = new AtomicInteger();

    @Test
    void everything_ends_once_in_memory() {
        var clock = new CommitClock(InstantSource.system());
        everythingEndsOnce(
                HookedStore.over(new MemoryStore(clock), (name, call) -> clock.commit(call)));
    }

    @Test
    void everything_ends_once_on_postgres() {
        var options = Servers.options(Servers.shared());
        var schema = Servers.freshSchema();
        try (var store = PostgresStore.open(options, schema)) {
            everythingEndsOnce(store);
        }
        Servers.execute(options, "drop schema " + schema + " cascade");
    }

    @Test
    void everything_ends_once_on_valkey() {
        try (var store = StoreAddress.fresh(RedisServers.shared()).open()) {
            everythingEndsOnce(store);
        }
    }

    private void everythingEndsOnce(Store store) {
        Store lossy = HookedStore.over(store, witness.watching(loss));
        try (var first = new Engine(lossy);
                var second = new Engine(lossy)) {
            first.start();
            second.start();
            var workers = List.of(worker(first), worker(second));

            Waiting.until(
                    "the answers to all kinds of calls were lost",
                    () -> {
                        var wave =
                                FaultScenario.submit(
                                        lossy, FaultScenario.work(FaultScenario.KIND, 40, POLICY));
                        operateOn(lossy, wave);
                        closeSomebodysSession(lossy);
                        return loss.kinds().containsAll(EVERY_CALL) && begun.size() > 400;
                    });
            Waiting.until("all work has ended", () -> drained(store));
            workers.forEach(Worker::stop);
        }

        HistoryAssert.assertThat(
                        History.of(store, InstantSource.system().instant(), witness.acknowledged())
                                .meantToBeDrained())
                .isSound();
        assertThat(twice).as("leases that were worked on twice").hasValue(0);
    }

    private Worker worker(Engine engine) {
        return FaultScenario.worker(engine)
                .ttl(TTL)
                .concurrency(6)
                .handleWithResult(FaultScenario.KIND, this::handle)
                .start();
    }

    private TaskResult handle(Task task) {
        if (!begun.add(task.fence())) {
            twice.incrementAndGet();
        }
        return switch (Math.floorMod(task.fence().hashCode(), 10)) {
            case 0 -> throw new IllegalStateException("again");
            case 1 -> TaskResult.release();
            case 2 -> TaskResult.delay(Due.in(Duration.ofMillis(3)));
            case 3 -> TaskResult.cancel("no need");
            case 4, 5 -> {
                task.progress(50, "half");
                task.progress(50, "half");
                yield done(task);
            }
            case 6 -> {
                Waiting.pause(Duration.ofMillis(30));
                yield done(task);
            }
            default -> done(task);
        };
    }

    private static TaskResult done(Task task) {
        return TaskResult.complete(Payload.text("done " + task.fence()));
    }

    /** One operator, who repeats what got no answer, and leaves nothing paused. */
    private void operateOn(Store store, List<ExecutionId> wave) {
        for (var id : wave.subList(0, 10)) {
            var acts = new ArrayList<OperatorCommand>();
            switch (random.nextInt(7)) {
                case 0 -> acts.add(new OperatorCommand.Cancel(id));
                case 1 -> acts.add(new OperatorCommand.Complete(id, Payload.text("by hand")));
                case 2 ->
                        acts.add(
                                new OperatorCommand.Fail(
                                        id, Failure.of(Failure.PERMANENT, "by hand")));
                case 3 -> acts.add(new OperatorCommand.Reprioritise(id, random.nextInt(100)));
                case 4 -> acts.add(new OperatorCommand.Revoke(id));
                case 5 -> acts.add(new OperatorCommand.Replay(id));
                default -> {
                    acts.add(new OperatorCommand.Pause(id));
                    acts.add(new OperatorCommand.Resume(id));
                }
            }
            for (var act : acts) {
                Persistence.repeat(() -> store.operations().act(List.of(act), OPERATOR));
            }
        }
    }

    /** Behind the back of the worker whose it is, so that it must open another one. */
    private static void closeSomebodysSession(Store store) {
        var active = Search.in(Namespace.DEFAULT).states(PublicState.ACTIVE);
        var views = Persistence.repeat(() -> store.queries().search(active, Cursor.START, 1));
        for (var view : views.items()) {
            var session = view.owner().orElseThrow().session();
            Persistence.repeat(
                    () -> {
                        store.sessions().close(session);
                        return true;
                    });
        }
    }

    private static boolean drained(Store store) {
        return store.queries().counts(Namespace.DEFAULT).values().stream()
                .flatMap(lane -> lane.entrySet().stream())
                .allMatch(count -> count.getKey().terminal() || count.getValue() == 0);
    }
}
