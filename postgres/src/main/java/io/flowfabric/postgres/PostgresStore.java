package io.flowfabric.postgres;

import io.flowfabric.core.Fence;
import io.flowfabric.core.admission.Budgets;
import io.flowfabric.core.admission.Quotas;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.flow.Flows;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Leases;
import io.flowfabric.core.lease.Sessions;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.operate.Keys;
import io.flowfabric.core.operate.Lanes;
import io.flowfabric.core.operate.Namespaces;
import io.flowfabric.core.operate.Operations;
import io.flowfabric.core.operate.Workers;
import io.flowfabric.core.query.Queries;
import io.flowfabric.core.schedule.Firings;
import io.flowfabric.core.schedule.Schedules;
import io.flowfabric.core.signal.Signals;
import io.flowfabric.core.signing.KeyWrapping;
import io.flowfabric.core.store.Maintenance;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.store.Wakeups;
import io.flowfabric.core.stream.Streams;
import io.flowfabric.core.submit.Submissions;
import io.flowfabric.postgres.internal.DatabaseIdentity;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.PostgresBudgets;
import io.flowfabric.postgres.internal.admission.PostgresLanes;
import io.flowfabric.postgres.internal.admission.PostgresNamespaces;
import io.flowfabric.postgres.internal.admission.PostgresQuotas;
import io.flowfabric.postgres.internal.catalog.Catalog;
import io.flowfabric.postgres.internal.claim.PostgresClaims;
import io.flowfabric.postgres.internal.feed.LogIncarnation;
import io.flowfabric.postgres.internal.feed.PostgresFeeds;
import io.flowfabric.postgres.internal.flow.PostgresFlows;
import io.flowfabric.postgres.internal.grant.PostgresGrants;
import io.flowfabric.postgres.internal.grant.PostgresKeys;
import io.flowfabric.postgres.internal.jdbc.Database;
import io.flowfabric.postgres.internal.jdbc.Statements;
import io.flowfabric.postgres.internal.jdbc.UserConnections;
import io.flowfabric.postgres.internal.lease.PostgresLeases;
import io.flowfabric.postgres.internal.maintenance.PostgresMaintenance;
import io.flowfabric.postgres.internal.operate.PostgresOperations;
import io.flowfabric.postgres.internal.query.PostgresQueries;
import io.flowfabric.postgres.internal.query.PostgresStreams;
import io.flowfabric.postgres.internal.ready.CrowdedLanes;
import io.flowfabric.postgres.internal.ready.DueFloor;
import io.flowfabric.postgres.internal.ready.LowWaterMarks;
import io.flowfabric.postgres.internal.ready.PostgresWakeups;
import io.flowfabric.postgres.internal.ready.WakeupNotifier;
import io.flowfabric.postgres.internal.schedule.PostgresFirings;
import io.flowfabric.postgres.internal.schedule.PostgresSchedules;
import io.flowfabric.postgres.internal.session.PostgresSessions;
import io.flowfabric.postgres.internal.session.PostgresWorkers;
import io.flowfabric.postgres.internal.submit.PostgresSubmissions;
import io.flowfabric.postgres.internal.waiting.PostgresSignals;

import java.sql.Connection;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

import javax.sql.DataSource;

/** The store on Postgres 15 and later. Many processes may open the same schema at once. */
public final class PostgresStore implements Store {
    private final PostgresContext postgres;
    private final PostgresMaintenance chores;
    private final PostgresClaims claims;
    private final PostgresLeases leases;
    private final WakeupNotifier bell;
    private final DatabaseIdentity home;
    private final LogIncarnation origin;
    private final PostgresFeeds feeds;

    private PostgresStore(PostgresContext postgres) {
        this.postgres = postgres;
        this.chores = new PostgresMaintenance(postgres);
        this.claims = new PostgresClaims(postgres);
        this.leases = new PostgresLeases(postgres);
        this.bell = new WakeupNotifier(postgres.db(), postgres.marks(), postgres.waking());
        this.home = new DatabaseIdentity(postgres.db());
        this.origin = new LogIncarnation(postgres.db());
        this.feeds = new PostgresFeeds(postgres, origin);
    }

    /** Opens the store in the default schema, which is made or brought up to date first. */
    public static PostgresStore open(DatabaseOptions options) {
        return open(options, SchemaName.DEFAULT);
    }

    /**
     * Opens the store in a schema, which is made or brought up to date first. One that was restored
     * from a copy is noticed here, and its log of events made readable again.
     *
     * @throws io.flowfabric.core.Unavailable when the server is too old, or the schema newer than
     *     this version
     */
    public static PostgresStore open(DatabaseOptions options, SchemaName schema) {
        return started(open(options, schema, Optional.empty()));
    }

    /**
     * Opens the store in a schema, as {@link #open(DatabaseOptions, SchemaName)} does, with its
     * signing keys wrapped.
     *
     * <p>Keys that were made before, without it, are used as they are until the next rotation.
     */
    public static PostgresStore open(
            DatabaseOptions options, SchemaName schema, KeyWrapping wrapping) {
        return started(open(options, schema, Optional.of(wrapping), Optional.empty()));
    }

    /**
     * Opens the store in the default schema, on connections of a DataSource that the program uses,
     * too.
     */
    public static PostgresStore open(DataSource dataSource) {
        return open(dataSource, SchemaName.DEFAULT);
    }

    /**
     * Opens the store in a schema, as {@link #open(DatabaseOptions, SchemaName)} does, on
     * connections of a DataSource that the program uses, too. Closing the store does not close it.
     *
     * <p>Three connections of it are kept: two for wake-ups and, once a worker runs, one for its
     * heartbeats. Each one that is given back is as it was.
     *
     * @param dataSource a pool of at least four connections to Postgres, and no proxy that takes
     *     part in transactions
     */
    public static PostgresStore open(DataSource dataSource, SchemaName schema) {
        return started(open(dataSource, schema, Optional.empty()));
    }

    /** A store on a DataSource whose time is not the server's, for tests. */
    static PostgresStore open(
            DataSource dataSource, SchemaName schema, Optional<InstantSource> clock) {
        return settled(over(connect(dataSource, schema, clock), clock));
    }

    private static PostgresStore started(PostgresStore store) {
        store.bell.start();
        return store;
    }

    /** A store whose time is not the server's, for tests. */
    static PostgresStore open(
            DatabaseOptions options, SchemaName schema, Optional<InstantSource> clock) {
        return open(options, schema, Optional.empty(), clock);
    }

    private static PostgresStore open(
            DatabaseOptions options,
            SchemaName schema,
            Optional<KeyWrapping> wrapping,
            Optional<InstantSource> clock) {
        return settled(over(connect(options, schema, clock), wrapping, clock));
    }

    private static PostgresStore settled(PostgresStore store) {
        try {
            store.postgres.db().greetServers("greet_server", "note_server", store::forgetAll);
            store.origin.settle();
            return store;
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }

    /** The server was started anew, and may have the data of an earlier time. */
    private void forgetAll() {
        postgres.forgetAll();
        claims.forgetAll();
    }

    /** Connections to a schema, which is made or brought up to date first. */
    static Database connect(
            DatabaseOptions options, SchemaName schema, Optional<InstantSource> clock) {
        return connect(options, PostgresSchema.of(options, schema), clock);
    }

    static Database connect(
            DatabaseOptions options, PostgresSchema schema, Optional<InstantSource> clock) {
        schema.migrate();
        return Database.open(options, statements(schema.name(), clock));
    }

    /** Connections of a DataSource to a schema, which is made or brought up to date first. */
    static Database connect(
            DataSource dataSource, SchemaName schema, Optional<InstantSource> clock) {
        var connections = UserConnections.of(dataSource);
        PostgresSchema.of(connections, schema).migrate();
        return Database.over(connections, statements(schema, clock));
    }

    private static Statements statements(SchemaName schema, Optional<InstantSource> clock) {
        var time = clock.orElse(InstantSource.system());
        return statements(schema).on(() -> today(time));
    }

    /**
     * A store that knows nothing yet of what is stored, on connections that are open already. Tests
     * make one after the other on the same connections.
     */
    static PostgresStore over(Database db, Optional<InstantSource> clock) {
        return over(db, Optional.empty(), clock);
    }

    static PostgresStore over(
            Database db, Optional<KeyWrapping> wrapping, Optional<InstantSource> clock) {
        return new PostgresStore(
                new PostgresContext(
                        db,
                        Catalog.empty(),
                        new LowWaterMarks(),
                        new CrowdedLanes(db),
                        new DueFloor(),
                        new PostgresWakeups(),
                        wrapping,
                        clock));
    }

    /**
     * The table that events go to. Which day it is need not be exact: a table is emptied by what is
     * in it.
     */
    private static int today(InstantSource time) {
        return Math.floorMod(Duration.ofMillis(time.millis()).toDays(), Statements.DAYS);
    }

    static Statements statements(SchemaName schema) {
        return Statements.load(
                PostgresStore.class,
                schema,
                "internal/sql/clock.sql",
                "internal/sql/catalog.sql",
                "internal/sql/submit.sql",
                "internal/sql/enqueue.sql",
                "internal/sql/session.sql",
                "internal/sql/claim.sql",
                "internal/sql/grant.sql",
                "internal/sql/step.sql",
                "internal/sql/flow.sql",
                "internal/sql/checkpoint.sql",
                "internal/sql/wait.sql",
                "internal/sql/stream.sql",
                "internal/sql/maintenance.sql",
                "internal/sql/gate_sweep.sql",
                "internal/sql/quota.sql",
                "internal/sql/budget.sql",
                "internal/sql/schedule.sql",
                "internal/sql/lane.sql",
                "internal/sql/namespace.sql",
                "internal/sql/query.sql",
                "internal/sql/explain.sql",
                "internal/sql/feed.sql");
    }

    @Override
    public Submissions submissions() {
        return new PostgresSubmissions(postgres);
    }

    /**
     * The way in for work that belongs to a transaction of the caller: it is there when the
     * transaction commits, and never was when it rolls back.
     *
     * <pre>{@code
     * store.in(connection).submit(Submission.of("welcome", Payload.text("ada@example.org")));
     * }</pre>
     *
     * @param connection of any pool or proxy, to the database of this store, with a transaction;
     *     the caller commits, rolls back and closes it
     */
    public InTransaction in(Connection connection) {
        return new InTransaction(postgres, home, connection);
    }

    /**
     * Does a step of an execution in a transaction of the store's own connections, and records it
     * in the same commit: the rows that the body writes and the step are both there, or neither.
     *
     * <p>A step that is recorded already is answered as it was, and the body does not run. So a
     * worker that died after the commit, before it heard of it, finds the step when it comes again.
     *
     * @param name of the step, unique in its execution
     * @param body what to do; its answer is the content of the step
     * @throws io.flowfabric.core.LeaseLost when the fence does not hold any more; nothing of what
     *     the body wrote is kept
     * @throws Exception what the body throws; nothing of what it wrote is kept
     */
    public Step transaction(Fence fence, String name, TransactionBody body) throws Exception {
        return new StepTransaction(postgres, home).run(fence, name, body);
    }

    @Override
    public Sessions sessions() {
        return new PostgresSessions(postgres, chores);
    }

    @Override
    public Claims claims() {
        return claims;
    }

    @Override
    public Grants grants() {
        return new PostgresGrants(postgres, claims);
    }

    @Override
    public Leases leases() {
        return leases;
    }

    @Override
    public Flows flows() {
        return new PostgresFlows(postgres);
    }

    @Override
    public Signals signals() {
        return new PostgresSignals(postgres);
    }

    @Override
    public Namespaces namespaces() {
        return new PostgresNamespaces(postgres);
    }

    @Override
    public Lanes lanes() {
        return new PostgresLanes(postgres);
    }

    @Override
    public Quotas quotas() {
        return new PostgresQuotas(postgres);
    }

    @Override
    public Budgets budgets() {
        return new PostgresBudgets(postgres);
    }

    @Override
    public Schedules schedules() {
        return new PostgresSchedules(postgres);
    }

    @Override
    public Firings firings() {
        return new PostgresFirings(postgres);
    }

    @Override
    public Workers workers() {
        return new PostgresWorkers(postgres, chores);
    }

    @Override
    public Keys keys() {
        return new PostgresKeys(postgres);
    }

    @Override
    public Operations operations() {
        return new PostgresOperations(postgres);
    }

    @Override
    public Queries queries() {
        return new PostgresQueries(postgres);
    }

    @Override
    public Feeds feeds() {
        return feeds;
    }

    @Override
    public Streams streams() {
        return new PostgresStreams(postgres);
    }

    @Override
    public Maintenance maintenance() {
        return chores;
    }

    @Override
    public Wakeups wakeups() {
        return postgres.waking();
    }

    /** The connections underneath, for tests. */
    Database database() {
        return postgres.db();
    }

    @Override
    public void close() {
        postgres.waking().close();
        bell.close();
        postgres.db().close();
    }
}
