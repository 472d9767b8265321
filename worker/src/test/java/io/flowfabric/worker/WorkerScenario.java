package io.flowfabric.worker;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Result;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.CommitClock;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.EngineOptions;
import io.flowfabric.engine.Eventually;
import io.flowfabric.engine.ManualTime;
import io.flowfabric.engine.Tally;
import io.flowfabric.engine.Time;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.memory.MemoryStore;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** A store in memory with engines and workers on it, all of them stopped at the end of a test. */
final class WorkerScenario implements AutoCloseable {
    static final Lane LANE = Lane.of("emails");

    final Tally tally = new Tally();
    final Store memory;
    final CommitClock clock;
    private final Time time;
    private final List<Worker> started = new ArrayList<>();
    private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
    private final Deque<Runnable> open = new ArrayDeque<>();
    private volatile HookedStore.Hook hook = (call, real) -> real.call();
    private final Engine engine;

    WorkerScenario(Time time) {
        this.time = time;
        this.clock = new CommitClock(time);
        this.memory = HookedStore.over(new MemoryStore(clock), (name, call) -> clock.commit(call));
        open.push(memory::close);
        this.engine =
                engine(
                        (call, real) -> {
                            calls.computeIfAbsent(call, first -> new AtomicInteger())
                                    .incrementAndGet();
                            return hook.around(call, real);
                        });
    }

    /** The engine that tests use unless they need more than one. */
    Engine engine() {
        return engine;
    }

    /** Another engine on the same store, with a hook in every call. */
    Engine engine(HookedStore.Hook around) {
        Store store = HookedStore.over(memory, around);
        var made = new Engine(store, EngineOptions.DEFAULT, tally, time);
        made.start();
        open.push(made::stop);
        return made;
    }

    /** What happens instead of each call of the first engine. */
    void hook(HookedStore.Hook other) {
        hook = other;
    }

    int calls(String call) {
        var count = calls.get(call);
        return count == null ? 0 : count.get();
    }

    /** A worker, not yet running. */
    WorkerBuilder worker() {
        return Worker.on(engine).name("mailer").lane(LANE.name());
    }

    Worker start(WorkerBuilder builder) {
        var worker = builder.start();
        open.push(worker::stop);
        started.add(worker);
        if (time instanceof ManualTime manual) {
            // Time must not pass before its threads look at it.
            Eventually.eventually(
                    "its threads wait",
                    () ->
                            manual.waiting("ff-heart") == started.size()
                                    && manual.waiting("ff-watch") == started.size());
        }
        return worker;
    }

    /** Stops all workers, so that nobody writes any more. */
    void stopWorkers() {
        started.forEach(Worker::stop);
    }

    static Submission submission(String kind, String input) {
        return Submission.of(kind, Payload.text(input)).lane(LANE);
    }

    ExecutionId submit(String kind, String input, Policy policy) {
        var submission = submission(kind, input).policy(policy);
        return engine.submissions().submit(List.of(submission)).getFirst().orThrow().id();
    }

    ExecutionId submit(String kind) {
        return submit(kind, "", Policy.DEFAULT);
    }

    List<ExecutionId> submit(String kind, int count) {
        var submissions =
                IntStream.range(0, count).mapToObj(i -> submission(kind, "" + i)).toList();
        engine.submissions().submit(submissions).forEach(answer -> answer.orThrow());
        return submissions.stream().map(Submission::id).toList();
    }

    ExecutionView view(ExecutionId id) {
        return memory.queries().describe(List.of(id)).getFirst().orThrow();
    }

    PublicState state(ExecutionId id) {
        return view(id).state().publicState();
    }

    boolean all(List<ExecutionId> ids, PublicState state) {
        return ids.stream().allMatch(id -> state(id) == state);
    }

    Result result(ExecutionId id) {
        return memory.queries().results(List.of(id)).getFirst().orThrow();
    }

    /** The steps that an execution took. */
    List<Transition> steps(ExecutionId id) {
        var steps = new ArrayList<Transition>();
        for (var event : memory.queries().history(id)) {
            if (event instanceof Event.Step step) {
                steps.add(step.transition());
            }
        }
        return steps;
    }

    @Override
    public void close() {
        open.forEach(Runnable::run);
    }
}
