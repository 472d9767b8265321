package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.schedule.Schedule;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.EngineMetrics;
import io.flowfabric.engine.EngineOptions;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** Engines of several processes fire each occurrence of a schedule once. */
class RacingSchedulesTest {
    private static final Attribution ADA = new Attribution("ada", "she was asked to");
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int ENGINES = 3;
    private static final int OCCURRENCES = 3;
    private static final List<String> NAMES = List.of("a", "b", "c", "d");

    @Test
    void on_postgres() {
        var options = Servers.options(Servers.shared());
        race(StoreAddress.of(options, Servers.freshSchema()));
    }

    @Test
    void on_valkey() {
        race(StoreAddress.fresh(RedisServers.shared()));
    }

    private static void race(StoreAddress address) {
        var stores = IntStream.range(0, ENGINES).mapToObj(n -> address.open()).toList();
        var engines = stores.stream().map(RacingSchedulesTest::started).toList();
        try {
            var work = Submission.of("tick", Payload.EMPTY);
            for (String name : NAMES) {
                engines.getFirst().schedules().define(Schedule.every(name, SECOND, work), ADA);
            }
            Waiting.until(
                    "enough was fired",
                    () -> fired(stores.getLast()).size() >= OCCURRENCES * NAMES.size());
        } finally {
            engines.forEach(Engine::stop);
        }
        var keys = fired(stores.getFirst());
        for (String name : NAMES) {
            assertFiredOnce(name, keys, stores.getFirst());
        }
        stores.forEach(Store::close);
    }

    private static void assertFiredOnce(String name, List<String> keys, Store store) {
        var own = keys.stream().filter(key -> key.startsWith("schedule/" + name + "/")).toList();
        assertThat(own).isNotEmpty().doesNotHaveDuplicates();
        // One revision by its definition, one by its first plan, and one by each that was fired.
        var view = store.schedules().describe(Namespace.DEFAULT, name);
        assertThat(view.revision()).isEqualTo(2 + own.size());
    }

    private static List<String> fired(Store store) {
        return store
                .queries()
                .search(Search.in(Namespace.DEFAULT), Cursor.START, 1000)
                .items()
                .stream()
                .map(view -> view.key().orElseThrow())
                .toList();
    }

    private static Engine started(Store store) {
        var options = EngineOptions.DEFAULT.stopsWithJvm(false);
        var engine = new Engine(store, options, EngineMetrics.NONE);
        engine.start();
        return engine;
    }
}
