package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.operate.Workers.Scope;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Store;
import io.flowfabric.embedded.EmbeddedPostgres;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.postgres.SchemaName;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** R28: a process that is told to end finishes what it can, gives the rest back, and ends. */
class TerminatedTest {
    /** What a shell reports for a program that SIGTERM has ended. */
    private static final int TERMINATED = 143;

    private static final Duration MARGIN = Duration.ofSeconds(10);

    @TempDir Path home;

    @Test
    void sigterm_drains_the_workers_then_stops_the_engine_and_then_the_embedded_server() {
        var schema = Servers.freshSchema();
        Consumer<String> lines = System.out::println;
        try (var program =
                Child.start(
                        TerminatedProgram.class,
                        List.of("-Xmx128m"),
                        List.of(home.toString(), schema.text()),
                        "",
                        lines)) {
            Waiting.until("it is at work", () -> program.said().contains("ready"));
            long told = System.nanoTime();

            program.terminate();

            assertThat(program.awaitEnd()).isEqualTo(TERMINATED);
            assertThat(Duration.ofNanos(System.nanoTime() - told))
                    .isLessThan(TerminatedProgram.GRACE.plus(MARGIN));
        }
        look(schema);
    }

    /** What is in the database afterwards. */
    private void look(SchemaName schema) {
        try (var server = EmbeddedPostgres.start(home, Servers.embedded().withoutDurability());
                var store = PostgresStore.open(Servers.options(server), schema)) {
            var slow = only(store, TerminatedProgram.SLOW);
            assertThat(slow.state().publicState()).isEqualTo(PublicState.COMPLETED);
            assertThat(store.queries().results(List.of(slow.id())).getFirst().orThrow().result())
                    .contains(Payload.text("in time"));
            var endless = only(store, TerminatedProgram.ENDLESS);
            assertThat(endless.state().publicState()).isEqualTo(PublicState.WAITING);
            assertThat(steps(store, endless))
                    .as("given back, not lost")
                    .containsExactly(Transition.SUBMIT, Transition.CLAIM, Transition.RELEASE);
            assertThat(only(store, "later").epoch()).isZero();
            assertThat(
                            store.workers()
                                    .list(Namespace.DEFAULT, Scope.ALIVE, Cursor.START, 10)
                                    .items())
                    .as("sessions")
                    .isEmpty();
        }
    }

    private static ExecutionView only(Store store, String kind) {
        var found =
                store.queries()
                        .search(Search.in(Namespace.DEFAULT).kind(kind), Cursor.START, 10)
                        .items();
        assertThat(found).hasSize(1);
        return found.getFirst();
    }

    private static List<Transition> steps(Store store, ExecutionView work) {
        return store.queries().history(work.id()).stream()
                .filter(Event.Step.class::isInstance)
                .map(step -> ((Event.Step) step).transition())
                .toList();
    }
}
