package io.flowfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.bench.peer.Peer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class PeersTest {
    /** Every peer on a real server, in its own process; what it did is checked there. */
    @Test
    void a_small_drain_of_every_peer_gives_all_ratios(@TempDir Path folder) throws Exception {
        var json = folder.resolve("figures.json");
        var out = new ByteArrayOutputStream();
        var beside = new ByteArrayOutputStream();

        int outcome =
                Main.run(
                        List.of(
                                "peers",
                                "--executions",
                                "400",
                                "--repetitions",
                                "1",
                                "--workers",
                                "4",
                                "--json",
                                json.toString()),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(beside, true, StandardCharsets.UTF_8));

        assertThat(outcome).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("FlowFabric", "db-scheduler", "JobRunr", "Quartz", "DBOS");
        assertThat(Files.readString(json))
                .contains("over_dbscheduler", "over_jobrunr", "over_quartz", "over_dbos");
    }

    @Test
    void slower_peers_get_a_share_of_the_backlog_and_never_nothing() {
        assertThat(Peer.FLOWFABRIC.share(400)).isEqualTo(400);
        assertThat(Peer.JOBRUNR.share(400)).isEqualTo(80);
        assertThat(Peer.QUARTZ.share(400)).isEqualTo(20);
        assertThat(Peer.DBOS.share(3)).isEqualTo(1);
    }
}
