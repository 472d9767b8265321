package io.flowfabric.postgres.internal.catalog;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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

    /** Some lanes by their numbers. */
    public record ByNumber(Map<Integer, Lane> lanes) {
        public Lane lane(int number) {
            return Objects.requireNonNull(
                    lanes.get(number), () -> "no lane has the number " + number);
        }
    }

    /** Looks up lanes by number. */
    public ByNumber byNumber(Jdbc db, Collection<Integer> wanted) {
        return new ByNumber(Remembered.look(wanted, lanes, missing -> read(db, missing)));
    }

    private Map<Integer, Lane> read(Jdbc db, Set<Integer> missing) {
        var found = new HashMap<Integer, Lane>();
        db.query("lanes")
                .ints("ids", missing, number -> number)
                .each(
                        row ->
                                found.put(
                                        row.intValue("id"),
                                        new Lane(
                                                new Namespace(row.text("namespace")),
                                                row.text("name"))));
        found.forEach((number, lane) -> numbers.put(lane, number));
        return found;
    }
}
