package io.flowfabric.engine;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Namespace;
import io.flowfabric.testkit.PageExample;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

class SchedulesPageTest {
    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/engine/SchedulesExample.java");

        assertThat(PageExample.shown(Path.of("../docs/schedules.md")))
                .isNotEmpty()
                .isEqualTo(PageExample.compiled(source));
    }

    @Test
    void the_code_on_the_page_submits_and_says_so() {
        var time = new ManualTime();
        var store = new MemoryStore(time);
        var options = EngineOptions.DEFAULT.stopsWithJvm(false);
        try (var engine = new Engine(store, options, EngineMetrics.NONE, time)) {
            engine.start();
            var example = new SchedulesExample(engine);
            example.define();
            eventually(time, "planned", () -> example.lookAt("tidy").contains("next"));
            assertThat(example.lookAt("tidy")).startsWith("never fired, next ");
            var due = store.schedules().describe(Namespace.DEFAULT, "tidy").due().orElseThrow();

            time.skip(Duration.between(time.instant(), due));

            eventually(time, "fired", () -> example.lookAt("tidy").startsWith("last "));
            example.holdBack("tidy");
            assertThat(example.lookAt("tidy")).endsWith("nothing to come");
        }
    }
}
