package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.embedded.EmbeddedOptions;
import io.flowfabric.embedded.EmbeddedPostgres;
import io.flowfabric.postgres.internal.feed.FeedPosition;
import io.flowfabric.postgres.internal.feed.Snapshot;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/** What becomes of the log, and of cursors into it, when the database is not where it was. */
class RestoreTest {
    private static final FeedFilter EVERYTHING = FeedFilter.of(FeedFilter.Topic.EVERYTHING);
    private static final Lane LANE = Lane.of("letters");

    @TempDir static Path home;

    private static EmbeddedPostgres elsewhere;

    private final SchemaName schema = TestPostgres.freshSchema();

    @BeforeAll
    static void start() {
        elsewhere = EmbeddedPostgres.start(home.resolve("elsewhere"), fast());
    }

    @AfterAll
    static void stop() {
        elsewhere.close();
    }

    @Test
    void a_log_that_was_restored_on_another_server_is_read_whole_and_goes_on() throws Exception {
        List<Event> told;
        List<ExecutionId> waiting;
        try (var store = PostgresStore.open(TestPostgres.options(), schema)) {
            work(store, 20);
            told = readAll(store, store.feeds().beginning());
            waiting = submit(store, 5);
            told.addAll(readAll(store, after(store, told.size())));
        }
        restoreElsewhere();

        try (var store = PostgresStore.open(options(elsewhere), schema)) {
            var beginning = store.feeds().beginning();
            assertThat(readAll(store, beginning)).isEqualTo(told);

            var now = after(store, told.size());
            var fresh = submit(store, 1);
            assertThat(executionsIn(readAll(store, now))).isEqualTo(fresh);
            // What was waiting still does, and new work is behind it.
            assertThat(claim(store))
                    .containsExactlyElementsOf(
                            IntStream.range(0, 6)
                                    .mapToObj(i -> i < 5 ? waiting.get(i) : fresh.getFirst())
                                    .toList());
        }
    }

    @Test
    void a_cursor_from_before_the_restore_is_refused_by_name() throws Exception {
        var cursors = new ArrayList<Cursor>();
        try (var store = PostgresStore.open(TestPostgres.options(), schema)) {
            cursors.add(store.feeds().beginning());
            cursors.add(store.feeds().read(EVERYTHING, Cursor.NOW, 1).next());
            work(store, 3);
            cursors.add(store.feeds().read(EVERYTHING, cursors.getFirst(), 2).next());
        }
        restoreElsewhere();

        try (var store = PostgresStore.open(options(elsewhere), schema)) {
            for (var cursor : cursors) {
                assertRestored(() -> store.feeds().read(EVERYTHING, cursor, 10));
            }
        }
        // Where they came from they are as good as before.
        try (var store = PostgresStore.open(TestPostgres.options(), schema)) {
            assertThat(readAll(store, cursors.getFirst())).isNotEmpty();
        }
    }

    @Test
    void a_copy_in_another_database_of_the_same_server_is_another_log() throws Exception {
        Cursor cursor;
        List<Event> told;
        try (var store = PostgresStore.open(options(elsewhere), schema)) {
            work(store, 3);
            cursor = store.feeds().read(EVERYTHING, Cursor.NOW, 1).next();
            told = readAll(store, store.feeds().beginning());
        }
        var name = schema.text() + "_db";
        var there =
                DatabaseOptions.of(
                        elsewhere.url().replace("/postgres", "/" + name),
                        elsewhere.user(),
                        elsewhere.password());
        try (var connection = connect(options(elsewhere))) {
            Shop.execute(connection, "create database " + name);
            restore(connection, there);
        }

        try (var store = PostgresStore.open(there, schema)) {
            assertRestored(() -> store.feeds().read(EVERYTHING, cursor, 10));
            assertThat(readAll(store, store.feeds().beginning())).isEqualTo(told);
        }
    }

    @Test
    void many_who_open_a_restored_log_at_once_agree_on_where_it_begins() throws Exception {
        try (var store = PostgresStore.open(TestPostgres.options(), schema)) {
            work(store, 50);
        }
        restoreElsewhere();

        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<Cursor> open =
                    () -> {
                        var options = options(elsewhere).withConnections(2);
                        try (var store = PostgresStore.open(options, schema)) {
                            return store.feeds().beginning();
                        }
                    };
            var opened = IntStream.range(0, 8).mapToObj(i -> executor.submit(open)).toList();
            var cursors = new ArrayList<Cursor>();
            for (var one : opened) {
                cursors.add(one.get());
            }

            assertThat(cursors).containsOnly(cursors.getFirst());
        }
    }

    @Test
    void a_server_that_took_over_is_noticed_by_those_who_were_there_before() throws Exception {
        var folder = home.resolve("promoted");
        var options = fast().withSetting("restore_command", "false");
        var server = EmbeddedPostgres.start(folder, options);
        try (var store = PostgresStore.open(options(server), schema)) {
            work(store, 3);
            var cursor = store.feeds().read(EVERYTHING, Cursor.NOW, 1).next();
            var told = readAll(store, store.feeds().beginning());
            server.close();
            promote(server);
            server = EmbeddedPostgres.start(folder, options.withPort(server.port()));

            assertRestored(() -> mended(() -> store.feeds().read(EVERYTHING, cursor, 10)));
            assertThat(readAll(store, store.feeds().beginning())).isEqualTo(told);
        } finally {
            server.close();
        }
    }

    @Test
    void a_cursor_that_has_seen_more_than_the_server_ever_did_is_from_another_one() {
        try (var store = PostgresStore.open(TestPostgres.options(), schema)) {
            var place = FeedPosition.of(store.feeds().read(EVERYTHING, Cursor.NOW, 1).next());
            long ahead = place.seen().orElseThrow().xmax() + 1_000_000;
            var future = new Snapshot(ahead, ahead, List.of());

            var cursor = FeedPosition.behind(place.era(), future, 0).cursor();

            assertRestored(() -> store.feeds().read(EVERYTHING, cursor, 10));
        }
    }

    @Test
    void an_ordinary_user_who_owns_nothing_but_the_schema_can_do_all_that() throws Exception {
        var user = schema.text() + "_user";
        try (var store = PostgresStore.open(TestPostgres.options(), schema)) {
            work(store, 3);
        }
        try (var connection = connect(options(elsewhere))) {
            Shop.execute(connection, "create role %s login password 'secret'".formatted(user));
            Shop.execute(connection, "create schema %s authorization %s".formatted(schema, user));
        }
        var asUser = DatabaseOptions.of(elsewhere.url(), user, "secret");
        PostgresStore.open(asUser, schema).close();
        try (var from = TestPostgres.connect();
                var to = connect(options(elsewhere))) {
            Copy.all(schema, from, to);
        }

        try (var store = PostgresStore.open(asUser, schema)) {
            assertThat(readAll(store, store.feeds().beginning())).isNotEmpty();
        }
    }

    private void restoreElsewhere() throws Exception {
        try (var from = TestPostgres.connect()) {
            restore(from, options(elsewhere));
        }
    }

    private void restore(Connection from, DatabaseOptions there) throws Exception {
        // So that the other server has never heard of the transactions in the log.
        Shop.execute(
                from,
                "do $$ begin for i in 1..5000 loop perform pg_current_xact_id(); commit; end loop;"
                        + " end $$");
        PostgresStore.open(there, schema).close();
        try (var to = connect(there)) {
            Copy.all(schema, from, to);
        }
    }

    /** What a standby does when it is told to take over: it goes on, on a timeline of its own. */
    private static void promote(EmbeddedPostgres stopped) throws Exception {
        var data = stopped.dataDirectory();
        var signal = Files.createFile(data.resolve("recovery.signal"));
        Files.setOwner(signal, Files.getOwner(data));
    }

    /** Calls again while the connections of before are found broken. */
    private static Feeds.Batch mended(Callable<Feeds.Batch> call) throws Exception {
        for (int tries = 0; ; tries++) {
            try {
                return call.call();
            } catch (StoreFailure e) {
                if (tries == 100) {
                    throw e;
                }
            }
        }
    }

    private static void assertRestored(Callable<?> call) {
        assertThatExceptionOfType(Invalid.class)
                .isThrownBy(call::call)
                .matches(refusal -> refusal.code() == Invalid.Code.CURSOR_RESTORED)
                .withMessageContaining("restored from a copy");
    }

    private static void work(PostgresStore store, int count) {
        var ids = submit(store, count);
        var session = Session.of("worker", "one", LANE.name());
        store.sessions().open(session);
        for (var lease : store.claims().claim(new Claim(session.id(), 1, count)).leases()) {
            assertThat(ids).contains(lease.fence().execution());
            store.leases()
                    .end(List.of(new Ending.Complete(lease.fence(), Payload.EMPTY)))
                    .getFirst()
                    .orThrow();
        }
    }

    private static List<ExecutionId> submit(PostgresStore store, int count) {
        var submissions =
                IntStream.range(0, count)
                        .mapToObj(i -> Submission.of("letter", Payload.EMPTY).lane(LANE))
                        .toList();
        return store.submissions().submit(submissions).stream()
                .map(answer -> answer.orThrow().id())
                .toList();
    }

    private static List<ExecutionId> claim(PostgresStore store) {
        var session = Session.of("worker", "two", LANE.name());
        store.sessions().open(session);
        return store.claims().claim(new Claim(session.id(), 1, 100)).leases().stream()
                .map(lease -> lease.fence().execution())
                .toList();
    }

    /** Where a reader is who has read so many events. */
    private static Cursor after(PostgresStore store, int events) {
        return store.feeds()
                .read(EVERYTHING, store.feeds().beginning(), events)
                .entries()
                .get(events - 1)
                .cursor();
    }

    private static List<Event> readAll(PostgresStore store, Cursor after) {
        var events = new ArrayList<Event>();
        for (var batch = store.feeds().read(EVERYTHING, after, 7); ; ) {
            batch.entries().forEach(entry -> events.add(entry.event()));
            if (!batch.more()) {
                return events;
            }
            batch = store.feeds().read(EVERYTHING, batch.next(), 7);
        }
    }

    private static List<ExecutionId> executionsIn(List<Event> events) {
        return events.stream().map(Event.Step.class::cast).map(Event.Step::execution).toList();
    }

    private static EmbeddedOptions fast() {
        return EmbeddedOptions.DEFAULT.withoutDurability().withBinaries(TestPostgres.BINARIES);
    }

    private static DatabaseOptions options(EmbeddedPostgres server) {
        return DatabaseOptions.of(server.url(), server.user(), server.password());
    }

    private static Connection connect(DatabaseOptions options) throws SQLException {
        return DriverManager.getConnection(options.url(), options.user(), options.password());
    }
}
