package io.flowfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class ValkeyBenchmarksTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream beside = new ByteArrayOutputStream();

    /** Both stores on real servers; what was done is checked inside. */
    @Test
    void a_small_drain_on_valkey_gives_its_ratio_to_postgres(@TempDir Path folder)
            throws Exception {
        var json = folder.resolve("figures.json");

        int outcome =
                run(
                        "drain --store valkey --executions 200 --repetitions 1 --workers 4 --json "
                                + json);

        assertThat(outcome).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("appendfsync always", "Postgres: engine", "Valkey: engine");
        assertThat(Files.readString(json))
                .contains("valkey_over_postgres", "server_us_per_execution", "drain_per_s");
    }

    @Test
    void a_few_executions_show_what_they_take_of_the_memory() throws Exception {
        int outcome = run("memory --store valkey --executions 2000");

        assertThat(outcome).isZero();
        assertThat(figure("bytes_per_waiting")).isBetween(100.0, 5_000.0);
        assertThat(figure("bytes_per_finished")).isBetween(100.0, 5_000.0);
    }

    @Test
    void a_small_drain_of_a_cluster_keeps_all_of_its_nodes_busy() throws Exception {
        int outcome = run("cluster --store valkey --executions 300 --repetitions 1 --workers 4");

        assertThat(outcome).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .containsPattern("a namespace on each .* [1-9][0-9.]* \\+ [1-9][0-9.]* \\+ [1-9]");
    }

    @Test
    void what_is_not_measured_on_valkey_is_one_sentence_and_an_exit_code() throws Exception {
        int outcome = run("enqueue --store valkey");

        assertThat(outcome).isEqualTo(2);
        assertThat(out.size()).isZero();
        assertThat(beside.toString(StandardCharsets.UTF_8)).hasLineCount(1);
    }

    /** A figure of those below the table. */
    private double figure(String name) {
        var line =
                out.toString(StandardCharsets.UTF_8)
                        .lines()
                        .filter(each -> each.startsWith(name + " "))
                        .findFirst()
                        .orElseThrow();
        return Double.parseDouble(line.substring(name.length() + 1));
    }

    private int run(String words) throws Exception {
        return Main.run(
                List.of(words.split(" ")),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(beside, true, StandardCharsets.UTF_8));
    }
}
