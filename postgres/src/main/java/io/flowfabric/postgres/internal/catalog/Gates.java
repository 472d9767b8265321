package io.flowfabric.postgres.internal.catalog;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.PolicyCodec;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Gates by their numbers, and which of them lanes are known to have. */
public final class Gates {
    /** Gates are removed once in thousands that are made, so this is plenty. */
    private static final int TRIES = 10;

    private final Map<Gate, Integer> numbers = new ConcurrentHashMap<>();
    private final Map<Integer, Gate> gates = new ConcurrentHashMap<>();
    private final Map<Integer, GatesOfLane> ofLanes = new ConcurrentHashMap<>();
    private final AtomicInteger forgotten = new AtomicInteger();

    /**
     * How often everything was forgotten: numbers from before that may stand for something else.
     */
    public int forgotten() {
        return forgotten.get();
    }

    void forgetAll() {
        forgotten.incrementAndGet();
        numbers.clear();
        gates.clear();
        ofLanes.clear();
    }

    /**
     * Some gates may have been removed, or retired in their lanes: they are to be looked up again.
     * What numbers stand for stays known, because none is given twice.
     */
    void forget(Collection<Integer> some, Collection<Integer> lanes) {
        numbers.values().removeAll(Set.copyOf(some));
        ofLanes.keySet().removeAll(lanes);
    }

    /** What is known of the gates of a lane. */
    public GatesOfLane ofLane(int lane) {
        return ofLanes.getOrDefault(lane, GatesOfLane.UNKNOWN);
    }

    /** Learns of gates that a lane had in a generation of them. */
    public void remember(int lane, long generation, Map<Integer, ReservedAmounts> reserved) {
        ofLanes.merge(
                        lane,
                        new GatesOfLane(generation),
                        (known, other) -> known.generation() >= other.generation() ? known : other)
                .learn(generation, reserved);
    }

    /**
     * The numbers of gates, which are made where there are none.
     *
     * @throws NumberRemoved when one is removed again and again
     */
    public Map<Gate, Integer> numbers(Jdbc db, Collection<Gate> wanted) {
        var found = new HashMap<Gate, Integer>();
        var unknown = new HashMap<ByteBuffer, Gate>();
        for (Gate gate : wanted) {
            var number = numbers.get(gate);
            if (number == null) {
                unknown.put(ByteBuffer.wrap(gate.digest()), gate);
            } else {
                found.put(gate, number);
            }
        }
        if (!unknown.isEmpty()) {
            find(db, unknown, found);
        }
        // One that was made just now may be removed again, because it has no work yet.
        for (int tries = 0; !unknown.isEmpty(); tries++) {
            if (tries == TRIES) {
                throw new NumberRemoved();
            }
            make(db, List.copyOf(unknown.entrySet()));
            find(db, unknown, found);
        }
        return found;
    }

    private static void make(Jdbc db, List<Map.Entry<ByteBuffer, Gate>> entries) {
        db.query("add_gates")
                .texts("kinds", entries, e -> e.getValue().kind())
                .texts("needs", entries, e -> literal(e.getValue().needs().words()))
                .booleans("compares", entries, e -> e.getValue().needs().compare())
                .booleans("timed", entries, e -> e.getValue().timed())
                .texts("meters", entries, e -> RowCodec.array(e.getValue().meters()))
                .texts("quotas", entries, e -> literal(e.getValue().quotas(), PolicyCodec::write))
                .texts("budgets", entries, e -> literal(e.getValue().budgets(), GateBudget::write))
                .texts("lead_froms", entries, e -> e.getValue().metering().leadFrom())
                .texts("lead_tos", entries, e -> e.getValue().metering().leadTo())
                .bytes("digests", entries, e -> e.getKey().array())
                .update();
    }

    /** Moves those that there are from one map to the other, with their numbers. */
    private void find(Jdbc db, Map<ByteBuffer, Gate> unknown, Map<Gate, Integer> found) {
        Remembered.trim(numbers.keySet());
        db.query("gates_by_digest")
                .bytes("digests", Set.copyOf(unknown.keySet()), ByteBuffer::array)
                .each(
                        row -> {
                            var gate = unknown.remove(ByteBuffer.wrap(row.bytes("digest")));
                            if (gate != null) {
                                found.put(gate, row.intValue("id"));
                                numbers.put(gate, row.intValue("id"));
                            }
                        });
    }

    private static String literal(Collection<String> words) {
        return literal(words, word -> word);
    }

    /** An array as the server reads it from text. */
    private static <T> String literal(Collection<T> items, Function<T, Object> element) {
        return items.stream()
                .map(item -> String.valueOf(element.apply(item)))
                .map(text -> '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
                .collect(Collectors.joining(",", "{", "}"));
    }

    /** Looks up gates by number. What cannot be read is left out. */
    public Map<Integer, Gate> byNumber(Jdbc db, Collection<Integer> wanted) {
        return Remembered.look(wanted, gates, missing -> read(db, missing));
    }

    private static Map<Integer, Gate> read(Jdbc db, Set<Integer> numbers) {
        var found = new HashMap<Integer, Gate>();
        db.query("gates")
                .ints("ids", numbers, number -> number)
                .each(
                        row -> {
                            try {
                                found.put(row.intValue("id"), gate(row));
                            } catch (IllegalArgumentException | Invalid unreadable) {
                                // Another version may know of needs that this one does not.
                            }
                        });
        return found;
    }

    private static Gate gate(Row row) {
        var quotas = new TreeSet<QuotaUse>();
        for (String use : row.texts("quotas")) {
            quotas.add(PolicyCodec.quotaUse(Json.parse(use)));
        }
        return new Gate(
                row.text("kind"),
                Capabilities.of(List.of(row.texts("needs"))),
                row.bool("timed"),
                quotas,
                Stream.of(row.texts("budgets")).map(Json::parse).map(GateBudget::read).toList(),
                Metering.read(row));
    }
}
