package io.flowfabric.postgres.internal.catalog;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What this process knows of the gates of a lane. It holds for one generation of them: when gates
 * of the lane are retired, all of it is in doubt, and who relies on it is refused by the store.
 */
public final class GatesOfLane {
    /** Of a lane that nothing is known of. */
    static final GatesOfLane UNKNOWN = new GatesOfLane(-1);

    /** More of them than this, and learning of them anew is the lesser evil. */
    private static final int REMEMBERED = 100_000;

    private final long generation;
    private final Map<Integer, ReservedAmounts> reserved = new ConcurrentHashMap<>();

    GatesOfLane(long generation) {
        this.generation = generation;
    }

    public long generation() {
        return generation;
    }

    /** Whether the lane is known to have a gate, and work behind it that reserves such amounts. */
    public boolean know(int gate, ReservedAmounts amounts) {
        var known = reserved.get(gate);
        return known != null && known.and(amounts).equals(known);
    }

    /** Learns of gates that the lane had in a generation; of an earlier one nothing is learnt. */
    void learn(long of, Map<Integer, ReservedAmounts> more) {
        if (of != generation) {
            return;
        }
        if (reserved.size() >= REMEMBERED) {
            reserved.clear();
        }
        more.forEach((gate, amounts) -> reserved.merge(gate, amounts, ReservedAmounts::and));
    }
}
