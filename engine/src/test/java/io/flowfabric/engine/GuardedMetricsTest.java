package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.Set;

/** A registry that fails costs its counts and nothing else, and the log is told once. */
class GuardedMetricsTest {
    private final LogBook log = new LogBook();
    private final ManualTime time = new ManualTime();

    /** The names of the metrics that cannot be counted. */
    private final Set<String> broken = new HashSet<>();

    private final EngineMetrics registry =
            (EngineMetrics)
                    Proxy.newProxyInstance(
                            EngineMetrics.class.getClassLoader(),
                            new Class<?>[] {EngineMetrics.class},
                            (proxy, method, arguments) -> {
                                if (broken.contains(method.getName())) {
                                    throw new LinkageError("the registry is gone");
                                }
                                return null;
                            });

    @Test
    void one_that_fails_is_one_warning_by_name_while_others_are_counted() {
        var metrics = new GuardedMetrics(registry, time, log);
        broken.add("submitted");
        for (int i = 0; i < 10; i++) {
            metrics.submitted(1);
            metrics.claimed(1);
        }
        broken.clear();
        metrics.submitted(1);

        var heard = log.lines().stream().filter(line -> line.level() != Level.DEBUG).toList();
        assertThat(heard).extracting(LogBook.Line::level).containsExactly(Level.WARN, Level.INFO);
        assertThat(heard.getFirst().text())
                .isEqualTo(
                        "The metric submitted cannot be counted; the engine goes on without it.");
        assertThat(heard.getFirst().failure()).hasMessage("the registry is gone");
        assertThat(heard.getLast().text())
                .startsWith("Counts of the metric submitted succeed again, after 10 failures");
    }

    @Test
    void a_registry_and_a_logger_that_both_throw_end_nothing() {
        var metrics =
                new GuardedMetrics(registry, time, new QuietLogger(QuietLoggerTest.brokenLogger()));
        broken.add("renewed");

        assertThatCode(() -> metrics.renewed(true)).doesNotThrowAnyException();
    }
}
