package io.flowfabric.cli.dev;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.cli.Main;
import io.flowfabric.cli.terminal.Colours;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.embedded.EmbeddedPostgres;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.PostgresStore;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The real program in a process of its own, run once; and what can be seen afterwards. */
class DevTest {
    /** What a process printed, and how it ended. */
    private record Ended(int code, String printed) {}

    @TempDir static Path folder;

    private static Path home = Path.of("");
    private static Ended once = new Ended(-1, "");

    @BeforeAll
    static void run_it_once() throws Exception {
        home = folder.resolve("home");
        once = dev("--once", "--home", home.toString());
    }

    @Test
    void every_fate_comes_out_as_it_should() {
        assertThat(once.code()).as(once.printed()).isZero();
        assertThat(once.printed())
                .contains("is killed now (SIGKILL), holding")
                .contains("after the kill others have it all: worker")
                .contains("All %d executions became what they should".formatted(Fate.total()));
        for (var fate : Fate.values()) {
            assertThat(once.printed())
                    .containsPattern(
                            "%s +%d +%s +%2$d %3$s"
                                    .formatted(
                                            Pattern.quote(fate.words()),
                                            fate.count(),
                                            fate.end().wire()));
        }
    }

    @Test
    void the_check_says_what_is_missing_and_what_is_different() throws Exception {
        try (var server = EmbeddedPostgres.start(home);
                var store = PostgresStore.open(database(server))) {
            assertThat(Check.of(store.queries(), run()).differences()).isEmpty();

            var report = Check.of(store.queries(), run());
            var lost = report.views(Fate.SUCCEEDS).getFirst();
            var changed = report.views(Fate.RETRIES).getFirst();
            execute(server, "delete from flowfabric.execution where id = '%s'", lost);
            execute(
                    server,
                    "update flowfabric.execution set attempts = 2 where id = '%s'",
                    changed);

            var after = Check.of(store.queries(), run());
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
            var example = Check.of(store.queries(), run()).takenOver().map(ExecutionView::id);
            var directions = new Directions(run(), example);

            assertThat(directions.questions()).hasSize(3);
            for (var question : directions.questions()) {
                assertThat(rows(server, question)).as(question).isPositive();
            }
        }
    }

    @Test
    void a_home_that_is_in_use_is_refused_in_one_sentence() throws Exception {
        try (var server = EmbeddedPostgres.start(home)) {
            var second = dev("--home", home.toString());

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

        var refused = dev("--home", file.resolve("home").toString());

        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.printed()).contains("cannot be used").doesNotContain("\tat ");
    }

    @Test
    void wrong_words_are_refused_in_one_sentence() throws Exception {
        assertThat(dev("--twice"))
                .isEqualTo(
                        new Ended(
                                2,
                                "dev does not know '--twice'; it knows --once and --home DIR.\n"));
    }

    /** Runs {@code dev} in a process of its own and waits for its end. */
    private static Ended dev(String... words) throws IOException, InterruptedException {
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName(),
                                "dev"));
        command.addAll(List.of(words));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        var printed = new String(process.getInputStream().readAllBytes(), UTF_8);
        return new Ended(process.waitFor(), printed);
    }

    private static String run() {
        var run = Pattern.compile("The run (\\S+) took").matcher(once.printed());
        assertThat(run.find()).as(once.printed()).isTrue();
        return run.group(1);
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
