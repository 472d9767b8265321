package io.flowfabric.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Payload;
import io.flowfabric.core.stream.StreamEnd;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Time;
import io.flowfabric.testkit.PageExample;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What docs/streams.md says is so. */
class StreamsPageTest {
    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/worker/StreamsExample.java");

        assertThat(PageExample.shown(Path.of("../docs/streams.md")))
                .isNotEmpty()
                .isEqualTo(PageExample.compiled(source));
    }

    @Test
    @Timeout(60)
    void the_code_on_the_page_shows_what_is_said_in_order_and_how_it_ended() throws Exception {
        var example = new StreamsExample(prompt -> List.of("Dear ", prompt, ", how are you?"));
        try (var world = new WorkerScenario(Time.SYSTEM)) {
            var letter = Submission.of("letter", Payload.text("Ada")).lane("letters");
            world.engine().submit(letter);
            var worker = example.writer(world.engine());
            var screen = new ArrayList<String>();

            var end = example.watch(world.engine(), letter.id(), screen::add);

            worker.stop();
            assertThat(end).isEqualTo(StreamEnd.COMPLETED);
            assertThat(screen).containsExactly("Dear ", "Ada", ", how are you?");
        }
    }
}
