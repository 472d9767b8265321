package io.flowfabric.faults;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Result;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.embedded.EmbeddedRedis;
import io.flowfabric.engine.Engine;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.postgres.SchemaName;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.fault.Witness;
import io.flowfabric.testkit.history.History;
import io.flowfabric.testkit.history.HistoryAssert;
import io.flowfabric.valkey.ValkeyStore;
import io.flowfabric.worker.Worker;
import io.flowfabric.worker.WorkerBuilder;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * A store of its own with engines and workers on it, in this process and in others. Everything is
 * ended with the test.
 *
 * <p>Server and tests run on one machine, so its clock is the store's.
 */
final class FaultScenario implements AutoCloseable {
    static final Lane LANE = Lane.of("emails");
    static final String KIND = "welcome";

    final Witness witness = new Witness(InstantSource.system());
    private final StoreAddress address;
    private final Store plain;
    private final Deque<Runnable> open = new ArrayDeque<>();
    private final List<Worker> workers = new ArrayList<>();
    private final List<WorkerProcess> processes = new ArrayList<>();

    /** In which part of the store work lies, where it has several. */
    private Optional<Function<ExecutionId, ?>> parts = Optional.empty();

    /** On the Postgres that nobody kills. */
    FaultScenario() {
        this(Servers.options(Servers.shared()));
        open.addLast(() -> Servers.execute(options(), "drop schema " + schema() + " cascade"));
    }

    /** In a schema of its own. */
    FaultScenario(DatabaseOptions options) {
        this(StoreAddress.of(options, Servers.freshSchema()));
    }

    /** On a Redis, or a cluster, under keys of its own. */
    FaultScenario(EmbeddedRedis server) {
        this(StoreAddress.fresh(server));
    }

    /** On a cluster, with everything spread over so many partitions. */
    static FaultScenario spread(StoreAddress cluster, int partitions) {
        var world = new FaultScenario(cluster);
        ((ValkeyStore) world.plain).spread(Namespace.DEFAULT, partitions);
        world.parts = Optional.of(id -> Partition.crc16(bytes(id)) % partitions);
        return world;
    }

    private static byte[] bytes(ExecutionId id) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(id.uuid().getMostSignificantBits())
                .putLong(id.uuid().getLeastSignificantBits())
                .array();
    }

    FaultScenario(StoreAddress address) {
        this.address = address;
        this.plain = address.open();
        open.push(plain::close);
    }

    /** How it reaches its Postgres. */
    DatabaseOptions options() {
        return DatabaseOptions.of(address.url(), address.user(), address.password());
    }

    /** Where it is on its Postgres. */
    SchemaName schema() {
        return new SchemaName(address.place());
    }

    /** The store, for those who only look. */
    Store store() {
        return plain;
    }

    /** The store, as somebody uses it whose every acknowledged call counts. */
    Store watched() {
        return watched(plain);
    }

    /** A store whose every acknowledged call counts. */
    Store watched(Store store) {
        return HookedStore.over(store, witness.watching((name, call) -> call.call()));
    }

    /** Another store on the same schema, with connections of its own. */
    PostgresStore another(DatabaseOptions other) {
        var store = PostgresStore.open(other, schema());
        open.push(store::close);
        return store;
    }

    /** Another store on the same data, reached in its own way. */
    Store another(StoreAddress way) {
        var store = way.open();
        open.push(store::close);
        return store;
    }

    /** Where everything of this scenario is. */
    StoreAddress address() {
        return address;
    }

    /** An engine that runs. */
    Engine engine(Store store) {
        var engine = new Engine(store);
        engine.start();
        open.push(engine::stop);
        return engine;
    }

    Engine engine() {
        return engine(watched());
    }

    /** A worker on an engine, not yet running. */
    static WorkerBuilder worker(Engine engine) {
        return Worker.on(engine).name("mailer").lane(LANE.name()).grace(Duration.ofSeconds(5));
    }

    Worker start(WorkerBuilder builder) {
        var worker = builder.start();
        open.push(worker::stop);
        workers.add(worker);
        return worker;
    }

    /** A worker in a process of its own; what it is told counts as acknowledged. */
    WorkerProcess process(String name, Duration ttl, int concurrency) {
        return process(name, ttl, concurrency, 1);
    }

    /** Several workers in one process, each with a session of its own. */
    WorkerProcess process(String name, Duration ttl, int concurrency, int count) {
        return process(address, name, ttl, concurrency, count);
    }

    /** Several workers in one process that reaches the server in its own way. */
    WorkerProcess process(StoreAddress way, String name, Duration ttl, int concurrency, int count) {
        var process = WorkerProcess.start(way, name, ttl, concurrency, count, witness);
        open.push(process::close);
        processes.add(process);
        return process;
    }

    static List<Submission> work(int count) {
        return work(KIND, count, Policy.DEFAULT);
    }

    static List<Submission> work(String kind, int count, Policy policy) {
        return IntStream.range(0, count)
                .mapToObj(i -> Submission.of(kind, Payload.text("" + i)).lane(LANE).policy(policy))
                .toList();
    }

    /** Submits, and repeats it unchanged for as long as the store says that this is the way. */
    static List<ExecutionId> submit(Store store, List<Submission> submissions) {
        return Persistence.repeat(() -> store.submissions().submit(submissions)).stream()
                .map(answer -> answer.orThrow().id())
                .toList();
    }

    List<ExecutionId> submit(int count) {
        return submit(watched(), work(count));
    }

    ExecutionView view(ExecutionId id) {
        return plain.queries().describe(List.of(id)).getFirst().orThrow();
    }

    Result result(ExecutionId id) {
        return plain.queries().results(List.of(id)).getFirst().orThrow();
    }

    /** Whether everything that was ever submitted has ended; also while the server is away. */
    boolean drained() {
        try {
            return plain.queries().counts(Namespace.DEFAULT).values().stream()
                    .flatMap(lane -> lane.entrySet().stream())
                    .allMatch(count -> count.getKey().terminal() || count.getValue() == 0);
        } catch (FlowFabricException e) {
            return false;
        }
    }

    /** How much of what was submitted has not ended. */
    long live() {
        return plain.queries().counts(Namespace.DEFAULT).values().stream()
                .flatMap(lane -> lane.entrySet().stream())
                .filter(count -> !count.getKey().terminal())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    Map<PublicState, Long> counts() {
        return plain.queries().counts(Namespace.DEFAULT).getOrDefault(LANE, Map.of());
    }

    /** The steps of one kind that an execution took. */
    List<Event.Step> steps(ExecutionId id, Transition transition) {
        return plain.queries().history(id).stream()
                .filter(Event.Step.class::isInstance)
                .map(Event.Step.class::cast)
                .filter(step -> step.transition() == transition)
                .toList();
    }

    /**
     * Ends everybody who writes, and asks whether all that happened is possible and all is done.
     */
    void judge() {
        Waiting.until("all work has ended", this::drained);
        workers.forEach(Worker::stop);
        processes.forEach(WorkerProcess::end);
        judgeAsItIs();
    }

    /** The same, when nobody writes any more. */
    void judgeAsItIs() {
        var history =
                HistoryAssert.assertThat(
                        History.of(plain, InstantSource.system().instant(), witness.acknowledged())
                                .meantToBeDrained());
        parts.ifPresentOrElse(history::isSoundInParts, history::isSound);
    }

    @Override
    public void close() {
        RuntimeException failure = null;
        for (var end : open) {
            try {
                end.run();
            } catch (RuntimeException e) {
                // The others must end all the same.
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
