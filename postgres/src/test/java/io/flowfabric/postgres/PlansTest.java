package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.operate.Workers.Scope;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.embedded.EmbeddedOptions;
import io.flowfabric.embedded.EmbeddedPostgres;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * How the server really runs the statements of the hot path: beside a backlog, with the plans that
 * were made when the tables were empty, as it explains them in its own log.
 *
 * <p>No step of a plan may touch many more rows than the call is about. That finds a scan or a sort
 * of the backlog, and two sets that are compared each with each.
 */
class PlansTest {
    private static final int OPEN = 10_000;
    private static final int SHUT_GATES = 100;
    private static final int SHUT = 100_000;
    private static final int WITHOUT_BUDGET = 50_000;
    private static final int COMPARING_GATES = 50;
    private static final int BATCH = 64;

    /** So many events share a few summaries, and as many have none yet. */
    private static final int LOOKED_AT = 5000;

    @TempDir static Path home;

    private static EmbeddedPostgres server;
    private static PostgresStore store;
    private static Connection caller;
    private static Session worker;
    private static long claims;
    private static long logged;

    /** A plan as the server ran it. */
    private record Plan(String statement, String text) {
        private static final Pattern ROWS =
                Pattern.compile("actual time=[\\d.]+ rows=([\\d.]+) loops=(\\d+)");
        private static final Pattern REMOVED =
                Pattern.compile("(\\w* ?Rows Removed by [\\w ]+): (\\d+)");

        /** The most rows that one of its steps produced or threw away. */
        double mostRows() {
            double most = 0;
            double loops = 1;
            for (String line : text.lines().toList()) {
                var rows = ROWS.matcher(line);
                if (rows.find()) {
                    loops = Double.parseDouble(rows.group(2));
                    most = Math.max(most, Double.parseDouble(rows.group(1)) * loops);
                }
                var removed = REMOVED.matcher(line);
                if (removed.find()) {
                    most = Math.max(most, Double.parseDouble(removed.group(2)) * loops);
                }
            }
            return most;
        }
    }

    @BeforeAll
    static void aStoreWithABacklog() throws SQLException {
        server =
                EmbeddedPostgres.start(
                        home,
                        EmbeddedOptions.DEFAULT
                                .withoutDurability()
                                .withBinaries(TestPostgres.BINARIES)
                                .withSetting("shared_preload_libraries", "auto_explain")
                                .withSetting("auto_explain.log_min_duration", "0")
                                .withSetting("auto_explain.log_analyze", "on")
                                .withSetting("auto_explain.log_nested_statements", "on")
                                .withSetting("auto_explain.log_buffers", "on"));
        store =
                PostgresStore.open(
                        DatabaseOptions.of(server.url(), server.user(), server.password())
                                .withConnections(2));
        worker = Session.of("worker", "1", "default").ttl(Duration.ofHours(1));
        store.sessions().open(worker);
        // All statements run, and are planned, before there is anything to plan for.
        submit(OPEN / 10, i -> Submission.of("work", Payload.EMPTY));
        end(claim());
        caller = DriverManager.getConnection(server.url(), server.user(), server.password());
        caller.setAutoCommit(false);
        for (int i = 0; i < 20; i++) {
            submitInTransaction(1);
        }
        submit(OPEN, i -> Submission.of("work", Payload.EMPTY));
        submit(
                SHUT,
                i ->
                        Submission.of("work", Payload.EMPTY)
                                .policy(
                                        Policy.DEFAULT.needs(
                                                Capabilities.of("gpu" + i % SHUT_GATES))));
        store.budgets().define(Budget.of("spent", "tokens", 0), new Attribution("ada", "to see"));
        submit(
                WITHOUT_BUDGET,
                i ->
                        Submission.of("work", Payload.EMPTY)
                                .policy(Policy.DEFAULT.priority(9000).budget("spent")));
        submit(
                OPEN,
                i ->
                        Submission.of("work", Payload.EMPTY)
                                .policy(
                                        Policy.DEFAULT
                                                .start(Due.in(Duration.ofHours(1)))
                                                .deadline(Due.in(Duration.ofHours(2)))));
    }

    @AfterAll
    static void stop() throws SQLException {
        caller.close();
        store.close();
        server.close();
    }

    @Test
    void a_submission_touches_what_is_submitted() {
        startLogging();
        submit(1000, i -> Submission.of("work", Payload.EMPTY).key("key" + i));

        check("submit", 1000);
    }

    @Test
    void a_submission_in_a_callers_transaction_needs_no_settings_of_ours() throws SQLException {
        startLogging();
        for (int i = 0; i < 10; i++) {
            submitInTransaction(1);
        }
        check("submit", 10);
        check("known", 10);

        startLogging();
        for (int i = 0; i < 10; i++) {
            submitInTransaction(1000);
        }
        // With a thousand duplicates the server may read a table whole, if it finds that cheaper.
        check("submit", 1000);
    }

    @Test
    void turns_cost_what_takes_them_however_many_keys_wait() {
        var lane = new Lane(new Namespace("fair"), "shared");
        var ada = new Attribution("ada", "fair is fair");
        store.lanes().configure(lane, LaneSettings.DEFAULT.sharing(true), ada);
        var sharer =
                Session.of("worker", "6", "shared")
                        .namespace(lane.namespace())
                        .ttl(Duration.ofHours(1));
        store.sessions().open(sharer);
        IntFunction<Submission> work =
                i ->
                        Submission.of("work", Payload.EMPTY)
                                .lane(lane)
                                .policy(Policy.DEFAULT.share("key" + i % 2000));
        submit(OPEN, work);
        startLogging();
        submit(1000, work);
        var soon = Due.in(Duration.ofMillis(1));
        submit(BATCH, i -> work.apply(i).policy(work.apply(i).policy().start(soon)));
        for (int i = 1; i <= 10; i++) {
            assertThat(store.claims().claim(new Claim(sharer.id(), i, BATCH)).leases())
                    .hasSize(BATCH);
        }
        while (plans("place").isEmpty()) {
            store.maintenance().tick(Chore.TIMERS, 1000);
        }

        check("submit", 1000);
        check("claim_any", BATCH);
        check("place", BATCH);
    }

    @Test
    void a_claim_touches_what_it_takes_whatever_waits_beside_it() {
        startLogging();
        for (int i = 0; i < 10; i++) {
            claim();
        }

        // It looks at a few more than it takes, and at each gate of the lane.
        check("claim_any", BATCH + SHUT_GATES + COMPARING_GATES);
    }

    @Test
    void plain_work_is_stored_claimed_and_completed_by_plain_statements() {
        var lane = Lane.of("plain");
        var plain = Session.of("worker", "7", "plain").ttl(Duration.ofHours(1));
        store.sessions().open(plain);
        submit(OPEN, i -> Submission.of("work", Payload.EMPTY).lane(lane));
        startLogging();
        submit(1000, i -> Submission.of("work", Payload.EMPTY).lane(lane));
        for (int i = 1; i <= 10; i++) {
            var leases = store.claims().claim(new Claim(plain.id(), i, BATCH)).leases();
            assertThat(leases).hasSize(BATCH);
            end(leases);
        }

        check("submit_plain", 1000);
        check("claim", BATCH + 24);
        check("complete", BATCH);
        assertThat(plans("submit")).isEmpty();
        assertThat(plans("claim_any")).isEmpty();
        assertThat(plans("end")).isEmpty();
    }

    @Test
    void a_claim_is_one_statement_when_all_versions_were_compared() {
        submit(
                COMPARING_GATES * BATCH,
                i ->
                        Submission.of("work", Payload.EMPTY)
                                .policy(
                                        Policy.DEFAULT
                                                .priority(1)
                                                .needs(
                                                        Capabilities.of(
                                                                "v>=1." + i % COMPARING_GATES))));
        var able =
                Session.of("worker", "5", "default")
                        .ttl(Duration.ofHours(1))
                        .offers(Capabilities.of("v=1." + (COMPARING_GATES / 2 - 1)));
        store.sessions().open(able);
        startLogging();
        for (int i = 1; i <= 10; i++) {
            var leases = store.claims().claim(new Claim(able.id(), i, BATCH)).leases();
            assertThat(leases).hasSize(BATCH).allMatch(lease -> lease.policy().needs().compare());
        }

        // The first one learns what there is to compare.
        assertThat(plans("claim_any")).hasSize(11);
        assertThat(plans("gates").size()).isLessThanOrEqualTo(1);
        // It looks at a claim's worth behind every gate that is open to it.
        check("claim_any", (BATCH + 24) * (COMPARING_GATES / 2 + 1) + SHUT_GATES);
    }

    @Test
    void a_look_at_ready_work_asks_once_who_could_take_it() {
        var ids = submit(BATCH, i -> Submission.of("work", Payload.EMPTY));
        startLogging();
        store.queries().describe(ids);

        assertThat(plans("alive_in")).hasSize(1);
        check("alive_in", 6);
        check("describe", BATCH);
    }

    @Test
    void an_ending_touches_what_ends() {
        var leases = claim();
        startLogging();
        end(leases);
        end(leases);

        check("end", BATCH);
        check("given", BATCH);
    }

    @Test
    void a_report_touches_what_it_is_about() {
        var leases = claim();
        startLogging();
        store.leases()
                .progress(leases.stream().map(l -> new Progress(l.fence(), 50, "half")).toList());

        check("progress", BATCH);
    }

    @Test
    void what_reserves_more_than_is_left_is_passed_over_once() {
        int large = 5_000;
        store.budgets().define(Budget.of("price", "tokens", 100), new Attribution("ada", "to see"));
        var lane = Lane.of("priced");
        var priced = Session.of("worker", "9", "priced").ttl(Duration.ofHours(1));
        store.sessions().open(priced);
        submit(large, i -> reserving(1_000 + i).lane(lane));
        submit(1, i -> reserving(10).lane(lane));
        startLogging();

        assertThat(store.claims().claim(new Claim(priced.id(), 1, BATCH)).leases()).hasSize(1);

        check("claim_any", large);
    }

    private static Submission reserving(long tokens) {
        return Submission.of("work", Payload.EMPTY)
                .policy(Policy.DEFAULT.budget("price", Map.of("tokens", tokens)));
    }

    @Test
    void a_report_of_what_was_used_touches_its_budgets() {
        var ada = new Attribution("ada", "to see");
        store.budgets().define(Budget.of("house", "tokens", 1_000_000), ada);
        store.budgets().define(Budget.of("team", "tokens", 1_000_000).parent("house"), ada);
        var lane = Lane.of("spenders");
        var policy = Policy.DEFAULT.budget("team", Map.of("tokens", 10L));
        submit(BATCH, i -> Submission.of("work", Payload.EMPTY).lane(lane).policy(policy));
        var spender = Session.of("worker", "6", lane.name()).ttl(Duration.ofHours(1));
        store.sessions().open(spender);
        var leases = store.claims().claim(new Claim(spender.id(), 1, BATCH)).leases();
        startLogging();
        for (Lease lease : leases) {
            var report = usage(lease, lease.fence().toString());
            store.leases().spend(List.of(report)).getFirst().orThrow();
        }
        store.maintenance().tick(Chore.TIMERS, 1000);

        assertThat(plans("spend")).hasSize(BATCH);
        check("spend", 6);
        check("breached", 6);

        startLogging();
        var batch = leases.stream().map(l -> usage(l, "another " + l.fence())).toList();
        store.leases().spend(batch).forEach(Answer::orThrow);
        store.leases().spend(batch).forEach(Answer::orThrow);

        assertThat(plans("spend")).hasSize(2);
        check("spend", 2 * BATCH);
        check("spent_before", BATCH);
    }

    private static UsageReport usage(Lease lease, String key) {
        return new UsageReport(lease.fence(), "team", "tokens", 10, key);
    }

    @Test
    void a_heartbeat_touches_what_its_session_was_given() {
        var other = Session.of("worker", "2", "default").ttl(Duration.ofHours(1));
        store.sessions().open(other);
        var leases = store.claims().claim(new Claim(other.id(), 1, BATCH)).leases();
        end(leases.subList(0, BATCH / 2));
        startLogging();
        store.sessions().heartbeat(List.of(new Heartbeat(other.id(), 1, fences(leases))));

        check("renew", BATCH);
    }

    @Test
    void what_time_does_touches_what_is_due() {
        startLogging();
        var soon = Policy.DEFAULT.start(Due.in(Duration.ofMillis(1)));
        submit(BATCH, i -> Submission.of("work", Payload.EMPTY).policy(soon));
        int woken = 0;
        while (woken < BATCH) {
            woken += store.maintenance().tick(Chore.TIMERS, 1000).processed();
        }
        store.maintenance().tick(Chore.SESSIONS, 1000);
        store.maintenance().nextDue();

        check("due", BATCH);
        check("step", BATCH);
        check("next_due", 6);
        check("due_kinds", 6);
        check("die", 6);
    }

    @Test
    void a_dead_session_costs_what_it_held() {
        var dying = Session.of("worker", "3", "default").ttl(Duration.ofHours(1));
        store.sessions().open(dying);
        store.claims().claim(new Claim(dying.id(), 1, BATCH));
        startLogging();
        store.sessions().close(dying.id());

        check("held_by_the_dead", BATCH);
        check("step", BATCH);
        check("bury", BATCH);
    }

    @Test
    void a_look_at_the_workers_touches_what_they_were_given() {
        var busy = Session.of("worker", "4", "default").ttl(Duration.ofHours(1));
        store.sessions().open(busy);
        store.claims().claim(new Claim(busy.id(), 1, BATCH));
        startLogging();
        store.workers().describe(busy.id());
        store.workers().markDead(busy.id(), new Attribution("ada", "it does not answer"));

        check("workers", BATCH);
        check("mark_dead", 6);

        // The others that it lists hold what they hold.
        store.workers().list(Namespace.DEFAULT, Scope.ALL, Cursor.START, 1);
        check("list_sessions", 6);
    }

    @Test
    void an_act_of_an_operator_touches_its_execution() {
        var id = submit(1, i -> Submission.of("work", Payload.EMPTY)).getFirst();
        startLogging();
        store.operations()
                .act(List.of(new OperatorCommand.Cancel(id)), new Attribution("ada", "not needed"));
        store.queries().describe(List.of(id));
        store.queries().history(id);

        store.operations().erase(List.of(id), new Attribution("ada", "they asked to be forgotten"));

        check("facts", 2);
        check("step", 2);
        check("erase", 2);
    }

    @Test
    void a_page_of_a_search_touches_what_is_on_it() {
        startLogging();
        var search = Search.in(Namespace.DEFAULT).kind("work").states(PublicState.WAITING);
        var first = store.queries().search(search, Cursor.START, BATCH);
        store.queries().search(search, first.next(), BATCH);
        store.queries().search(search.newestFirst(), Cursor.START, BATCH);

        assertThat(first.items()).hasSize(BATCH);
        check("search", BATCH + 1);
    }

    @Test
    void what_is_rare_is_found_without_looking_at_what_is_not() {
        startLogging();
        var all = Search.in(Namespace.DEFAULT);
        for (var rare : List.of(PublicState.FAILED, PublicState.ACTIVE, PublicState.DELAYED)) {
            store.queries().search(all.states(rare), Cursor.START, BATCH);
            store.queries().search(all.states(rare).newestFirst(), Cursor.START, BATCH);
        }
        store.queries().search(all.tag("colour", "red"), Cursor.START, BATCH);
        store.queries().search(all.worker("nobody"), Cursor.START, BATCH);

        // Of what runs there is as much as was claimed and not yet acknowledged.
        check("search", OPEN + BATCH);
    }

    @Test
    void a_page_costs_no_more_than_a_page_may() {
        startLogging();
        var page =
                store.queries().search(Search.in(Namespace.DEFAULT).creator("x"), Cursor.START, 1);

        assertThat(page.items()).isEmpty();
        assertThat(page.next()).isNotEqualTo(Cursor.END);
        check("search", 2_000);
    }

    @Test
    void an_explanation_touches_what_it_counts_and_counts_no_further_than_it_tells() {
        var last = submit(1, i -> Submission.of("work", Payload.EMPTY)).getFirst();
        startLogging();
        var explanation = store.queries().explain(last);

        assertThat(explanation.facts()).contains(new Fact.Ahead(Fact.Ahead.MOST, true));
        check("circumstances", 6);
        check("lane_changed_by", 6);
        check("gates_of_lane", SHUT_GATES + COMPARING_GATES);
        assertThat(plans("workers")).hasSize(1);
        check("ahead", Fact.Ahead.MOST + 1);
    }

    @Test
    void an_explanation_of_a_closed_lane_finds_who_closed_it_by_its_row() {
        var lane = Lane.of("closed");
        var work = Submission.of("work", Payload.EMPTY).lane(lane);
        submit(1, i -> work);
        var ada = new Attribution("ada", "the press is down");
        store.lanes().configure(lane, LaneSettings.DEFAULT.state(LaneSettings.State.PAUSED), ada);
        startLogging();

        assertThat(store.queries().explain(work.id()).words())
                .endsWith(", by ada: the press is down");
        check("circumstances", 6);
        check("lane_changed_by", 6);
    }

    @Test
    void a_feed_touches_what_it_delivers_however_long_the_log_is_and_however_much_was_missed() {
        var everything = FeedFilter.of(FeedFilter.Topic.EVERYTHING);
        var feeds = store.feeds();
        var away = feeds.read(everything, Cursor.NOW, 1).next();
        submit(10 * LOOKED_AT, i -> Submission.of("work", Payload.EMPTY));
        // The first look of a process makes the summaries that are missing.
        feeds.read(everything, feeds.beginning(), 1);

        startLogging();
        var next = feeds.beginning();
        for (int i = 0; i < 3; i++) {
            var batch = feeds.read(everything, next, BATCH);
            assertThat(batch.entries()).hasSize(BATCH);
            next = batch.next();
        }
        check("read_events", LOOKED_AT);

        startLogging();
        for (int i = 0; i < 3; i++) {
            var batch = feeds.read(everything, away, BATCH);
            assertThat(batch.entries()).hasSize(BATCH);
            away = batch.next();
        }
        check("read_events", LOOKED_AT);

        startLogging();
        var tail = feeds.read(everything, Cursor.NOW, 1).next();
        submit(1, i -> Submission.of("work", Payload.EMPTY));
        assertThat(feeds.read(everything, tail, BATCH).entries()).hasSize(1);
        check("newest_transaction", LOOKED_AT);
        check("read_events", LOOKED_AT);
    }

    @Test
    void a_feed_reads_no_events_while_nothing_happens() {
        var everything = FeedFilter.of(FeedFilter.Topic.EVERYTHING);
        var feeds = store.feeds();
        var tail = feeds.read(everything, Cursor.NOW, 1).next();
        tail = feeds.read(everything, tail, BATCH).next();

        startLogging();
        for (int i = 0; i < 3; i++) {
            var batch = feeds.read(everything, tail, BATCH);
            assertThat(batch.entries()).isEmpty();
            tail = batch.next();
        }

        assertThat(plans("feed_events")).hasSize(3);
        assertThat(plans("dropped")).isEmpty();
        assertThat(plans("read_events"))
                .allSatisfy(plan -> assertThat(plan.text).contains("never executed"));
    }

    @Test
    void retention_finds_the_days_that_are_over_without_reading_the_others() {
        startLogging();
        store.maintenance().tick(Chore.RETENTION, 1000);

        check("aged_days", LOOKED_AT);
    }

    @Test
    void an_explanation_of_a_lane_touches_what_lives_in_it() {
        startLogging();
        var explanation = store.queries().explain(Lane.DEFAULT);

        assertThat(explanation.in(Situation.WITHOUT_WORKER)).isGreaterThanOrEqualTo(SHUT);
        // Of what has ended there may be any number; of what lives it reads the entries, in an
        // index.
        check("waiting_in", SHUT + WITHOUT_BUDGET + OPEN + COMPARING_GATES * BATCH);
        assertThat(plans("waiting_in"))
                .allSatisfy(plan -> assertThat(plan.text).contains("Index Only Scan using ready"));
    }

    private static List<ExecutionId> submit(int count, IntFunction<Submission> one) {
        var ids = new ArrayList<ExecutionId>();
        for (int from = 0; from < count; from += 1000) {
            var batch = IntStream.range(from, Math.min(count, from + 1000)).mapToObj(one).toList();
            for (var answer : store.submissions().submit(batch)) {
                assertThat(answer).isInstanceOf(Answer.Done.class);
                if (answer instanceof Answer.Done<Submitted>(var submitted)) {
                    ids.add(submitted.id());
                }
            }
        }
        return ids;
    }

    /** Work with keys, all of it twice, on a connection as a driver makes it. */
    private static void submitInTransaction(int count) throws SQLException {
        var batch =
                IntStream.range(0, count)
                        .mapToObj(
                                i ->
                                        Submission.of("work", Payload.EMPTY)
                                                .key(UUID.randomUUID().toString()))
                        .toList();
        assertThat(store.in(caller).submit(batch)).allMatch(answer -> answer.orThrow().created());
        assertThat(store.in(caller).submit(batch)).noneMatch(answer -> answer.orThrow().created());
        caller.commit();
    }

    private static List<Lease> claim() {
        var leases = store.claims().claim(new Claim(worker.id(), ++claims, BATCH)).leases();
        assertThat(leases).hasSize(BATCH);
        return leases;
    }

    private static void end(List<Lease> leases) {
        var endings =
                leases.stream()
                        .map(lease -> (Ending) new Ending.Complete(lease.fence(), Payload.EMPTY))
                        .toList();
        assertThat(store.leases().end(endings)).allMatch(answer -> answer instanceof Answer.Done);
    }

    private static Set<Fence> fences(List<Lease> leases) {
        return Set.copyOf(leases.stream().map(Lease::fence).toList());
    }

    private static void startLogging() {
        logged = log().length();
    }

    private static void check(String statement, int rows) {
        var plans = plans(statement);
        assertThat(plans).as("plans of %s", statement).isNotEmpty();
        for (Plan plan : plans) {
            // Twice as many, because an index may still know rows as they were before.
            assertThat(plan.mostRows()).as(plan.text).isLessThanOrEqualTo(2 * rows);
            assertThat(plan.text)
                    .doesNotContainPattern(
                            "Seq Scan on" + " (execution|ready|event|timer|payload|inactive|tag)");
        }
    }

    private static List<Plan> plans(String statement) {
        var marker = "/* flowfabric:" + statement + " */";
        return Pattern.compile("(?m)^(?=\\S.*LOG:  duration: [\\d.]+ ms  plan:)")
                .splitAsStream(log().substring((int) logged))
                .filter(entry -> entry.contains(marker))
                .map(entry -> new Plan(statement, entry))
                .toList();
    }

    private static String log() {
        try {
            return Files.readString(home.resolve("postgres.log"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
