package io.flowfabric.postgres.internal.catalog;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** The lanes that are known by their numbers. They are few, and none is ever removed. */
public final class LaneNumbers {
    private final Map<Lane, Integer> numbers = new ConcurrentHashMap<>();
    private final Map<Integer, Lane> lanes = new ConcurrentHashMap<>();

    void forgetAll() {
        numbers.clear();
        lanes.clear();
    }

    /** The number of a lane, if it is known. */
    public @Nullable Integer number(Lane lane) {
        return numbers.get(lane);
    }

    public void remember(Lane lane, int number) {
        numbers.put(lane, number);
        lanes.put(number, lane);
    }

    /** Makes sure that these lanes can be looked up by number. */
    public void load(Jdbc db, Collection<Integer> numbers) {
        var missing =
                numbers.stream().filter(number -> !lanes.containsKey(number)).distinct().toList();
        if (!missing.isEmpty()) {
            db.query("lanes")
                    .set("ids", missing.stream().mapToInt(i -> i).toArray())
                    .each(
                            row ->
                                    remember(
                                            new Lane(
                                                    new Namespace(row.text("namespace")),
                                                    row.text("name")),
                                            row.intValue("id")));
        }
    }

    /** The lane of a number that is {@linkplain #load loaded}. */
    public Lane lane(int number) {
        return Objects.requireNonNull(lanes.get(number), () -> "no lane has the number " + number);
    }
}
