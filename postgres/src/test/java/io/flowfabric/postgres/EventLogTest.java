package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.codec.EventKind;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.NamespaceSettings;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.postgres.internal.feed.FeedPosition;
import io.flowfabric.postgres.internal.jdbc.Statements;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** How the log of events is kept, and what becomes of what cannot be read. */
@ResourceLock(value = TestPostgres.LONG_TRANSACTIONS, mode = ResourceAccessMode.READ)
class EventLogTest {
    private static final FeedFilter EVERYTHING = FeedFilter.of(FeedFilter.Topic.EVERYTHING);
    private static final Attribution ADA = new Attribution("ada", "to see");
    private static final Namespace SHOP = new Namespace("shop");

    /** How many pages share a summary. */
    private static final int RANGE = 32;

    /** Makes all summaries, but of what is written today. */
    private static final String SUMMARISE =
            "%s.summarise_events(1000, (extract(epoch from now())::bigint / 86400 %% 16)::integer)";

    /** Who waits for this transaction. */
    private static final String WAITING =
            "select pid::text from pg_locks"
                    + " where not granted and transactionid = pg_current_xact_id()::xid";

    private final SchemaName schema = TestPostgres.freshSchema();
    private final PostgresStore store = PostgresStore.open(TestPostgres.options(), schema);
    private final Connection connection;

    EventLogTest() throws SQLException {
        connection = TestPostgres.connect();
    }

    @AfterEach
    void close() throws SQLException {
        store.close();
        connection.close();
    }

    @Test
    void the_schema_and_the_program_have_the_same_kinds() throws SQLException {
        assertThat(texts("select unnest(enum_range(null::%s.event_kind))::text"))
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(EventKind.values()).map(EventKind::wire).toList());
    }

    @Test
    void a_step_writes_one_entry_of_a_b_tree() throws SQLException {
        assertThat(
                        texts(
                                """
                                select am.amname || coalesce(' ' || pg_get_expr(i.indpred, i.indrelid), '')
                                from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am am on am.oid = c.relam
                                where i.indrelid = '%s.event_0'::regclass order by 1
                                """))
                .containsExactly(
                        "brin",
                        "btree ((execution IS NULL) AND (session IS NOT NULL))",
                        "btree (execution IS NOT NULL)");
    }

    /** R39: an event of an unknown kind fails no page. */
    @Test
    void what_a_newer_program_wrote_is_passed_over_or_read_without_what_it_added()
            throws SQLException {
        var cursor = now();
        execute("alter type %s.event_kind add value 'sang'");
        execute(
                "insert into %s.event_0 (kind, at, namespace, payload)"
                        + " values ('sang', 1, 'shop', '{\"song\": \"la\"}')");
        store.namespaces().configure(SHOP, retention(1), ADA);
        execute(
                "update %s.event set payload = jsonb_set(payload, '{settings,colour}', '\"red\"')"
                        + " where kind = 'namespace_changed'");

        var batch = store.feeds().read(EVERYTHING, cursor, 10);
        assertThat(batch.entries()).hasSize(1);
        assertThat(batch.entries().getFirst().event())
                .isInstanceOfSatisfying(
                        Event.NamespaceChange.class,
                        change -> assertThat(change.settings()).isEqualTo(retention(1)));
        assertThat(store.feeds().read(EVERYTHING, batch.next(), 10).entries()).isEmpty();
    }

    @Test
    void what_cannot_be_read_stops_no_feed() throws SQLException {
        var cursor = now();
        var first = submit(1);
        // Details that are damaged, a lane and a session that there are not.
        execute("insert into %s.event_0 (kind, at, namespace) values ('quota_changed', 1, 'shop')");
        execute(
                "insert into %s.event_0 (kind, at, lane, actor, reason, payload)"
                        + " values ('lane_changed', 1, 4711, 'ada', 'why', '{\"settings\": {}}')");
        execute(
                "insert into %s.event_0 (kind, at, session, until)"
                        + " values ('heartbeat', 1, gen_random_uuid(), 2)");
        var second = submit(1);

        var told = new ArrayList<ExecutionId>();
        for (var next = cursor; told.size() < 2; ) {
            var batch = store.feeds().read(EVERYTHING, next, 2);
            batch.entries().forEach(entry -> told.add(execution(entry.event())));
            // What is passed over counts, so the reader gets on.
            assertThat(batch.next()).isNotEqualTo(next);
            next = batch.next();
        }
        assertThat(told).containsExactly(first.getFirst(), second.getFirst());
    }

    @Test
    void a_lane_remembers_who_made_it_what_it_is() throws SQLException {
        var paused = LaneSettings.DEFAULT.state(LaneSettings.State.PAUSED);
        store.lanes().configure(Lane.of("letters"), paused, ADA);

        assertThat(texts("select changed_by || ': ' || change_reason from %s.lane"))
                .containsExactly("ada: to see");
    }

    @Test
    void who_reads_the_log_makes_its_summaries_but_not_of_what_is_still_being_filled()
            throws SQLException {
        submit(10_000);
        store.feeds().read(EVERYTHING, store.feeds().beginning(), 1);
        assertSummarised();

        long pages = pages();
        submit(10_000);
        var now = now();
        store.feeds().read(EVERYTHING, now, 1);
        assertThat(pages()).isGreaterThan(pages + RANGE);
        assertSummarised();
    }

    /** R8: of a day that is over nothing is left without a summary, for every look to read. */
    @Test
    void a_day_that_is_over_is_summarised_to_its_end() throws SQLException {
        submit(10_000);
        execute("select %s.summarise_events(1000, 16)");

        assertThat(summarised()).isGreaterThanOrEqualTo(pages());
    }

    @Test
    void retention_makes_the_summaries_where_no_feed_is_read() throws SQLException {
        submit(10_000);
        store.maintenance().tick(Chore.RETENTION, 1000);

        assertSummarised();
    }

    /** R8: one statement makes some summaries only, so that it does not take long. */
    @Test
    void where_many_summaries_are_missing_retention_makes_all_of_them() throws SQLException {
        execute(
                "insert into %s.event (day, kind, at, actor, reason) select"
                        + " extract(epoch from now())::bigint / 86400 %% 16, 'marked_dead',"
                        + " extract(epoch from now())::bigint * 1000, 'ada', repeat('x', 1900)"
                        + " from generate_series(1, 5000)");
        assertThat(pages()).isGreaterThan(35 * RANGE);

        store.maintenance().tick(Chore.RETENTION, 1000);

        assertSummarised();
    }

    @Test
    void a_day_that_was_emptied_begins_without_summaries() throws SQLException {
        submit(10_000);
        execute("select " + SUMMARISE);
        execute("truncate %s.event");
        assertThat(texts("select (" + SUMMARISE + ")::text")).containsExactly("0");

        submit(10_000);
        execute("select " + SUMMARISE);

        assertSummarised();
    }

    @Test
    void who_cannot_make_summaries_now_reads_without() throws SQLException {
        var cursor = now();
        var ids = submit(3000);
        connection.setAutoCommit(false);
        // As a vacuum does.
        for (int day = 0; day < Statements.DAYS; day++) {
            execute("lock table %s.event_" + day + " in share update exclusive mode");
        }

        assertThat(readAll(cursor).told).isEqualTo(ids);
        connection.rollback();
        connection.setAutoCommit(true);
        assertThat(summarised()).isZero();
    }

    @Test
    void ids_that_were_never_used_are_passed_by_in_few_steps() throws SQLException {
        var cursor = now();
        var first = submit(1);
        execute("select setval('%s.event_id', 5000000)");
        var second = submit(1);

        var told = new ArrayList<ExecutionId>();
        int reads = 0;
        for (var next = cursor; told.size() < 2; reads++) {
            var batch = store.feeds().read(EVERYTHING, next, 10);
            batch.entries().forEach(entry -> told.add(execution(entry.event())));
            assertThat(batch.more() || told.size() == 2).isTrue();
            next = batch.next();
        }
        assertThat(told).containsExactly(first.getFirst(), second.getFirst());
        assertThat(reads).isLessThan(20);
    }

    @Test
    void what_was_open_for_long_is_told_in_its_order_when_it_commits() throws SQLException {
        var cursor = now();
        connection.setAutoCommit(false);
        var late = new ArrayList<ExecutionId>();
        for (int i = 0; i < 2; i++) {
            store.in(connection)
                    .submit(works(1000))
                    .forEach(answer -> late.add(answer.orThrow().id()));
        }
        var between = new ArrayList<ExecutionId>();
        // Far more transactions than a reader takes for young.
        for (int i = 0; i < 300; i++) {
            between.addAll(submit(1));
        }
        var passed = readAll(cursor);
        assertThat(passed.told).isEqualTo(between);

        connection.commit();
        connection.setAutoCommit(true);
        var last = submit(10);

        var told = readAll(passed.next).told;
        assertThat(told.subList(0, 2000)).isEqualTo(late);
        assertThat(told.subList(2000, told.size())).isEqualTo(last);
    }

    @Test
    void a_look_that_found_nothing_hides_nothing_of_a_transaction_that_was_in_progress()
            throws SQLException {
        submit(1);
        var quiet = quiet(store.feeds().beginning());
        connection.setAutoCommit(false);
        var late = store.in(connection).submit(works(1)).getFirst().orThrow().id();

        // Its event has its id by now, and nothing else happens until it commits.
        quiet = quiet(quiet(quiet));
        connection.commit();
        connection.setAutoCommit(true);

        assertThat(readAll(quiet).told).containsExactly(late);
    }

    @Test
    void a_look_that_found_nothing_hides_nothing_of_a_writer_that_only_had_an_id()
            throws SQLException {
        submit(1);
        var id = texts("select nextval('%s.event_id')::text").getFirst();
        var quiet = quiet(quiet(quiet(store.feeds().beginning())));

        execute(
                "insert into %s.event_0 (id, kind, at, namespace, actor, reason, payload) values ("
                        + id
                        + ", 'namespace_changed', 1, 'shop', 'ada', 'why', '{\"settings\": {}}')");

        assertThat(store.feeds().read(EVERYTHING, quiet, 10).entries()).hasSize(1);
    }

    @Test
    void a_reader_with_nothing_to_read_notices_that_events_were_dropped() throws SQLException {
        submit(1);
        var quiet = quiet(quiet(store.feeds().beginning()));
        submit(1);
        execute("truncate %s.event");
        execute("update %s.event_log set dropped = %1$s.last_event_id()");

        assertExpired(quiet);
    }

    /**
     * R25: a transaction was open when a reader passed by, and its events were dropped before the
     * reader came back. They have lower ids than what the reader knows, and yet it is told.
     */
    @Test
    void a_reader_is_told_that_what_was_open_when_it_passed_by_was_dropped_since()
            throws SQLException {
        connection.setAutoCommit(false);
        store.in(connection).submit(works(1)).getFirst().orThrow();
        submit(3);
        var behind = quiet(store.feeds().beginning());
        var inside = store.feeds().read(EVERYTHING, store.feeds().beginning(), 2);
        assertThat(inside.more()).isTrue();
        connection.commit();
        connection.setAutoCommit(true);

        dropAll();

        assertExpired(behind);
        assertExpired(inside.next());
    }

    /** R25: also when the transaction is younger than everything that the reader has seen. */
    @Test
    void a_reader_is_told_that_what_began_after_all_that_it_has_seen_was_dropped_since()
            throws SQLException {
        submit(3);
        connection.setAutoCommit(false);
        store.in(connection).submit(works(1)).getFirst().orThrow();
        var behind = quiet(store.feeds().beginning());
        connection.commit();
        connection.setAutoCommit(true);

        dropAll();

        assertExpired(behind);
    }

    @Test
    void a_reader_is_told_of_the_first_transaction_that_it_cannot_have_seen_and_of_none_before()
            throws SQLException {
        submit(1);
        var behind = quiet(store.feeds().beginning());
        long unseen = FeedPosition.of(behind).seen().orElseThrow().xmax();

        execute("update %s.event_log set dropped_early = " + (unseen - 1));
        assertThat(readAll(behind).told).isEmpty();

        execute("update %s.event_log set dropped_early = " + unseen);
        assertExpired(behind);
    }

    /** R25: no false alarm, whatever else was open on the server, and however often days go. */
    @Test
    void a_transaction_that_had_nothing_to_tell_expires_no_cursor() throws SQLException {
        submit(3);
        connection.setAutoCommit(false);
        texts("select txid_current()::text");
        submit(3);
        var behind = quiet(store.feeds().beginning());
        connection.commit();
        connection.setAutoCommit(true);

        dropAll();
        var later = now();
        var again = submit(2);

        assertThat(readAll(behind).told).isEqualTo(again);
        assertThat(readAll(later).told).isEqualTo(again);
        behind = quiet(behind);
        dropAll();
        assertExpired(later);
        assertThat(readAll(behind).told).isEmpty();
        assertThat(readAll(now()).told).isEmpty();
        assertThat(readAll(store.feeds().beginning()).told).isEmpty();
    }

    /** A transaction that is open for longer than the log is kept stalls no feed, old or new. */
    @Test
    void a_transaction_that_stays_open_expires_no_cursor_while_it_is_open_or_when_it_ends()
            throws SQLException {
        try (var forgotten = TestPostgres.connect()) {
            submit(3);
            forgotten.setAutoCommit(false);
            try (var statement = forgotten.createStatement()) {
                statement.execute("select txid_current()");
            }
            submit(3);
            var follower = quiet(store.feeds().beginning());
            dropAll();
            follower = quiet(follower);
            submit(2);
            follower = quiet(follower);
            dropAll();

            follower = quiet(follower);
            var fresh = now();
            var first = quiet(store.feeds().beginning());
            var more = submit(2);
            assertThat(readAll(follower).told).isEqualTo(more);
            assertThat(readAll(fresh).told).isEqualTo(more);
            assertThat(readAll(first).told).isEqualTo(more);

            forgotten.rollback();
            assertThat(readAll(follower).told).isEqualTo(more);
            assertThat(readAll(fresh).told).isEqualTo(more);
            assertThat(readAll(first).told).isEqualTo(more);
        }
    }

    /** Around midnight a few events come to the table of the day before. */
    @Test
    void a_day_with_a_few_events_of_the_next_is_emptied_with_them_and_not_one_by_one()
            throws SQLException {
        long oldestKept = oldestKept();
        for (long at : List.of(oldestKept - 2, oldestKept - 1, oldestKept)) {
            event(at, 7);
        }

        store.maintenance().tick(Chore.RETENTION, 1000);
        assertThat(events()).isEqualTo(3);

        execute("update %s.event set at = at - 86400000");
        store.maintenance().tick(Chore.RETENTION, 1000);
        assertThat(events()).isZero();
    }

    @Test
    void what_is_dropped_one_by_one_is_noted_of_so_many_transactions_and_of_the_others_in_sum()
            throws SQLException {
        long longAgo = oldestKept() - Duration.ofDays(9).toMillis();
        // A table that was not emptied before its day came round again.
        execute(
                "insert into %s.event_7 (kind, at, namespace, actor, reason, payload, xid)"
                        + " select 'namespace_changed', "
                        + longAgo
                        + ", 'shop', 'ada', 'why', '{\"settings\": {}}', 2 * n"
                        + " from generate_series(1, 12000) as n");
        event(System.currentTimeMillis(), 7);

        store.maintenance().tick(Chore.RETENTION, 6000);
        store.maintenance().tick(Chore.RETENTION, 6000);

        assertThat(events()).isEqualTo(1);
        assertThat(
                        texts(
                                "select dropped_early || ' ' || (select count(*) || ' ' ||"
                                        + " min(lower(r)) from unnest(dropped_late) as r) from"
                                        + " %s.event_log"))
                .containsExactly("4000 10000 4002");
    }

    private void event(long at, int day) throws SQLException {
        execute(
                "insert into %s.event_"
                        + day
                        + " (kind, at, namespace, actor, reason, payload) values"
                        + " ('namespace_changed', "
                        + at
                        + ", 'shop', 'ada', 'why', '{\"settings\": {}}')");
    }

    private long events() throws SQLException {
        return Long.parseLong(texts("select count(*)::text from %s.event").getFirst());
    }

    /** The beginning of the first day of which events are kept. */
    private static long oldestKept() {
        long day = Duration.ofDays(1).toMillis();
        return (System.currentTimeMillis() / day - 7) * day;
    }

    /** Lets all that there is be too old, and retention do its work. */
    private void dropAll() throws SQLException {
        execute("update %s.event set at = 1");
        store.maintenance().tick(Chore.RETENTION, 1000);
        assertThat(texts("select count(*)::text from %s.event")).containsExactly("0");
    }

    private void assertExpired(Cursor cursor) {
        assertThatExceptionOfType(Invalid.class)
                .isThrownBy(() -> store.feeds().read(EVERYTHING, cursor, 10))
                .returns(Invalid.Code.CURSOR_EXPIRED, Invalid::code);
    }

    /** What holds a meter as it was is told before the change that waits for it. */
    @Test
    void a_change_of_a_limit_is_told_behind_what_was_counted_before_it() throws Exception {
        store.quotas().define(Quota.atOnce("post", 5), ADA);
        store.budgets().define(Budget.of("team", "tokens", 5), ADA);
        var policy = Policy.DEFAULT.quota("post").budget("team");
        store.submissions().submit(List.of(Submission.of("work", Payload.EMPTY).policy(policy)));
        var cursor = now();

        for (Runnable change :
                List.<Runnable>of(
                        () -> store.quotas().define(Quota.atOnce("post", 1), ADA),
                        () -> store.budgets().define(Budget.of("team", "tokens", 1), ADA))) {
            connection.setAutoCommit(false);
            assertThat(texts("select id::text from %s.meter for update")).hasSize(2);
            var changing = CompletableFuture.runAsync(change);
            while (texts(WAITING).isEmpty()) {
                assertThat(changing).isNotDone();
            }
            execute(
                    "insert into %s.event_0 (kind, at, namespace, actor, reason, payload)"
                            + " values ('namespace_changed', 1, 'shop', 'ada', 'why',"
                            + " '{\"settings\": {}}')");
            connection.commit();
            connection.setAutoCommit(true);
            changing.get();
        }

        assertThat(store.feeds().read(EVERYTHING, cursor, 10).entries())
                .extracting(entry -> entry.event().getClass().getSimpleName())
                .containsExactly(
                        "NamespaceChange", "QuotaChange", "NamespaceChange", "BudgetChange");
    }

    /** Reads to the end, and says where that is. */
    private Cursor quiet(Cursor from) {
        return readAll(from).next;
    }

    private record Told(List<ExecutionId> told, Cursor next) {}

    private Told readAll(Cursor from) {
        var told = new ArrayList<ExecutionId>();
        var batch = store.feeds().read(EVERYTHING, from, 100);
        while (true) {
            batch.entries().forEach(entry -> told.add(execution(entry.event())));
            if (!batch.more()) {
                return new Told(told, batch.next());
            }
            batch = store.feeds().read(EVERYTHING, batch.next(), 100);
        }
    }

    private static NamespaceSettings retention(int days) {
        return NamespaceSettings.DEFAULT.retention(Duration.ofDays(days));
    }

    private static ExecutionId execution(Event event) {
        return ((Event.Step) event).execution();
    }

    private Cursor now() {
        return store.feeds().read(EVERYTHING, Cursor.NOW, 1).next();
    }

    private List<ExecutionId> submit(int count) {
        var ids = new ArrayList<ExecutionId>();
        for (int from = 0; from < count; from += 1000) {
            store.submissions()
                    .submit(works(Math.min(1000, count - from)))
                    .forEach(answer -> ids.add(answer.orThrow().id()));
        }
        return ids;
    }

    private static List<Submission> works(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> Submission.of("work", Payload.EMPTY))
                .toList();
    }

    /** All but the newest ranges have summaries. */
    private void assertSummarised() throws SQLException {
        long pages = pages();
        assertThat(pages).isGreaterThan(3 * RANGE);
        assertThat(summarised()).isBetween(pages - 2 * RANGE + 1, pages - RANGE);
    }

    private long pages() throws SQLException {
        long most = 0;
        for (int day = 0; day < Statements.DAYS; day++) {
            var size = "select (pg_relation_size('%s.event_" + day + "') / 8192)::text";
            most = Math.max(most, Long.parseLong(texts(size).getFirst()));
        }
        return most;
    }

    private long summarised() throws SQLException {
        return Long.parseLong(
                texts("select coalesce(max(summarised), 0)::text from %s.event_day").getFirst());
    }

    private void execute(String sql) throws SQLException {
        Shop.execute(connection, sql.formatted(schema));
    }

    private List<String> texts(String query) throws SQLException {
        var texts = new ArrayList<String>();
        try (var statement = connection.createStatement();
                var results = statement.executeQuery(query.formatted(schema))) {
            while (results.next()) {
                texts.add(results.getString(1));
            }
        }
        return texts;
    }
}
