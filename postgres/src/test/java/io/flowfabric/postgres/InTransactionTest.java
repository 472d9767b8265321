package io.flowfabric.postgres;

import static io.flowfabric.postgres.Shop.newKey;
import static io.flowfabric.postgres.Shop.newLane;
import static io.flowfabric.postgres.Shop.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Denied;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** What a caller finds who submits in a transaction of its own. */
class InTransactionTest {
    private static Shop shop;

    @BeforeAll
    static void open() throws SQLException {
        shop = new Shop();
    }

    @AfterAll
    static void close() {
        shop.close();
    }

    @Test
    void work_is_there_after_the_commit_and_not_before() throws Exception {
        var submission = work(newLane());
        try (var tx = shop.begin()) {
            var order = shop.order(tx);
            assertThat(shop.store().in(tx).submit(submission))
                    .isEqualTo(new Submitted(submission.id(), true));
            assertThat(shop.knows(submission.id())).isFalse();
            assertThat(shop.claim(submission.lane())).isEmpty();

            tx.commit();

            assertThat(shop.has(order)).isTrue();
        }
        assertThat(shop.knows(submission.id())).isTrue();
        assertThat(shop.claim(submission.lane())).containsExactly(submission.id());
    }

    @Test
    void work_never_was_after_a_rollback_and_its_lane_can_be_used() throws Exception {
        var lost = work(newLane()).key(newKey());
        try (var tx = shop.begin()) {
            shop.store().in(tx).submit(lost);
            tx.rollback();
        }
        assertThat(shop.knows(lost.id())).isFalse();
        assertThat(shop.claim(lost.lane())).isEmpty();

        // What this process and others remember is what the database holds.
        var same = work(lost.lane()).key(lost.key().orElseThrow());
        assertThat(submit(shop.store(), same)).isEqualTo(new Submitted(same.id(), true));
        var next = work(lost.lane());
        try (var other = shop.open()) {
            assertThat(submit(other, next)).isEqualTo(new Submitted(next.id(), true));
        }
        assertThat(shop.claim(lost.lane())).containsExactly(same.id(), next.id());
    }

    @Test
    void what_names_a_quota_or_a_budget_that_nobody_defined_is_refused_and_the_rest_goes_on()
            throws Exception {
        var good = work(newLane());
        var unbounded = work(newLane()).policy(Policy.DEFAULT.quota("nobody"));
        var unpaid = work(good.lane()).policy(Policy.DEFAULT.budget("nobody"));
        try (var tx = shop.begin()) {
            var answers = shop.store().in(tx).submit(List.of(unbounded, good, unpaid));
            assertThat(answers.get(0)).isInstanceOf(Answer.Refused.class);
            assertThat(answers.get(1)).isInstanceOf(Answer.Done.class);
            assertThat(answers.get(2)).isInstanceOf(Answer.Refused.class);
            tx.commit();
        }
        assertThat(shop.knows(unbounded.id())).isFalse();
        assertThat(shop.knows(unpaid.id())).isFalse();
        assertThat(shop.claim(good.lane())).containsExactly(good.id());
    }

    @Test
    void a_user_with_the_rights_that_the_page_names_can_submit_whatever_there_is()
            throws Exception {
        var user = shop.schema().text() + "_user";
        var schema = shop.schema().text();
        var plain = work(newLane());
        var delayed =
                work(plain.lane())
                        .key(newKey())
                        .tag("colour", "blue")
                        .policy(Policy.DEFAULT.start(Due.in(Duration.ofHours(1))));
        var large = Submission.of("invoice", Payload.text("x".repeat(20_000))).lane(plain.lane());
        try (var tx = shop.begin()) {
            Shop.execute(tx, "create role " + user);
            Shop.execute(tx, "grant usage on schema %s to %s".formatted(schema, user));
            Shop.execute(
                    tx,
                    "grant select, insert, delete on all tables in schema %s to %s"
                            .formatted(schema, user));
            Shop.execute(
                    tx, "grant usage on all sequences in schema %s to %s".formatted(schema, user));
            tx.commit();
            Shop.execute(tx, "set role " + user);

            var answers = shop.store().in(tx).submit(List.of(plain, delayed, large));
            tx.commit();

            assertThat(answers).allMatch(Answer.Done.class::isInstance);
            assertThat(shop.claim(plain.lane())).containsExactly(plain.id(), large.id());
            Shop.execute(tx, "reset role");
            Shop.execute(tx, "drop owned by %1$s; drop role %1$s".formatted(user));
            tx.commit();
        }
    }

    @Test
    void delayed_work_waits_for_its_time_after_the_commit() throws Exception {
        var policy = Policy.DEFAULT.start(Due.in(Duration.ofHours(1)));
        var submission = work(newLane()).policy(policy);
        try (var tx = shop.begin()) {
            shop.store().in(tx).submit(submission);
            tx.commit();
        }

        assertThat(shop.knows(submission.id())).isTrue();
        assertThat(shop.claim(submission.lane())).isEmpty();
    }

    @Test
    void a_large_batch_is_accepted_as_a_whole_and_in_order() throws Exception {
        var lane = newLane();
        var batch = IntStream.range(0, 1500).mapToObj(i -> work(lane)).toList();
        try (var tx = shop.begin()) {
            assertThat(shop.store().in(tx).submit(batch)).allMatch(Answer::isDone);
            assertThat(shop.store().in(tx).submit(List.of())).isEmpty();
            tx.commit();
        }

        assertThat(shop.claim(lane))
                .containsExactlyElementsOf(
                        batch.subList(0, 100).stream().map(item -> item.id()).toList());
    }

    @Test
    void duplicates_are_answered_and_the_transaction_goes_on() throws Exception {
        var lane = newLane();
        var first = work(lane).key(newKey());
        submit(shop.store(), first);
        var inside = work(lane).key(newKey());
        try (var tx = shop.begin()) {
            var order = shop.order(tx);
            var enqueue = shop.store().in(tx);
            assertThat(enqueue.submit(inside).created()).isTrue();

            assertThat(enqueue.submit(first)).isEqualTo(new Submitted(first.id(), false));
            assertThat(enqueue.submit(work(lane).key(first.key().orElseThrow())))
                    .isEqualTo(new Submitted(first.id(), false));
            assertThat(enqueue.submit(work(lane).key(inside.key().orElseThrow())))
                    .isEqualTo(new Submitted(inside.id(), false));
            assertThat(enqueue.submit(List.of(inside, inside)))
                    .allMatch(answer -> !answer.orThrow().created());
            var other =
                    new Submission(
                            first.id(),
                            lane,
                            "other",
                            Payload.EMPTY,
                            "",
                            Optional.empty(),
                            first.tags(),
                            first.policy());
            assertThatExceptionOfType(Conflict.class)
                    .isThrownBy(() -> enqueue.submit(other))
                    .returns(Conflict.Code.ID_TAKEN, Conflict::code);
            assertThatExceptionOfType(Conflict.class)
                    .isThrownBy(
                            () ->
                                    enqueue.submit(
                                            work(lane)
                                                    .creator("eve")
                                                    .key(inside.key().orElseThrow())))
                    .returns(Conflict.Code.KEY_TAKEN, Conflict::code)
                    .returns(inside.id().toString(), Conflict::existing)
                    .withMessageContaining("What differs: creator.");

            tx.commit();
            assertThat(shop.has(order)).isTrue();
        }
        assertThat(shop.claim(lane)).containsExactly(first.id(), inside.id());
    }

    @Test
    void a_refused_submission_leaves_no_lane() throws Exception {
        var first = work(newLane()).key(newKey());
        submit(shop.store(), first);
        var refused = work(newLane()).key(first.key().orElseThrow());
        try (var tx = shop.begin()) {
            assertThatExceptionOfType(Conflict.class)
                    .isThrownBy(() -> shop.store().in(tx).submit(refused));
            tx.commit();
        }

        assertThatExceptionOfType(NotFound.class)
                .isThrownBy(() -> shop.store().lanes().describe(refused.lane()));
    }

    @Test
    void a_lane_that_takes_no_work_says_so_and_the_rest_of_the_batch_is_accepted()
            throws Exception {
        var closed = newLane();
        shop.store()
                .lanes()
                .configure(
                        closed,
                        LaneSettings.DEFAULT.state(LaneSettings.State.DRAINING),
                        new Attribution("ada", "closing time"));
        var open = work(newLane());
        try (var tx = shop.begin()) {
            var answers = shop.store().in(tx).submit(List.of(work(closed), open));
            tx.commit();

            assertThatExceptionOfType(Denied.class).isThrownBy(() -> answers.get(0).orThrow());
            assertThat(answers.get(1).isDone()).isTrue();
        }
        assertThat(shop.knows(open.id())).isTrue();
    }

    @Test
    void a_connection_that_commits_by_itself_is_refused() throws Exception {
        var submission = work(newLane());
        try (var connection = TestPostgres.connect()) {
            refused(connection, submission.lane(), Invalid.Code.AUTOCOMMIT, "setAutoCommit(false)");
        }
        assertThatExceptionOfType(NotFound.class)
                .isThrownBy(() -> shop.store().lanes().describe(submission.lane()));
    }

    @Test
    void a_connection_to_another_database_is_refused() throws Exception {
        var name = shop.schema().text() + "_other";
        try (var admin = TestPostgres.connect()) {
            Shop.execute(admin, "create database " + name);
            var options = TestPostgres.options();
            var url = options.url().replaceFirst("/[^/?]+($|\\?)", "/" + name + "$1");
            try (var other = DriverManager.getConnection(url, options.user(), options.password())) {
                other.setAutoCommit(false);
                refused(other, newLane(), Invalid.Code.OTHER_DATABASE, "another database");
            }
            Shop.execute(admin, "drop database " + name);
        }
    }

    @Test
    void a_transaction_that_has_failed_is_refused_until_it_is_rolled_back() throws Exception {
        var submission = work(newLane());
        try (var tx = shop.begin()) {
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> Shop.execute(tx, "select 1 / 0"));
            refused(tx, submission.lane(), Invalid.Code.TRANSACTION_FAILED, "Roll it back");

            tx.rollback();
            shop.store().in(tx).submit(submission);
            tx.commit();
        }
        assertThat(shop.knows(submission.id())).isTrue();
    }

    @Test
    void a_transaction_that_may_not_write_is_refused_and_can_go_on_reading() throws Exception {
        try (var tx = shop.begin()) {
            tx.setReadOnly(true);
            refused(tx, newLane(), Invalid.Code.TRANSACTION_READ_ONLY, "may not write");

            assertThatCode(() -> shop.orders(tx)).doesNotThrowAnyException();
            tx.rollback();
        }
        // Also when only the server knows of it.
        try (var tx = shop.begin()) {
            Shop.execute(tx, "set transaction read only");
            refused(tx, newLane(), Invalid.Code.TRANSACTION_READ_ONLY, "may not write");
        }
    }

    @Test
    void a_closed_connection_is_refused() throws Exception {
        var tx = shop.begin();
        tx.close();

        refused(tx, newLane(), Invalid.Code.CONNECTION_CLOSED, "Take another one");
    }

    @Test
    void a_closed_store_takes_nothing() throws Exception {
        var closed = shop.open();
        closed.close();
        try (var tx = shop.begin()) {
            assertThatExceptionOfType(Unavailable.class)
                    .isThrownBy(() -> closed.in(tx).submit(work(newLane())));
        }
    }

    @Test
    void the_settings_of_the_connection_are_neither_needed_nor_changed() throws Exception {
        var submission = work(newLane()).key(newKey());
        try (var tx = shop.begin()) {
            Shop.execute(tx, "set search_path = nowhere");
            Shop.execute(tx, "set lock_timeout = '7s'");
            Shop.execute(tx, "set local statement_timeout = '90s'");
            var before = settings(tx);

            shop.store().in(tx).submit(submission);
            shop.store().in(tx).submit(submission);

            assertThat(settings(tx)).isEqualTo(before).containsEntry("lock_timeout", "7000");
            tx.commit();
            assertThat(settings(tx))
                    .containsEntry("lock_timeout", "7000")
                    .containsEntry("search_path", "nowhere");
        }
        assertThat(shop.knows(submission.id())).isTrue();
    }

    @Test
    void a_rollback_to_a_savepoint_of_the_caller_takes_the_work_with_it() throws Exception {
        var kept = work(newLane());
        var lost = work(kept.lane());
        try (var tx = shop.begin()) {
            shop.store().in(tx).submit(kept);
            var savepoint = tx.setSavepoint();
            shop.store().in(tx).submit(lost);
            tx.rollback(savepoint);
            tx.commit();
        }

        assertThat(shop.claim(kept.lane())).containsExactly(kept.id());
    }

    private static void refused(
            Connection connection, Lane lane, Invalid.Code code, String because) {
        assertThatExceptionOfType(Invalid.class)
                .isThrownBy(() -> shop.store().in(connection).submit(work(lane)))
                .withMessageStartingWith("connection: ")
                .withMessageContaining(because)
                .returns(code, Invalid::code)
                .returns("connection", Invalid::field);
    }

    private static Submitted submit(PostgresStore store, Submission submission) {
        return store.submissions().submit(List.of(submission)).getFirst().orThrow();
    }

    private static Map<String, String> settings(Connection connection) throws SQLException {
        var settings = new TreeMap<String, String>();
        try (var statement = connection.createStatement();
                var results = statement.executeQuery("select name, setting from pg_settings")) {
            while (results.next()) {
                settings.put(results.getString(1), String.valueOf(results.getString(2)));
            }
        }
        return settings;
    }
}
