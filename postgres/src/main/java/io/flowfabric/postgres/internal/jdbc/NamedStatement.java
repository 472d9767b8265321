package io.flowfabric.postgres.internal.jdbc;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One statement as the driver takes it.
 *
 * <p>The text never changes, so that a connection prepares it once.
 */
final class NamedStatement {
    private final String name;
    private final String sql;
    private final Map<String, Integer> slots;
    private final int[][] positions;

    private NamedStatement(String name, String sql, Map<String, Integer> slots, int[][] positions) {
        this.name = name;
        this.sql = sql;
        this.slots = slots;
        this.positions = positions;
    }

    /** Reads {@code :parameters} in the text of one statement. */
    static NamedStatement parse(String name, String text) {
        var parsed = new SqlText(name, text);
        var places = new LinkedHashMap<String, List<Integer>>();
        int position = 0;
        for (var parameter : parsed.parameters()) {
            places.computeIfAbsent(parameter, unused -> new ArrayList<>()).add(++position);
        }
        var slots = new LinkedHashMap<String, Integer>();
        var positions = new int[places.size()][];
        places.forEach(
                (parameter, at) -> {
                    positions[slots.size()] = at.stream().mapToInt(Integer::intValue).toArray();
                    slots.put(parameter, slots.size());
                });
        // The comment makes the statement known by name in pg_stat_activity and in server logs.
        return new NamedStatement(
                name, "/* flowfabric:" + name + " */ " + parsed.sql(), slots, positions);
    }

    String name() {
        return name;
    }

    /** With {@code ?} for each parameter. */
    String sql() {
        return sql;
    }

    /** Whether the server takes it only as the very first statement of a transaction. */
    boolean mustComeFirst() {
        return sql.contains("set transaction ");
    }

    /** How many different parameters there are. */
    int parameters() {
        return positions.length;
    }

    /** The number of a parameter, counted from 0 in the order of first appearance. */
    int slot(String parameter) {
        var slot = slots.get(parameter);
        if (slot == null) {
            throw new IllegalArgumentException(
                    "The statement %s has no parameter :%s; it has %s."
                            .formatted(name, parameter, slots.keySet()));
        }
        return slot;
    }

    /** Each place, counted from 1, at which the parameter of this slot stands. */
    int[] positions(int slot) {
        return positions[slot];
    }

    String parameterAt(int slot) {
        return List.copyOf(slots.keySet()).get(slot);
    }
}
