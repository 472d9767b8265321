package io.flowfabric.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Payload;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.PageExample;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.testkit.memory.MemoryStore;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;

class MetricsPageTest {
    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/micrometer/MetricsExample.java");

        assertThat(PageExample.shown(Path.of("../docs/metrics.md")))
                .isNotEmpty()
                .isEqualTo(PageExample.compiled(source));
    }

    @Test
    void the_engine_on_the_page_counts_in_its_registry() {
        var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (var engine = MetricsExample.measured(new MemoryStore(new VirtualClock()), registry)) {
            engine.submit(Submission.of("welcome", Payload.EMPTY));

            assertThat(registry.scrape()).contains("ff_submitted_total 1.0");
        }
    }
}
