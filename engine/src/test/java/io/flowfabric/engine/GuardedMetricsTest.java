package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.flowfabric.core.Lane;
import io.flowfabric.engine.EngineMetrics.AdmissionCall;
import io.flowfabric.engine.EngineMetrics.MeasuredCall;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** A registry that fails costs its counts and nothing else, and the log is told once. */
class GuardedMetricsTest {
    private static final Map<Class<?>, Object> ANY =
            Map.of(
                    int.class,
                    3,
                    long.class,
                    4L,
                    boolean.class,
                    true,
                    String.class,
                    "tokens",
                    Lane.class,
                    Lane.of("mail"),
                    Duration.class,
                    Duration.ofSeconds(5),
                    Set.class,
                    Set.of(),
                    MeasuredCall.class,
                    new MeasuredCall(AdmissionCall.CLAIM, Optional.empty(), 6, Duration.ZERO));

    private final LogBook log = new LogBook();
    private final ManualTime time = new ManualTime();

    /** The names of the metrics that cannot be counted. */
    private final Set<String> broken = new HashSet<>();

    private final List<String> heard = new ArrayList<>();

    private final EngineMetrics registry =
            (EngineMetrics)
                    Proxy.newProxyInstance(
                            EngineMetrics.class.getClassLoader(),
                            new Class<?>[] {EngineMetrics.class},
                            (proxy, method, arguments) -> {
                                heard.add(told(method, arguments));
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

        var told = log.lines().stream().filter(line -> line.level() != Level.DEBUG).toList();
        assertThat(told).extracting(LogBook.Line::level).containsExactly(Level.WARN, Level.INFO);
        assertThat(told.getFirst().text())
                .isEqualTo(
                        "The metric submitted cannot be counted; the engine goes on without it.");
        assertThat(told.getFirst().failure()).hasMessage("the registry is gone");
        assertThat(told.getLast().text())
                .startsWith("Counts of the metric submitted succeed again, after 10 failures");
    }

    @Test
    void every_metric_reaches_the_registry_as_it_is_and_none_that_fails_is_a_matter_of_its_caller()
            throws Exception {
        var metrics = new GuardedMetrics(registry, time, log);
        for (boolean fails : new boolean[] {false, true}) {
            for (var method : EngineMetrics.class.getMethods()) {
                if (fails) {
                    broken.add(method.getName());
                }
                var arguments =
                        Stream.of(method.getParameterTypes())
                                .map(GuardedMetricsTest::anyOf)
                                .toArray();

                method.invoke(metrics, arguments);

                assertThat(heard).last().isEqualTo(told(method, arguments));
            }
        }
        assertThat(heard).hasSize(2 * EngineMetrics.class.getMethods().length);
    }

    private static String told(Method method, Object @Nullable [] arguments) {
        // Reflection says null where there are none.
        return method.getName() + (arguments == null ? List.of() : List.of(arguments));
    }

    private static Object anyOf(Class<?> type) {
        return type.isEnum()
                ? type.getEnumConstants()[1]
                : Objects.requireNonNull(ANY.get(type), "a value of " + type);
    }

    @Test
    void a_registry_and_a_logger_that_both_throw_end_nothing() {
        var metrics =
                new GuardedMetrics(registry, time, new QuietLogger(QuietLoggerTest.brokenLogger()));
        broken.add("renewed");

        assertThatCode(() -> metrics.renewed(true)).doesNotThrowAnyException();
    }
}
