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

class MainTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream beside = new ByteArrayOutputStream();

    /** Every contender on a real server; what it did is checked inside. */
    @Test
    void a_small_drain_of_every_contender_gives_all_ratios(@TempDir Path folder) throws Exception {
        var json = folder.resolve("figures.json");

        int outcome = run("drain --executions 200 --repetitions 1 --workers 4 --json " + json);

        assertThat(outcome).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("engine, defaults", "engine, one at a time", "bare SQL", "db-scheduler");
        assertThat(Files.readString(json))
                .contains("default_over_dbscheduler", "default_over_bare", "single_over_bare");
    }

    @Test
    void a_small_drain_by_the_store_and_by_a_worker_gives_their_ratio(@TempDir Path folder)
            throws Exception {
        var json = folder.resolve("figures.json");

        int outcome = run("worker --executions 300 --repetitions 1 --workers 4 --json " + json);

        assertThat(outcome).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("FlowFabric", "the store");
        assertThat(Files.readString(json)).contains("worker_over_store");
    }

    @Test
    void a_few_that_are_enqueued_give_all_times(@TempDir Path folder) throws Exception {
        var json = folder.resolve("figures.json");

        int outcome = run("enqueue --quick --executions 11 --json " + json);

        assertThat(outcome).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("from the commit of a transaction", "from the call of submit");
        assertThat(Files.readString(json))
                .contains("enqueue_p50_ms", "enqueue_p99_ms", "submit_p50_ms", "submit_p99_ms");
    }

    /** R8: the events that are written are such as a feed can read. */
    @Test
    void a_reader_that_missed_a_few_catches_up(@TempDir Path folder) throws Exception {
        var json = folder.resolve("figures.json");

        int outcome = run("catchup --executions 1000 --json " + json);

        assertThat(outcome).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("3,000 events behind");
        assertThat(Files.readString(json)).contains("page_ms_after_0m", "events_per_s");
    }

    @Test
    void misuse_is_one_sentence_and_an_exit_code() throws Exception {
        int outcome = run("drain --workers none");

        assertThat(outcome).isEqualTo(2);
        assertThat(out.size()).isZero();
        assertThat(beside.toString(StandardCharsets.UTF_8)).hasLineCount(1);
    }

    private int run(String words) throws Exception {
        return Main.run(
                List.of(words.split(" ")),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(beside, true, StandardCharsets.UTF_8));
    }
}
