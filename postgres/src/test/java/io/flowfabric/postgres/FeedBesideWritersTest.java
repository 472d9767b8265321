package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A feed misses nothing, tells nothing twice and waits for nobody, whatever the order in which its
 * writers commit and however often its reader dies.
 */
@ResourceLock(value = TestPostgres.LONG_TRANSACTIONS, mode = ResourceAccessMode.READ)
class FeedBesideWritersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int DEATHS = 100;
    private static final int EVENTS = 5000;
    private static final int CUTS = 60;

    private final SchemaName schema = TestPostgres.freshSchema();
    private final PostgresStore store =
            PostgresStore.open(TestPostgres.options().withConnections(10), schema);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final FeedLedger ledger = new FeedLedger(now());
    private final List<FeedReading> readers = new ArrayList<>();

    @AfterEach
    void close() {
        // A test that fails leaves its reader behind.
        readers.forEach(FeedReading::kill);
        threads.close();
        store.close();
    }

    @Test
    void a_reader_that_dies_a_hundred_times_beside_eight_writers_has_everything_once()
            throws Exception {
        List<ExecutionId> late;
        try (var writers = new FeedWriters(store);
                var slow = FeedWriters.begin();
                var elsewhere = new OtherDatabase()) {
            elsewhere.holdATransactionOpen();
            late = writers.submit(slow, 3);
            writers.start(3, 4);

            var random = new Random(42);
            for (int deaths = 0; deaths < DEATHS || committed().size() <= EVENTS; deaths++) {
                oneLife(deaths, Duration.ofMillis(random.nextInt(120)));
            }

            // Nothing waits for those who are still at it: all that is committed arrives before.
            var reader = reader("reader", DEATHS);
            var reading = threads.submit(reader);
            var committed = committed();
            eventually("what is committed is told", reading, () -> ledger.hasSaved(committed));
            assertThat(executionsIn(ledger.steps())).doesNotContainAnyElementsOf(late);
            assertThat(committed.size()).as("events beside the long ones").isGreaterThan(EVENTS);

            slow.commit();
            writers.end();
            var all = committed();
            eventually("everything is told", reading, () -> ledger.hasSaved(all));
            reader.kill();
            reading.get();
            assertThat(executionsIn(ledger.steps()))
                    .doesNotContainAnyElementsOf(writers.undone())
                    .containsAll(late);
            assertThat(writers.undone()).isNotEmpty();
            assertNeverWas(writers.undone());
        }
        assertThat(ledger.repeated()).as("told again after a death").isPositive();
        assertToldAsItWas();
    }

    @Test
    void a_reader_whose_connections_are_cut_goes_on_as_if_nothing_were() throws Exception {
        try (var writers = new FeedWriters(store);
                var knife = TestPostgres.connect()) {
            writers.start(4, 4);
            var reader = reader("cut", 1);
            var reading = threads.submit(reader);
            // A store whose first connection is cut was never open: that is another matter.
            eventually("it reads", reading, () -> !ledger.ids().isEmpty());

            var cuts = new int[1];
            eventually(
                    "enough are cut",
                    reading,
                    () -> (cuts[0] += cut(knife, "cut")) >= CUTS && reader.failures() > CUTS / 4);

            writers.end();
            var all = committed();
            eventually("everything is told", reading, () -> ledger.hasSaved(all));
            reader.kill();
            reading.get();
        }
        assertToldAsItWas();
    }

    private void oneLife(long seed, Duration length) throws Exception {
        var reader = reader("reader", seed);
        var reading = threads.submit(reader);
        eventually("it reads", reading, reader::hasBegun);
        LockSupport.parkNanos(length.toNanos());
        reader.kill();
        reading.get();
        ledger.died();
    }

    /** Nothing missed, nothing twice, and for each execution in the order of its history. */
    private void assertToldAsItWas() throws SQLException {
        assertThat(ledger.ids()).doesNotHaveDuplicates();
        assertThat(new HashSet<>(ledger.ids())).isEqualTo(new HashSet<>(committed()));
        var lives = new LinkedHashMap<ExecutionId, List<Event>>();
        for (var step : ledger.steps()) {
            lives.computeIfAbsent(step.execution(), id -> new ArrayList<>()).add(step);
        }
        lives.forEach(
                (id, told) ->
                        assertThat(told)
                                .as("what was told of " + id)
                                .isEqualTo(
                                        store.queries().history(id).stream()
                                                .filter(Event.Step.class::isInstance)
                                                .toList()));
    }

    private void assertNeverWas(Collection<ExecutionId> undone) {
        for (var id : undone) {
            assertThatExceptionOfType(NotFound.class).isThrownBy(() -> store.queries().history(id));
        }
    }

    private Cursor now() {
        return store.feeds().read(FeedFilter.of(FeedFilter.Topic.EVERYTHING), Cursor.NOW, 1).next();
    }

    /** Every event that is committed by now. */
    private List<Long> committed() throws SQLException {
        var ids = new ArrayList<Long>();
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement();
                var results = statement.executeQuery("select id from %s.event".formatted(schema))) {
            while (results.next()) {
                ids.add(results.getLong(1));
            }
        }
        return ids;
    }

    private static List<ExecutionId> executionsIn(List<Event.Step> steps) {
        return steps.stream().map(Event.Step::execution).toList();
    }

    /** A reader that has not begun, with connections of this name. */
    private FeedReading reader(String name, long seed) {
        var options = TestPostgres.options().withConnections(2).withApplicationName(name);
        var reader = new FeedReading(options, schema, ledger, seed);
        readers.add(reader);
        return reader;
    }

    /** Lets the server end the connections of an application, and says how many. */
    private static int cut(Connection knife, String application) {
        try (var statement =
                knife.prepareStatement(
                        "select count(*) filter (where pg_terminate_backend(pid)) from"
                                + " pg_stat_activity where application_name = ?")) {
            statement.setString(1, application);
            try (var results = statement.executeQuery()) {
                results.next();
                return results.getInt(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean passed(long since, Duration length) {
        return System.nanoTime() - since > length.toNanos();
    }

    /** Waits, and hears of it when the reader fails meanwhile. */
    private static void eventually(String what, Future<?> reading, BooleanSupplier condition)
            throws Exception {
        long began = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (reading.isDone()) {
                reading.get();
            }
            if (passed(began, PATIENCE)) {
                throw new AssertionError("waited in vain: " + what);
            }
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    /** Another database of the same server, which has its transactions counted with ours. */
    private static final class OtherDatabase implements AutoCloseable {
        private final String name = TestPostgres.freshSchema().text();
        private final Connection admin = TestPostgres.connect();
        private final Connection inside;

        OtherDatabase() throws SQLException {
            Shop.execute(admin, "create database " + name);
            var options = TestPostgres.options();
            inside =
                    DriverManager.getConnection(
                            options.url().replace("/postgres", "/" + name),
                            options.user(),
                            options.password());
        }

        void holdATransactionOpen() throws SQLException {
            inside.setAutoCommit(false);
            Shop.execute(inside, "create table held (id integer)");
        }

        @Override
        public void close() throws SQLException {
            try (admin) {
                inside.close();
                Shop.execute(admin, "drop database %s with (force)".formatted(name));
            }
        }
    }
}
