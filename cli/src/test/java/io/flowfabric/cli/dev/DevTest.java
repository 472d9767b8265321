package io.flowfabric.cli.dev;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.cli.terminal.Colours;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.embedded.EmbeddedPostgres;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.PostgresStore;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;

/** The real program in a process of its own, run once; and what can be seen afterwards. */
class DevTest {
    @TempDir static Path folder;

    private static Path home = Path.of("");
    private static DevProgram once = DevProgram.NOT_RUN;

    @BeforeAll
    static void run_it_once() throws Exception {
        home = folder.resolve("home");
        once = DevProgram.run("--once", "--home", home.toString());
    }

    @Test
    void every_fate_comes_out_as_it_should() {
        once.mustBeGood();
        assertThat(once.printed()).contains("Postgres serves at 127.0.0.1:");
    }

    @Test
    void the_check_says_what_is_missing_and_what_is_different() throws Exception {
        try (var server = EmbeddedPostgres.start(home);
                var store = PostgresStore.open(database(server))) {
            assertThat(Check.of(store.queries(), once.tag()).differences()).isEmpty();

            var report = Check.of(store.queries(), once.tag());
            var lost = report.views(Fate.SUCCEEDS).getFirst();
            var changed = report.views(Fate.RETRIES).getFirst();
            execute(server, "delete from flowfabric.execution where id = '%s'", lost);
            execute(
                    server,
                    "update flowfabric.execution set attempts = 2 where id = '%s'",
                    changed);

            var after = Check.of(store.queries(), once.tag());
            assertThat(after.good()).isFalse();
            assertThat(after.differences())
                    .containsExactly(
                            "succeeds at once: 160 executions were submitted, and 159 are in the"
                                    + " database.",
                            "fails twice, then succeeds: %s should be completed with 3 attempts,"
                                            .formatted(changed.id())
                                    + " and is completed with 2.");
            assertThat(after.lines(Colours.NONE))
                    .contains("The database does not say what it should:");
        }
    }

    @Test
    void what_it_suggests_to_ask_can_be_asked() throws Exception {
        try (var server = EmbeddedPostgres.start(home);
                var store = PostgresStore.open(database(server))) {
            var example = Check.of(store.queries(), once.tag()).takenOver().map(ExecutionView::id);
            var questions = DevPostgres.questions(once.tag(), example);

            assertThat(questions).hasSize(3);
            for (var question : questions) {
                assertThat(rows(server, question)).as(question).isPositive();
            }
        }
    }

    @Test
    void a_home_that_is_in_use_is_refused_in_one_sentence() throws Exception {
        try (var server = EmbeddedPostgres.start(home)) {
            var second = DevProgram.run("--home", home.toString());

            assertThat(second.code()).isEqualTo(1);
            assertThat(second.printed())
                    .contains("is owned by process " + ProcessHandle.current().pid())
                    .contains(server.url())
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void a_home_that_cannot_be_made_is_refused_in_one_sentence() throws Exception {
        var file = Files.writeString(folder.resolve("file"), "not a folder");

        var refused = DevProgram.run("--home", file.resolve("home").toString());

        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.printed()).contains("cannot be used").doesNotContain("\tat ");
    }

    @Test
    void wrong_words_are_refused_in_one_sentence() throws Exception {
        assertThat(DevProgram.run("--twice"))
                .isEqualTo(
                        new DevProgram(
                                2,
                                "dev does not know '--twice'; it knows --once, --store NAME and"
                                        + " --home DIR.\n"));
        assertThat(DevProgram.run("--store", "mysql", "--once"))
                .isEqualTo(
                        new DevProgram(
                                2, "There is no store 'mysql'; there are postgres and valkey.\n"));
    }

    private static DatabaseOptions database(EmbeddedPostgres server) {
        return DatabaseOptions.of(server.url(), server.user(), server.password());
    }

    private static void execute(EmbeddedPostgres server, String sql, ExecutionView view)
            throws SQLException {
        try (var connection =
                        DriverManager.getConnection(
                                server.url(), server.user(), server.password());
                var statement = connection.createStatement()) {
            assertThat(statement.executeUpdate(sql.formatted(view.id().uuid()))).isOne();
        }
    }

    private static int rows(EmbeddedPostgres server, String sql) throws SQLException {
        try (var connection =
                        DriverManager.getConnection(
                                server.url(), server.user(), server.password());
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            int count = 0;
            while (rows.next()) {
                count++;
            }
            return count;
        }
    }
}
