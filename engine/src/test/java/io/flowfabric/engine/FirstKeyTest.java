package io.flowfabric.engine;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.StoreFailure;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

class FirstKeyTest {
    private final ManualTime time = new ManualTime();
    private final LogBook log = new LogBook();

    @Test
    void an_engine_that_runs_makes_it() {
        var store = new MemoryStore(time);
        try (var engine = new Engine(store, EngineOptions.DEFAULT, EngineMetrics.NONE, time)) {
            engine.start();

            eventually("there is a key", () -> store.keys().list().size() == 1);
        }
    }

    @Test
    void it_is_looked_for_until_it_is_there_and_the_log_is_told_when_that_begins_and_ends() {
        var tries = new AtomicInteger();
        var store =
                HookedStore.over(
                        new MemoryStore(time),
                        (name, call) -> {
                            if (name.equals("first") && tries.incrementAndGet() <= 2) {
                                throw new StoreFailure("It is away.", false, new Exception());
                            }
                            return call.call();
                        });
        var first = new FirstKey(store.keys(), time, log);

        first.start();
        eventually(time, "it is told that it is there", () -> log.lines().size() == 3);
        first.stop();

        assertThat(tries).hasValue(3);
        assertThat(log.lines())
                .extracting(LogBook.Line::level)
                .containsExactly(Level.WARN, Level.DEBUG, Level.INFO);
        assertThat(log.lines().getLast().text())
                .startsWith("The looks for a key to sign with succeed again, after 2 failures");
    }

    @Test
    void once_it_is_there_its_thread_does_nothing_but_wait() {
        var first = new FirstKey(new MemoryStore(time).keys(), time, log);
        first.start();
        eventually("it waits", () -> time.waiting("ff-first-key") == 1);

        time.pass(Duration.ofMinutes(1));

        assertThat(time.waits("ff-first-key")).isEqualTo(1);
        first.stop();
    }

    @Test
    void one_that_was_stopped_looks_no_more() {
        var tries = new AtomicInteger();
        var store =
                HookedStore.over(
                        new MemoryStore(time),
                        (name, call) -> {
                            tries.incrementAndGet();
                            throw new StoreFailure("It is away.", false, new Exception());
                        });
        var first = new FirstKey(store.keys(), time, log);
        first.start();
        eventually("it waits", () -> time.waiting("ff-first-key") == 1);

        first.stop();

        assertThat(time.waiting("ff-first-key")).isZero();
        time.pass(Duration.ofSeconds(1));
        assertThat(tries).hasValue(1);
    }
}
