package io.flowfabric;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.admission.Budgets;
import io.flowfabric.core.admission.Quotas;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.operate.Lanes;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Explanation;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.schedule.Schedules;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.Signals;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.store.Stores;
import io.flowfabric.core.submit.KeyUse;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.engine.Bulk;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.Service;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.worker.Worker;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

import javax.sql.DataSource;

/**
 * A durable execution engine in this process: the one object that a program holds.
 *
 * <pre>{@code
 * try (var fabric = FlowFabric.embedded()) {
 *     fabric.worker("mailer").on(WELCOME, (task, welcome) -> smtp.send(welcome)).start();
 *     var receipt = fabric.submit(WELCOME.with(new Welcome("ada@example.org"))).await(A_MINUTE);
 * }
 * }</pre>
 *
 * <p>It owns its workers: closing it, or a JVM that is told to end, lets them finish what they have
 * begun, gives back what they have not, and then closes the store. All calls may be made from many
 * threads at once. Everything is in one namespace, the default one unless its {@link FabricOptions}
 * say otherwise.
 *
 * <p>It is a convenience over the contract: {@link #engine()} has everything else.
 */
public final class FlowFabric implements AutoCloseable {
    /** Who acts through a fabric, in histories, when the program does not say. */
    static final String ACTOR = "program";

    private final FabricOptions options;
    private final Store store;
    private final AutoCloseable server;
    private final Engine engine;
    private final AwaitedResults awaited;

    private FlowFabric(Store store, FabricOptions options, AutoCloseable server) {
        this.options = options;
        this.store = store;
        this.server = server;
        this.engine = new Engine(store, options.engine(), options.metrics(), options.time());
        this.awaited = new AwaitedResults(engine.queries());
    }

    /**
     * Runs on a real Postgres that is started from the folder {@code .flowfabric} of the working
     * directory, for a first look, development and tests. It needs the dependency {@code
     * io.flowfabric:flowfabric-embedded}.
     */
    public static FlowFabric embedded() {
        return embedded(Path.of(".flowfabric"));
    }

    /** Runs on a real Postgres that is started from a folder. */
    public static FlowFabric embedded(Path home) {
        return embedded(home, FabricOptions.DEFAULT);
    }

    /** Runs on a real Postgres that is started from a folder. */
    public static FlowFabric embedded(Path home, FabricOptions options) {
        var server = EmbeddedServer.start(home);
        try {
            return started(server.store(), options, server);
        } catch (RuntimeException | Error e) {
            server.close();
            throw e;
        }
    }

    /**
     * Runs on the store that a URL names: {@code jdbc:postgresql://...} or {@code redis://...}, the
     * latter with the dependency {@code io.flowfabric:flowfabric-valkey}.
     *
     * @param url with user and password, unless the environment says them
     */
    public static FlowFabric connect(String url) {
        return on(Stores.open(url), FabricOptions.DEFAULT);
    }

    /** Runs on the store that a URL names, set up in another way than by default. */
    public static FlowFabric connect(String url, FabricOptions options) {
        return on(Stores.open(url), options);
    }

    /**
     * Runs on the store that a URL names.
     *
     * @param user in the place of what the URL or the environment says
     * @param password in the place of what the URL or the environment says
     */
    public static FlowFabric connect(String url, String user, String password) {
        return on(Stores.open(url, user, password), FabricOptions.DEFAULT);
    }

    /**
     * Runs on Postgres, with connections of the program's own pool, which stays open when the
     * fabric is closed.
     *
     * @param dataSource with four connections at least to spare
     */
    public static FlowFabric using(DataSource dataSource) {
        return using(dataSource, FabricOptions.DEFAULT);
    }

    /**
     * Runs on Postgres, with connections of the program's own pool, set up in another way than by
     * default.
     *
     * @param dataSource with four connections at least to spare
     */
    public static FlowFabric using(DataSource dataSource, FabricOptions options) {
        return on(PostgresStore.open(dataSource), options);
    }

    /** Runs on a store that the program has opened; it is closed with the fabric. */
    public static FlowFabric on(Store store, FabricOptions options) {
        return started(store, options, () -> {});
    }

    private static FlowFabric started(Store store, FabricOptions options, AutoCloseable server) {
        try {
            var fabric = new FlowFabric(store, options, server);
            fabric.engine.start();
            return fabric;
        } catch (RuntimeException | Error e) {
            store.close();
            throw e;
        }
    }

    // Work.

    /**
     * Submits work.
     *
     * @throws io.flowfabric.core.FlowFabricException when it is refused, or the store cannot be
     *     reached
     */
    public <O> WorkHandle<O> submit(Work<O> work) {
        var submitted = engine.submit(submission(work));
        return handle(work, submitted);
    }

    /** Submits work of a kind by its name, in the default lane; its result is read as bytes. */
    public WorkHandle<Payload> submit(String kind, @Nullable Object input) {
        return submit(Work.of(kind, input));
    }

    /** Submits many pieces of work, and answers each by itself. */
    public <O> List<Answer<WorkHandle<O>>> submitAll(List<Work<O>> works) {
        var answers = engine.submissions().submit(works.stream().map(this::submission).toList());
        var handles = new ArrayList<Answer<WorkHandle<O>>>(works.size());
        for (int i = 0; i < works.size(); i++) {
            var work = works.get(i);
            handles.add(answers.get(i).map(submitted -> handle(work, submitted)));
        }
        return handles;
    }

    /**
     * Submits in a transaction of the program's own, on Postgres: the work is there after its
     * commit, and never was after its rollback.
     *
     * @param connection to the same database, with a transaction
     * @throws Unavailable when the store is not on Postgres
     */
    public <O> WorkHandle<O> submit(Connection connection, Work<O> work) {
        var submitted = postgres().in(connection).submit(submission(work));
        return new WorkHandle<>(
                this, submitted.id(), submitted.created(), work.terms().resultType());
    }

    /** Submits a flow, all of it or nothing. */
    public FlowHandle submit(Flow flow) {
        var submitted = engine.flows().submit(flow.submission(this));
        return new FlowHandle(this, submitted.id(), submitted.created());
    }

    /** A flow that was submitted before. */
    public FlowHandle flow(FlowId id) {
        return new FlowHandle(this, id, false);
    }

    /** Work that was submitted before. */
    public <O> WorkHandle<O> work(ExecutionId id, Class<O> resultType) {
        return new WorkHandle<>(this, id, false, resultType);
    }

    private <O> WorkHandle<O> handle(Work<O> work, Submitted submitted) {
        var debounced = work.terms().tags().values().get(Work.DEBOUNCE);
        if (debounced != null) {
            cancelEarlier(debounced, submitted.id());
        }
        return new WorkHandle<>(
                this, submitted.id(), submitted.created(), work.terms().resultType());
    }

    /** Cancels what was debounced under a key before a piece of work, and has not ended. */
    private void cancelEarlier(String key, ExecutionId latest) {
        var pending =
                search().tag(Work.DEBOUNCE, key).states(PublicState.DELAYED, PublicState.WAITING);
        var earlier =
                find(pending)
                        .filter(one -> one.attempts() == 0)
                        .map(ExecutionView::id)
                        .filter(id -> id.compareTo(latest) < 0)
                        .<OperatorCommand>map(OperatorCommand.Cancel::new)
                        .toList();
        if (!earlier.isEmpty()) {
            // What has begun meanwhile goes on; what has ended is refused, and is no concern.
            engine.operations().act(earlier, new Attribution(ACTOR, "debounced by " + latest));
        }
    }

    /** What is submitted of a piece of work: for schedules, and for calls of the contract. */
    public Submission submission(Work<?> work) {
        var terms = work.terms();
        var input = terms.input() == null ? Payload.EMPTY : codec().encode(terms.input());
        // A trace is another one each time, and content that is compared has to stay the same.
        boolean compared = terms.key().filter(key -> key.use() == KeyUse.EXACT).isPresent();
        var traced =
                compared
                        ? Optional.<Payload>empty()
                        : options.traceparent()
                                .get()
                                .map(trace -> TraceParameter.put(input, trace));
        return new Submission(
                terms.id().orElseGet(() -> ExecutionId.mint(namespace())),
                new Lane(namespace(), terms.lane()),
                terms.kind(),
                traced.orElse(input),
                terms.creator(),
                terms.key().map(key -> key.at(options.time().instant())),
                terms.key().map(Work.Key::use).orElse(KeyUse.EXACT),
                terms.tags(),
                terms.policy());
    }

    // Workers.

    /** Describes a worker of this process. */
    public FabricWorker worker(String name) {
        var described = Worker.on(engine).name(name).namespace(namespace());
        return new FabricWorker(this, described.ttl(options.workerTtl()));
    }

    // What waits.

    /** Sends a signal: what {@link DurableTask#awaitSignal} of this name waits for. */
    public Delivery signal(ExecutionId id, String name, @Nullable Object value) {
        var content = value == null ? Payload.EMPTY : codec().encode(value);
        return send(
                Signal.of(
                        new Waitpoint(id, name),
                        name,
                        content,
                        new Attribution(ACTOR, "signal " + name)));
    }

    /** Approves what {@link DurableTask#awaitApproval} of this name waits for. */
    public Delivery approve(ExecutionId id, String name, String by) {
        return send(Signal.approve(new Waitpoint(id, name), new Attribution(by, "approved")));
    }

    /** Rejects what {@link DurableTask#awaitApproval} of this name waits for. */
    public Delivery reject(ExecutionId id, String name, String by) {
        return send(Signal.reject(new Waitpoint(id, name), new Attribution(by, "rejected")));
    }

    /**
     * Approves with a token that was handed out.
     *
     * @throws io.flowfabric.core.Denied when it is forged, too old, or of a wait that is over
     */
    public Delivery approve(String token, String by) {
        return present(Signals.Presented.approve(token, new Attribution(by, "approved")));
    }

    /**
     * Rejects with a token that was handed out.
     *
     * @throws io.flowfabric.core.Denied when it is forged, too old, or of a wait that is over
     */
    public Delivery reject(String token, String by) {
        return present(Signals.Presented.reject(token, new Attribution(by, "rejected")));
    }

    private Delivery send(Signal signal) {
        return engine.signals().send(List.of(signal)).getFirst().orThrow();
    }

    private Delivery present(Signals.Presented signal) {
        return engine.signals().present(List.of(signal)).getFirst().orThrow();
    }

    // Operating.

    /**
     * Cancels work. Cancelling again is success; what has ended otherwise is a {@code Conflict}.
     */
    public void cancel(ExecutionId id, String reason) {
        engine.operations()
                .act(List.of(new OperatorCommand.Cancel(id)), new Attribution(ACTOR, reason))
                .getFirst()
                .orThrow();
    }

    /** Cancels everything that fits a search and has not ended, and says how much that was. */
    public Bulk.Progress cancelAll(Search search, String reason) throws InterruptedException {
        return new Bulk(engine, OperatorCommand.Cancel::new, new Attribution(ACTOR, reason))
                .run(search, progress -> {});
    }

    /** A search in the namespace of this fabric, to be narrowed: {@code search().tag("a", "b")}. */
    public Search search() {
        return Search.in(namespace());
    }

    /** Everything that fits a search, read page by page. */
    public Stream<ExecutionView> find(Search search) {
        return Stream.iterate(
                        Optional.of(engine.queries().search(search, Cursor.START, PAGE)),
                        Optional::isPresent,
                        page ->
                                page.filter(before -> !before.next().equals(Cursor.END))
                                        .map(
                                                before ->
                                                        engine.queries()
                                                                .search(
                                                                        search,
                                                                        before.next(),
                                                                        PAGE)))
                .flatMap(page -> page.orElseThrow().items().stream());
    }

    private static final int PAGE = 100;

    /** Why work is not running, with the facts. */
    public Explanation explain(ExecutionId id) {
        return engine.queries().explain(id);
    }

    /** The budgets. */
    public Budgets budgets() {
        return engine.budgets();
    }

    /** The quotas. */
    public Quotas quotas() {
        return engine.quotas();
    }

    /**
     * The schedules, by which work is submitted again and again.
     *
     * <pre>{@code
     * fabric.schedules().define(
     *         Schedule.cron("nightly", "0 3 * * *", fabric.submission(REPORT.with("daily"))), by);
     * }</pre>
     */
    public Schedules schedules() {
        return engine.schedules();
    }

    /** The lanes. */
    public Lanes lanes() {
        return engine.lanes();
    }

    /**
     * Calls back with everything that happens from now on and fits a filter, in a thread of its
     * own, one after the other, until the returned service is stopped. A listener that throws is
     * logged, and passed over. {@link Engine#follow} is for programs that must not miss what
     * happens while they are down.
     */
    public Service follow(FeedFilter filter, Consumer<Event> listener) {
        var following =
                new Following(engine.follow(filter.namespace(namespace()), Cursor.NOW), listener);
        following.start();
        return following;
    }

    // Below.

    /** The engine: everything that a store can do. */
    public Engine engine() {
        return engine;
    }

    /** The namespace in which everything is that goes through this fabric. */
    public Namespace namespace() {
        return options.namespace();
    }

    PayloadCodec codec() {
        return options.codec();
    }

    /** The value of bytes; null where nothing was written, which the caller's types do not say. */
    @SuppressWarnings("NullAway")
    <T> T decode(Payload payload, Class<T> type) {
        return type == Void.class ? null : codec().decode(payload, type);
    }

    AwaitedResults awaited() {
        return awaited;
    }

    PostgresStore postgres() {
        if (store instanceof PostgresStore postgres) {
            return postgres;
        }
        throw new Unavailable(
                "Transactions of the program need a store on Postgres; this one is a %s."
                        .formatted(store.getClass().getSimpleName()));
    }

    /**
     * Stops the workers, the engine and the store, in this order, and waits for that. Handlers that
     * run get as long as their worker grants them.
     */
    @Override
    public void close() {
        try (server) {
            try (store) {
                engine.close();
            }
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
