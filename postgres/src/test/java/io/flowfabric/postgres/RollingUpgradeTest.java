package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.LaneExplanation.Group;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Maintenance.Round;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.postgres.internal.migration.Migrations;
import io.flowfabric.testkit.VirtualClock;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * R22: two versions of the program work on one database, and neither rejects what the other wrote.
 * What an older one cannot read it leaves to the newer one, and everything else goes on.
 *
 * <p>The older program knows the schema as the last release made it, and until the first release
 * that of now; the newer one is made up.
 */
class RollingUpgradeTest {
    // From the first release on it is recorded beside the others.
    private static final String OLDEST = "internal/migration/001_executions.sql";

    private static final Migrations OLDER = migrations(OLDEST);
    private static final Migrations NEWER = migrations(OLDEST, "recorded/002_compatible.sql");
    private static final Migrations BREAKING = migrations(OLDEST, "recorded/002_incompatible.sql");
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** A policy that only the newer program can read. */
    private static final String FIBONACCI = "{\"retry\":{\"backoff\":{\"kind\":\"fibonacci\"}}}";

    private final SchemaName schema = TestPostgres.freshSchema();
    private final VirtualClock clock = new VirtualClock();
    private final Session session = Session.of("worker", "1", "default");

    @SuppressWarnings("NullAway.Init")
    private PostgresStore older;

    private long claims;

    @BeforeEach
    void the_older_program_runs_and_the_newer_one_migrates() {
        older = open(OLDER);
        older.sessions().open(session);
        assertThat(schema(NEWER).migrate()).containsExactly("002_compatible");
    }

    @AfterEach
    void stop() {
        older.close();
    }

    @Test
    void every_statement_fits_the_schema_that_a_newer_program_has_migrated() {
        older.database().check();
    }

    @Test
    void what_ran_before_the_migration_goes_on_and_can_be_started_again() {
        var work = submit(Policy.DEFAULT);
        try (var newer = open(NEWER);
                var again = open(OLDER)) {
            var lease = claim(older).getFirst();
            end(newer, lease);

            assertThat(view(again, work).state().publicState()).isEqualTo(PublicState.COMPLETED);
        }
    }

    @Test
    void a_database_that_became_unreadable_is_refused_by_name() {
        var other = TestPostgres.freshSchema();
        PostgresSchema.of(TestPostgres.options(), other, BREAKING).migrate();

        assertThatThrownBy(() -> PostgresSchema.of(TestPostgres.options(), other, OLDER).migrate())
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("newer than this program")
                .hasMessageContaining("002_incompatible")
                .hasMessageContaining("know migration 002");
    }

    @Test
    void a_policy_with_a_field_of_a_newer_program_is_run_and_keeps_it() throws Exception {
        var work = submit(Policy.DEFAULT);
        var body = policy(work, "{\"colour\":\"red\",\"max_reclaims\":7}");

        var lease = claim(older).getFirst();
        end(older, lease);

        assertThat(lease.policy().maxReclaims()).isEqualTo(7);
        assertThat(ask("select body from ${schema}.policy where id = " + body))
                .contains("\"colour\":\"red\"");
    }

    @Test
    void work_with_a_policy_of_a_newer_program_is_left_to_it() throws Exception {
        var foreign = submit("newer", Policy.DEFAULT);
        var own = submit(Policy.DEFAULT);
        int unknown = policy(foreign, FIBONACCI);
        tell("update ${schema}.gate set format = 2 where kind = 'newer'");

        assertThat(claim(older))
                .extracting(lease -> lease.fence().execution())
                .containsExactly(own);
        assertThat(claim(older)).isEmpty();
        assertThat(older.queries().describe(List.of(foreign)).getFirst().isDone()).isFalse();

        // The newer program is one that can read it.
        tell("update ${schema}.policy set body = '{\"max_reclaims\":7}' where id = " + unknown);
        tell("update ${schema}.gate set format = 1 where kind = 'newer'");
        try (var newer = open(NEWER)) {
            var fresh = Session.of("worker", "2", "default");
            newer.sessions().open(fresh);
            assertThat(newer.claims().claim(new Claim(fresh.id(), 1, 10)).leases())
                    .extracting(lease -> lease.fence().execution())
                    .containsExactly(foreign);
        }
    }

    @Test
    void the_deadline_of_work_of_a_newer_program_waits_for_it() throws Exception {
        var foreign = submit("newer", Policy.DEFAULT.deadline(Due.in(MINUTE)));
        var own = submit(Policy.DEFAULT.deadline(Due.in(MINUTE)));
        int unknown = policy(foreign, FIBONACCI);

        clock.advance(MINUTE);
        var round = older.maintenance().tick(Chore.TIMERS, 10);

        assertThat(round.errors()).isZero();
        assertThat(view(older, own).state().publicState()).isEqualTo(PublicState.EXPIRED);
        tell("update ${schema}.policy set body = '{\"max_reclaims\":7}' where id = " + unknown);
        try (var newer = open(NEWER)) {
            clock.advance(Duration.ofSeconds(2));
            newer.maintenance().tick(Chore.TIMERS, 10);
            assertThat(view(newer, foreign).state().publicState()).isEqualTo(PublicState.EXPIRED);
        }
    }

    /** What was put off must not be due again before the last page of a round. */
    @Test
    void a_round_ends_although_time_goes_on_and_there_is_more_of_a_newer_program_than_a_page()
            throws Exception {
        for (int i = 0; i < 3; i++) {
            policy(submit("newer", Policy.DEFAULT.deadline(Due.in(MINUTE))), FIBONACCI);
        }
        clock.advance(MINUTE);
        InstantSource hurrying =
                () -> {
                    clock.advance(Duration.ofSeconds(1));
                    return clock.instant();
                };
        try (var hurried =
                PostgresStore.over(
                        PostgresStore.connect(
                                TestPostgres.options(), schema(OLDER), Optional.of(clock)),
                        Optional.of(hurrying))) {
            var round =
                    CompletableFuture.supplyAsync(
                            () -> hurried.maintenance().tick(Chore.TIMERS, 1));

            assertThat(round)
                    .succeedsWithin(Duration.ofSeconds(10))
                    .isEqualTo(new Round(0, 0, false));
        }
    }

    @Test
    void very_much_work_of_a_newer_program_is_put_off_in_parts_and_ever_later() throws Exception {
        var policy = Policy.DEFAULT.deadline(Due.in(MINUTE));
        var work =
                Stream.generate(() -> Submission.of("newer", Payload.EMPTY).policy(policy))
                        .limit(11_000)
                        .toList();
        older.submissions().submit(work.subList(0, 5_500)).forEach(Answer::orThrow);
        older.submissions().submit(work.subList(5_500, 11_000)).forEach(Answer::orThrow);
        int unknown = policy(work.getFirst().id(), FIBONACCI);
        tell("update ${schema}.execution set policy = " + unknown);
        var own = submit(Policy.DEFAULT.start(Due.in(MINUTE)));

        clock.advance(MINUTE);
        var round = older.maintenance().tick(Chore.TIMERS, 1000);

        assertThat(round.processed()).isEqualTo(1);
        assertThat(view(older, own).state()).isEqualTo(new Ready(LeasePurpose.FIRST));
        assertThat(
                        ask(
                                """
                                select string_agg(seconds || ':' || timers, ' ' order by seconds) from (
                                    select (due - %d) / 1000 as seconds, count(*) as timers from ${schema}.timer group by 1) as later
                                """
                                        .formatted(clock.millis())))
                .isEqualTo("0:1000 2:1000 4:1000 8:1000 16:1000 32:1000 60:5000");
    }

    @Test
    void the_lease_of_work_of_a_newer_program_is_returned_by_it() throws Exception {
        var foreign = submit("newer", Policy.DEFAULT);
        var own = submit(Policy.DEFAULT);
        assertThat(claim(older)).hasSize(2);
        int unknown = policy(foreign, FIBONACCI);

        clock.advance(session.ttl());
        var round = older.maintenance().tick(Chore.SESSIONS, 10);

        assertThat(round.errors()).as("what is left to newer programs is no error").isZero();
        assertThat(view(older, own).state()).isEqualTo(new Ready(LeasePurpose.RECLAIM));
        tell("update ${schema}.policy set body = '{\"max_reclaims\":7}' where id = " + unknown);
        try (var newer = open(NEWER)) {
            assertThat(view(newer, foreign).state()).isInstanceOf(Running.class);
            newer.maintenance().tick(Chore.SESSIONS, 10);
            assertThat(view(newer, foreign).state()).isEqualTo(new Ready(LeasePurpose.RECLAIM));
        }
    }

    @Test
    void a_sweep_passes_over_what_is_in_a_state_of_a_newer_program() throws Exception {
        var foreign = submit(Policy.DEFAULT.start(Due.in(MINUTE)));
        var own = submit(Policy.DEFAULT.start(Due.in(MINUTE)));
        asleep(foreign, "delayed");
        tell("insert into ${schema}.timer values ('" + foreign.uuid() + "', 'alarm', 0)");

        clock.advance(MINUTE);
        var round = older.maintenance().tick(Chore.TIMERS, 10);

        assertThat(round.processed()).isEqualTo(1);
        assertThat(view(older, own).state().publicState()).isEqualTo(PublicState.WAITING);
        assertThat(ask("select string_agg(kind::text, ' ' order by kind) from ${schema}.timer"))
                .as("both are there for the newer program")
                .isEqualTo("wake alarm");
        assertThat(
                        older.operations()
                                .act(
                                        List.of(
                                                new OperatorCommand.Cancel(foreign),
                                                new OperatorCommand.Cancel(own)),
                                        new Attribution("ada", "because")))
                .extracting(Answer::isDone)
                .containsExactly(false, true);
    }

    @Test
    void a_claim_passes_over_a_purpose_of_a_newer_program() throws Exception {
        var foreign = submit(Policy.DEFAULT);
        var own = submit(Policy.DEFAULT);
        tell(
                "update ${schema}.execution set next = 'awaken', attempts = 1, epoch = 1 where id = '%s'"
                        .formatted(foreign.uuid()));

        assertThat(claim(older))
                .extracting(lease -> lease.fence().execution())
                .containsExactly(own);
    }

    @Test
    void queries_pass_over_what_is_in_a_state_of_a_newer_program() throws Exception {
        var foreign = submit(Policy.DEFAULT);
        var own = submit(Policy.DEFAULT);
        asleep(foreign, "ready");

        var queries = older.queries();
        assertThat(queries.describe(List.of(foreign, own)))
                .extracting(Answer::isDone)
                .containsExactly(false, true);
        assertThat(queries.results(List.of(foreign)).getFirst()).isInstanceOf(Answer.Refused.class);
        assertThat(queries.search(Search.in(Namespace.DEFAULT), Cursor.START, 10).items())
                .extracting(ExecutionView::id)
                .containsExactly(own);
        assertThat(queries.counts(Namespace.DEFAULT).get(Lane.DEFAULT))
                .containsOnlyKeys(PublicState.WAITING)
                .containsEntry(PublicState.WAITING, 1L);
        assertThat(queries.explain(Lane.DEFAULT).groups())
                .extracting(Group::situation, Group::executions)
                .containsExactly(tuple(Situation.READY, 1L));
        assertThatThrownBy(() -> queries.explain(foreign)).isInstanceOf(StoreFailure.class);
    }

    @Test
    void a_stale_fence_is_answered_whatever_state_its_execution_is_in() throws Exception {
        submit(Policy.DEFAULT);
        submit(Policy.DEFAULT);
        var leases = claim(older);
        asleep(leases.get(0).fence().execution(), "running");

        var answers =
                older.leases()
                        .end(
                                leases.stream()
                                        .<Ending>map(
                                                lease ->
                                                        new Ending.Complete(
                                                                lease.fence(), Payload.EMPTY))
                                        .toList());

        assertThat(answers).extracting(Answer::isDone).containsExactly(false, true);
    }

    @Test
    void a_feed_passes_over_events_of_a_newer_program() throws Exception {
        var work = submit(Policy.DEFAULT);
        tell(
                """
                insert into ${schema}.event_0 (at, execution, part, lane, transition, situation, attempts, epoch)
                select 0, id, part, lane, 'doze', 'asleep', 0, 0 from ${schema}.execution
                """);
        tell("insert into ${schema}.event_0 (at, kind, namespace) values (0, 'dreamt', 'default')");
        var later = submit(Policy.DEFAULT);

        var events =
                older.feeds()
                        .read(FeedFilter.of(FeedFilter.Topic.EVERYTHING), Cursor.START, 10)
                        .entries();

        assertThat(events)
                .extracting(entry -> ((Event.Step) entry.event()).execution())
                .containsExactly(work, later);
        assertThat(older.queries().history(work)).hasSize(1);
    }

    private void asleep(ExecutionId execution, String before) throws SQLException {
        tell(
                """
                update ${schema}.execution
                set situation = 'asleep', session = null, since = null, until = null, delayed_by = null, epoch = epoch + 1
                where id = '%s' and situation = '%s'
                """
                        .formatted(execution.uuid(), before));
        for (var queue : List.of("ready", "inactive")) {
            int unused =
                    tellIfThere(
                            "delete from ${schema}.%s where id = '%s'"
                                    .formatted(queue, execution.uuid()));
        }
        tell(
                "insert into ${schema}.inactive (lane, situation, submitted, seq, id) select lane,"
                        + " situation, submitted, seq, id from ${schema}.execution where id = '%s'"
                                .formatted(execution.uuid()));
    }

    /** Gives an execution a policy with this body, and returns its number. */
    private int policy(ExecutionId execution, String body) throws SQLException {
        int number =
                Integer.parseInt(
                        ask(
                                """
                                insert into ${schema}.policy (body) values ('%s')
                                on conflict (body) do update set body = excluded.body returning id
                                """
                                        .formatted(body)));
        tell(
                "update ${schema}.execution set policy = %d where id = '%s'"
                        .formatted(number, execution.uuid()));
        return number;
    }

    private ExecutionId submit(Policy policy) {
        return submit("work", policy);
    }

    private ExecutionId submit(String kind, Policy policy) {
        var work = Submission.of(kind, Payload.EMPTY).policy(policy);
        older.submissions().submit(List.of(work)).forEach(Answer::orThrow);
        return work.id();
    }

    private List<Lease> claim(PostgresStore store) {
        return store.claims().claim(new Claim(session.id(), ++claims, 10)).leases();
    }

    private static void end(PostgresStore store, Lease lease) {
        store.leases()
                .end(List.of(new Ending.Complete(lease.fence(), Payload.EMPTY)))
                .forEach(Answer::orThrow);
    }

    private static ExecutionView view(PostgresStore store, ExecutionId id) {
        return store.queries().describe(List.of(id)).getFirst().orThrow();
    }

    private PostgresStore open(Migrations migrations) {
        return PostgresStore.over(
                PostgresStore.connect(
                        TestPostgres.options(), schema(migrations), Optional.of(clock)),
                Optional.of(clock));
    }

    private PostgresSchema schema(Migrations migrations) {
        return PostgresSchema.of(TestPostgres.options().withConnections(2), schema, migrations);
    }

    private static Migrations migrations(String... files) {
        return Migrations.load(RollingUpgradeTest.class, files);
    }

    private String ask(String question) throws SQLException {
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement();
                var results = statement.executeQuery(schema.fill(question))) {
            results.next();
            return results.getString(1);
        }
    }

    /** Does what the newer program might, to at least one row. */
    private void tell(String command) throws SQLException {
        assertThat(tellIfThere(command)).as(command).isPositive();
    }

    private int tellIfThere(String command) throws SQLException {
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement()) {
            return statement.executeUpdate(schema.fill(command));
        }
    }
}
