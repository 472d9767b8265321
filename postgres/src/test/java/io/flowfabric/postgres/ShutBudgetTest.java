package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.BudgetRecount;
import io.flowfabric.core.admission.BudgetView.Level;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** A budget that is used up, with much behind it. */
class ShutBudgetTest {
    private static final Attribution ADA = new Attribution("ada", "what we can afford");
    private static final long HARD = 500;
    private static final long SET_ASIDE = 10;
    private static final Policy DRAWS = Policy.DEFAULT.budget("team", Map.of("tokens", SET_ASIDE));
    private static final int CHUNK = 1000;
    private static final int CLAIMERS = 16;

    private final SchemaName schema = TestPostgres.freshSchema();
    private final PostgresStore store =
            PostgresStore.open(TestPostgres.options().withConnections(CLAIMERS), schema);

    @BeforeEach
    void define() {
        store.budgets().define(Budget.of("team", "tokens", HARD), ADA);
    }

    @AfterEach
    void close() throws SQLException {
        store.close();
        execute("drop schema %s cascade".formatted(schema));
    }

    @Test
    void shutting_and_opening_it_is_one_row_however_much_waits() throws SQLException {
        submit(1);
        var session = session();
        var lease = claim(session, 1, 1).getFirst();
        submit(50_000);

        long before = transaction();
        useUp(lease);
        assertThat(written(before))
                .as("the budget, what was reported, that it is used up, what is set aside for it")
                .isEqualTo(Map.of("meter", 1L, "spending", 1L, "event", 1L, "execution", 1L));
        assertThat(claim(session, 2, 10)).isEmpty();

        before = transaction();
        store.budgets().reset(Namespace.DEFAULT, "team", ADA);
        assertThat(written(before)).isEqualTo(Map.of("meter", 1L, "event", 1L));
        assertThat(claim(session, 3, 10)).hasSize(10);

        before = transaction();
        store.budgets().define(Budget.of("team", "tokens", 0), ADA);
        assertThat(written(before)).isEqualTo(Map.of("budget", 1L, "meter", 1L, "event", 1L));
        assertThat(claim(session, 4, 10)).isEmpty();
    }

    @Test
    void opening_it_lets_work_out_in_its_order_and_no_more_at_once_than_it_allows()
            throws Exception {
        submit(1);
        var session = session();
        var first = claim(session, 1, 1).getFirst();
        useUp(first);
        var waiting = submit(2_000);
        var most = new AtomicInteger();
        int done = 0;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var claimers =
                    IntStream.range(0, CLAIMERS)
                            .<Callable<Integer>>mapToObj(i -> () -> workOn(waiting.size(), most))
                            .map(threads::submit)
                            .toList();
            store.leases().end(endings(List.of(first))).forEach(Answer::orThrow);
            store.budgets().reset(Namespace.DEFAULT, "team", ADA);
            for (var claimer : claimers) {
                done += claimer.get();
            }
        }

        assertThat(done).isEqualTo(waiting.size());
        assertThat(started().subList(1, waiting.size() + 1)).isEqualTo(waiting);
        assertThat(most.get() * SET_ASIDE).as("at once").isPositive().isLessThanOrEqualTo(HARD);
        assertThat(level()).isEqualTo(Level.ZERO);
        assertThat(store.budgets().recount(Namespace.DEFAULT))
                .isEqualTo(new BudgetRecount(1, List.of()));
    }

    private final AtomicInteger ended = new AtomicInteger();

    /** Claims, and only then ends what it had before, so that many hold as much as they can get. */
    private int workOn(int all, AtomicInteger most) {
        var session = session();
        var held = List.<Lease>of();
        int done = 0;
        for (long number = 1; ended.get() < all; number++) {
            var more = claim(session, number, 8);
            most.accumulateAndGet((int) (level().held() / SET_ASIDE), Math::max);
            store.leases().end(endings(held)).forEach(Answer::orThrow);
            done += held.size();
            ended.addAndGet(held.size());
            held = more;
        }
        return done;
    }

    private List<ExecutionId> submit(int count) {
        var ids = new ArrayList<ExecutionId>();
        for (int from = 0; from < count; from += CHUNK) {
            var works =
                    IntStream.range(from, Math.min(count, from + CHUNK))
                            .mapToObj(i -> Submission.of("work", Payload.EMPTY).policy(DRAWS))
                            .toList();
            store.submissions().submit(works).forEach(answer -> ids.add(answer.orThrow().id()));
        }
        return ids;
    }

    private Session session() {
        var session = Session.of("worker", "here", Lane.DEFAULT.name()).ttl(Duration.ofHours(1));
        store.sessions().open(session);
        return session;
    }

    private List<Lease> claim(Session session, long number, int max) {
        return store.claims().claim(new Claim(session.id(), number, max)).leases();
    }

    private void useUp(Lease lease) {
        var report = new UsageReport(lease.fence(), "team", "tokens", HARD, "all of it");
        store.leases().spend(List.of(report)).getFirst().orThrow();
    }

    private static List<Ending> endings(List<Lease> leases) {
        return leases.stream()
                .<Ending>map(lease -> new Ending.Complete(lease.fence(), Payload.EMPTY))
                .toList();
    }

    private Level level() {
        return store.budgets()
                .describe(Namespace.DEFAULT, "team")
                .levels()
                .getOrDefault("tokens", Level.ZERO);
    }

    /** What was begun, in the order in which it was. */
    private List<ExecutionId> started() throws SQLException {
        var ids = new ArrayList<ExecutionId>();
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement();
                var rows =
                        statement.executeQuery(
                                "select execution, part from %s.event where transition = 'claim' order by id"
                                        .formatted(schema))) {
            while (rows.next()) {
                ids.add(
                        ExecutionId.parse(
                                "{fp:%d}:%s".formatted(rows.getInt(2), rows.getString(1))));
            }
        }
        return ids;
    }

    /** The number of a transaction that comes before all that follow. */
    private static long transaction() throws SQLException {
        return number("select pg_current_xact_id()::text::bigint");
    }

    /** How many rows of each table were written by later transactions, and are still there. */
    private Map<String, Long> written(long since) throws SQLException {
        var tables = new ArrayList<String>();
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement();
                var rows =
                        statement.executeQuery(
                                "select relname from pg_class where relnamespace = '%s'::regnamespace and relkind in ('r', 'p') and not relispartition"
                                        .formatted(schema))) {
            while (rows.next()) {
                tables.add(rows.getString(1));
            }
        }
        var counts = new TreeMap<String, Long>();
        for (String table : tables) {
            long count =
                    number(
                            "select count(*) from %s.%s where xmin::text::bigint > %d"
                                    .formatted(schema, table, since));
            if (count > 0) {
                counts.put(table, count);
            }
        }
        return counts;
    }

    private static long number(String sql) throws SQLException {
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private static void execute(String sql) throws SQLException {
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
