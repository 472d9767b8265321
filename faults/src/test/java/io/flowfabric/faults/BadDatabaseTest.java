package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.store.Store;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.PostgresStore;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Databases that cannot serve: whoever asks is told what is wrong and what to do about it, and
 * nothing is stored.
 */
class BadDatabaseTest {
    /** What the server says when its disk is full, about whatever is written. */
    private static final String FILL_THE_DISK =
            """
            create function ${schema}.full() returns trigger language plpgsql as $$
            begin
                raise exception 'could not extend file: No space left on device'
                    using errcode = '53100', hint = 'Check free disk space.';
            end $$;
            do $$
            declare t text;
            begin
                -- the parts of a table have the triggers of the whole
                for t in
                    select relname from pg_class
                    where relnamespace = '${schema}'::regnamespace and relkind in ('r', 'p') and not relispartition
                loop
                    execute format(
                        'create trigger no_space before insert or update on ${schema}.%I'
                        ' for each row execute function ${schema}.full()', t);
                end loop;
            end $$
            """;

    private final FaultScenario world = new FaultScenario();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void a_server_that_is_not_there_is_named() throws IOException {
        int port = portOfNobody();
        var nowhere =
                options("jdbc:postgresql://127.0.0.1:%d/postgres".formatted(port))
                        .withAcquireTimeout(Duration.ofSeconds(1));

        assertThat(opening(nowhere))
                .isInstanceOf(StoreFailure.class)
                .hasMessageContaining("127.0.0.1:" + port)
                .hasMessageContaining("Check that it runs and that the URL is right.")
                .hasMessageContaining("Nothing was applied");
    }

    @Test
    void a_wrong_password_is_called_that_and_not_repeated() {
        var wrong = world.options().withLogin(user(), "guessed");

        assertThat(opening(wrong))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("refuses the login")
                .hasMessageContaining("Check user and password.")
                .hasMessageNotContaining("guessed");
    }

    @Test
    void a_database_that_is_not_there_is_named() {
        var missing = options(world.options().url().replaceAll("/[a-z]+$", "/elsewhere"));

        assertThat(opening(missing))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("elsewhere")
                .hasMessageContaining("Create the database, or correct the URL.");
    }

    @Test
    void a_schema_that_a_newer_version_made_is_left_alone() {
        Servers.execute(
                world.options(),
                world.schema()
                        .fill(
                                """
                                insert into ${schema}.migration (number, name, checksum, readable_from)
                                select max(number) + 1, 'later', 'unknown', max(number) + 1 from ${schema}.migration
                                """));
        var before = Servers.fingerprint(world.options(), world.schema());

        assertThat(catchThrowable(() -> world.another(world.options())))
                .satisfies(BadDatabaseTest::readAloud)
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("is newer than this program")
                .hasMessageContaining("Upgrade this program.");
        assertThat(Servers.fingerprint(world.options(), world.schema())).isEqualTo(before);
    }

    @Test
    void a_read_only_database_gets_no_schema() {
        var schema = Servers.freshSchema();

        assertThat(catchThrowable(() -> PostgresStore.open(readOnly(), schema)))
                .satisfies(BadDatabaseTest::readAloud)
                .isInstanceOf(FlowFabricException.class)
                .hasMessageContaining("read-only")
                .hasMessageContaining("Connect to the primary.");
    }

    @Test
    void a_read_only_database_answers_questions_and_refuses_every_write() {
        var calls = Calls.on(world.store());
        var standby = world.another(readOnly());
        var before = Servers.fingerprint(world.options(), world.schema());

        calls.reads().forEach((name, call) -> assertThat(failure(standby, call)).as(name).isNull());
        calls.writes().forEach((name, call) -> isReadOnly(name, failure(standby, call)));
        // These write only when something is due, and nothing is.
        calls.chores()
                .forEach(
                        (name, call) ->
                                assertThat(failure(standby, call))
                                        .satisfiesAnyOf(
                                                error -> assertThat(error).isNull(),
                                                error -> isReadOnly(name, error)));

        assertThat(Servers.fingerprint(world.options(), world.schema())).isEqualTo(before);
    }

    @Test
    void a_full_disk_is_called_that_and_keeps_nothing_of_a_write() {
        var calls = Calls.on(world.store());
        Servers.execute(world.options(), world.schema().fill(FILL_THE_DISK));
        var before = Servers.fingerprint(world.options(), world.schema());

        calls.reads()
                .forEach(
                        (name, call) -> assertThat(failure(world.store(), call)).as(name).isNull());
        calls.writes()
                .forEach(
                        (name, call) ->
                                assertThat(failure(world.store(), call))
                                        .as(name)
                                        .isInstanceOf(StoreFailure.class)
                                        .hasMessageContaining("disk of the Postgres server is full")
                                        .hasMessageContaining("free some space on it")
                                        .hasMessageContaining("Nothing was applied"));

        assertThat(Servers.fingerprint(world.options(), world.schema())).isEqualTo(before);
    }

    @Test
    void a_closed_store_says_that_it_is_closed() {
        var calls = Calls.on(world.store());
        var closed = world.another(world.options());
        closed.close();
        var before = Servers.fingerprint(world.options(), world.schema());

        calls.reads().forEach((name, call) -> isClosed(name, failure(closed, call)));
        calls.writes().forEach((name, call) -> isClosed(name, failure(closed, call)));
        calls.chores().forEach((name, call) -> isClosed(name, failure(closed, call)));
        isClosed("listen", failure(closed, store -> store.wakeups().listen(lane -> {})));

        assertThat(Servers.fingerprint(world.options(), world.schema())).isEqualTo(before);
    }

    private static void isReadOnly(String call, @Nullable Throwable failure) {
        assertThat(failure)
                .as(call)
                .isInstanceOf(StoreFailure.class)
                .hasMessageContaining("Postgres is read-only")
                .hasMessageContaining("Connect to the primary.")
                .hasMessageContaining("Nothing was applied");
    }

    private static void isClosed(String call, @Nullable Throwable failure) {
        assertThat(failure)
                .as(call)
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("The store is closed");
    }

    private static @Nullable Throwable opening(DatabaseOptions options) {
        var failure = catchThrowable(() -> PostgresStore.open(options, Servers.freshSchema()));
        readAloud(failure);
        return failure;
    }

    private static @Nullable Throwable failure(Store store, Consumer<Store> call) {
        var failure = catchThrowable(() -> call.accept(store));
        readAloud(failure);
        return failure;
    }

    private static void readAloud(@Nullable Throwable failure) {
        if (failure != null) {
            System.out.println(failure);
        }
    }

    private DatabaseOptions readOnly() {
        return options(world.options().url() + "?options=-c%20default_transaction_read_only=on");
    }

    private DatabaseOptions options(String url) {
        return DatabaseOptions.of(url, user(), Objects.requireNonNull(world.options().password()));
    }

    private String user() {
        return Objects.requireNonNull(world.options().user());
    }

    private static int portOfNobody() throws IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return taken.getLocalPort();
        }
    }
}
