package io.flowfabric.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.engine.Eventually;
import io.flowfabric.engine.Time;
import io.flowfabric.testkit.PageExample;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What docs/flows.md says is so. */
class FlowsPageTest {
    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/worker/FlowsExample.java");

        assertThat(PageExample.shown(Path.of("../docs/flows.md")))
                .isNotEmpty()
                .isEqualTo(PageExample.compiled(source));
    }

    @Test
    @Timeout(60)
    void the_code_on_the_page_releases_the_film_with_what_was_made_of_it() {
        var example = new FlowsExample();
        try (var world = new WorkerScenario(Time.SYSTEM)) {
            var flows = world.engine().flows();
            var flow = example.publish(world.engine(), "casablanca");
            assertThat(example.publish(world.engine(), "casablanca")).isEqualTo(flow);
            var worker = example.studio(world.engine());

            Eventually.eventually(
                    "it is released",
                    () ->
                            flows.describe(List.of(flow)).getFirst().orThrow().state()
                                    == FlowState.COMPLETED);
            worker.stop();

            var release =
                    flows.members(flow, Cursor.START, 10).items().stream()
                            .filter(member -> member.name().equals("release"))
                            .findFirst()
                            .orElseThrow();
            assertThat(world.result(release.execution()).result())
                    .contains(Payload.text("released casablanca.mp4 with casablanca.vtt"));
        }
    }

    /** The one slot of the worker is enough for the book and its chapters. */
    @Test
    @Timeout(60)
    void the_code_on_the_page_waits_for_the_chapters_of_the_book() {
        var example = new FlowsExample();
        try (var world = new WorkerScenario(Time.SYSTEM)) {
            var book = example.work("book", "");
            world.engine().submit(book);
            var worker = example.author(world.engine());

            Eventually.eventually(
                    "the book is done", () -> world.state(book.id()) == PublicState.COMPLETED);
            worker.stop();

            assertThat(world.result(book.id()).result()).contains(Payload.text("2 chapters"));
        }
    }
}
