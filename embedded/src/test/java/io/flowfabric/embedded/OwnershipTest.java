package io.flowfabric.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Unavailable;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** One home, two processes. */
class OwnershipTest {
    @TempDir static Path home;

    @Test
    void a_second_process_is_refused_and_told_where_the_first_one_is() throws Exception {
        try (var child = Child.start(home)) {
            assertThatThrownBy(() -> EmbeddedPostgres.start(home, FastPostgres.fast()))
                    .isInstanceOf(Unavailable.class)
                    .hasMessageContaining("process " + child.pid())
                    .hasMessageContaining(child.url());

            child.end();

            var data = home.toRealPath().resolve("data");
            assertThat(Files.exists(Postmaster.file(data)))
                    .as("a server left behind by a JVM that ended properly")
                    .isFalse();
        }
    }

    @Test
    void the_server_of_a_killed_process_is_stopped_and_its_commits_are_there() throws Exception {
        try (var child = Child.start(home)) {
            var data = home.toRealPath().resolve("data");
            child.kill();
            long orphan = Postmaster.pid(data).orElseThrow();
            assertThat(Postmaster.find(data)).isEqualTo(Postmaster.RUNNING);

            long before = System.nanoTime();
            try (var postgres = EmbeddedPostgres.start(home, FastPostgres.fast());
                    var connection = FastPostgres.connect(postgres);
                    var statement = connection.createStatement();
                    var kept = statement.executeQuery("select n from kept")) {
                var took = Duration.ofNanos(System.nanoTime() - before);
                assertThat(kept.next()).isTrue();
                assertThat(kept.getInt(1)).isEqualTo(42);
                assertThat(took).isLessThan(Duration.ofSeconds(10));
                assertThat(Postmaster.pid(data)).isNotEqualTo(orphan);
            }
        }
    }
}
