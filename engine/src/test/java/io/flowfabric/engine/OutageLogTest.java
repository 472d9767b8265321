package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

import java.time.Duration;

/** R28: an outage is logged once, and once when it is over. */
class OutageLogTest {
    private final ManualTime time = new ManualTime();
    private final LogBook log = new LogBook();
    private final OutageLog outage = new OutageLog(log, time, "Heartbeats");

    @Test
    void an_outage_is_one_warning_with_its_cause_and_one_line_with_a_count_when_it_is_over() {
        for (int i = 0; i < 100; i++) {
            outage.failed(new IllegalStateException("away"));
        }
        time.skip(Duration.ofSeconds(90));
        outage.worked();
        outage.worked();

        var heard = log.lines().stream().filter(line -> line.level() != Level.DEBUG).toList();
        assertThat(heard).extracting(LogBook.Line::level).containsExactly(Level.WARN, Level.INFO);
        assertThat(heard.getFirst().failure()).hasMessage("away");
        assertThat(heard.getLast().text())
                .isEqualTo("Heartbeats succeed again, after 100 failures in PT1M30S.");
        assertThat(heard.getLast().failure()).isNull();
    }

    @Test
    void a_failure_of_another_kind_is_news() {
        outage.failed(new IllegalStateException("away"));
        outage.failed(new LinkageError("broken"));
        outage.failed(new IllegalStateException("away"));

        assertThat(log.lines())
                .extracting(LogBook.Line::level)
                .containsExactly(Level.WARN, Level.WARN, Level.DEBUG);
    }

    @Test
    void each_outage_is_told() {
        outage.failed(new IllegalStateException("away"));
        outage.worked();
        outage.failed(new IllegalStateException("away"));

        assertThat(log.lines())
                .extracting(LogBook.Line::level)
                .containsExactly(Level.WARN, Level.INFO, Level.WARN);
    }
}
