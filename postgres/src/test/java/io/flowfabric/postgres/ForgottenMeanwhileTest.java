package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Payload;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.postgres.internal.catalog.Catalog;
import io.flowfabric.postgres.internal.jdbc.Database;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * What a process remembers may be forgotten at any moment, because the server was started anew. A
 * call that looks something up at that moment finds it all the same: or good work would be taken
 * for unreadable, an event be passed over, and what is committed be told as failed.
 */
class ForgottenMeanwhileTest {
    private static final Duration SOON = Duration.ofSeconds(10);

    private final PostgresFixture fixture = new PostgresFixture();
    private final PostgresStore store = (PostgresStore) fixture.store();
    private final Database db = store.database();
    private final Catalog catalog = Catalog.empty();
    private final Connection holder;

    ForgottenMeanwhileTest() throws SQLException {
        var server = TestServer.get();
        holder = DriverManager.getConnection(server.url(), server.user(), server.password());
        holder.setAutoCommit(false);
    }

    @BeforeEach
    void submit() {
        submit("a", Policy.DEFAULT.maxReplays(1));
        submit("b", Policy.DEFAULT.maxReplays(2));
    }

    @AfterEach
    void close() throws SQLException {
        holder.close();
        fixture.close();
    }

    @Test
    void lanes_are_found() throws SQLException {
        bothAreFound(
                "lane",
                numbers("select id from %s.lane order by name"),
                wanted -> catalog.lanes().byNumber(db, wanted).lanes().keySet());
    }

    @Test
    void gates_are_found() throws SQLException {
        bothAreFound(
                "gate",
                numbers("select gate from %s.execution order by seq"),
                wanted -> catalog.gates().byNumber(db, wanted).keySet());
    }

    @Test
    void policies_are_found() throws SQLException {
        bothAreFound(
                "policy",
                numbers("select policy from %s.execution order by seq"),
                wanted -> catalog.policies().byNumber(db, wanted).keySet());
    }

    @Test
    void what_is_committed_does_not_fail_because_somebody_cannot_be_woken() {
        store.wakeups()
                .listen(
                        lane -> {
                            throw new IllegalStateException("made up");
                        });

        assertThat(submit("c", Policy.DEFAULT)).isTrue();
    }

    /** The first is known, the second is being read while everything is forgotten. */
    private void bothAreFound(
            String table, List<Integer> both, Function<List<Integer>, Set<Integer>> look)
            throws SQLException {
        assertThat(look.apply(both.subList(0, 1))).hasSize(1);
        try (var statement = holder.createStatement()) {
            statement.execute(
                    "lock table %s.%s in access exclusive mode"
                            .formatted(fixture.schema().text(), table));
            var found = CompletableFuture.supplyAsync(() -> look.apply(both));
            while (!isWaitedFor()) {
                assertThat(found).isNotDone();
            }
            catalog.forgetAll();
            holder.rollback();

            assertThat(found).succeedsWithin(SOON).isEqualTo(Set.copyOf(both));
        }
    }

    private boolean isWaitedFor() throws SQLException {
        try (var statement = holder.createStatement();
                var rows =
                        statement.executeQuery(
                                "select exists (select from pg_locks l where not l.granted and"
                                        + " pg_backend_pid() = any(pg_blocking_pids(l.pid)))")) {
            rows.next();
            return rows.getBoolean(1);
        }
    }

    private List<Integer> numbers(String sql) {
        var text =
                fixture.text(
                        "select string_agg(n::text, ' ') from (%s) as wanted (n)"
                                .formatted(sql.formatted(fixture.schema().text())));
        var both = List.of(text.split(" ", -1)).stream().map(Integer::valueOf).toList();
        assertThat(both).hasSize(2).doesNotHaveDuplicates();
        return both;
    }

    private boolean submit(String name, Policy policy) {
        var work = Submission.of(name, Payload.EMPTY).lane(name).policy(policy);
        return store.submissions().submit(List.of(work)).getFirst().isDone();
    }
}
