package io.flowfabric.valkey.internal;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.valkey.internal.record.Codes;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * How much there is of everything. It is counted as it is stored; only behind gates that quotas may
 * shut does ready work have to be looked at, gate by gate.
 */
final class ValkeyCounts {
    /** What any ready work looks like. */
    private static final Ready READY = new Ready(LeasePurpose.FIRST);

    private final ValkeyContext valkey;

    ValkeyCounts(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    Map<Lane, Map<PublicState, Long>> of(Namespace namespace) {
        var all = new TreeMap<Lane, Map<PublicState, Long>>();
        for (var part : valkey.spread(namespace).all()) {
            of(namespace, part)
                    .forEach(
                            (lane, counts) -> {
                                var sums =
                                        all.computeIfAbsent(
                                                lane, first -> new EnumMap<>(PublicState.class));
                                counts.forEach((state, n) -> sums.merge(state, n, Long::sum));
                            });
        }
        return all;
    }

    private Map<Lane, Map<PublicState, Long>> of(Namespace namespace, Partition part) {
        var told =
                valkey.read(
                        "counts",
                        part,
                        out -> out.list(2).text(namespace.name()).number(WaitingWork.PORTION));
        var around = Surroundings.read(told.answer().at(1), told.now());
        var all = new TreeMap<Lane, Map<PublicState, Long>>();
        for (var one : told.answer().at(0).list()) {
            var lane = new Lane(namespace, one.at(1).text());
            var counts = stored(one.at(2));
            boolean more = one.at(4).truth();
            if (more) {
                WaitingWork.portions(valkey, lane, part, portion -> shift(portion, counts));
            } else {
                int number = one.at(0).small();
                one.at(3).list().forEach(gate -> shift(number, gate, around, counts));
            }
            counts.values().removeIf(count -> count <= 0);
            if (!counts.isEmpty()) {
                all.put(lane, counts);
            }
        }
        return all;
    }

    private static Map<PublicState, Long> stored(Item told) {
        var counts = new EnumMap<PublicState, Long>(PublicState.class);
        var situations = Codes.SITUATIONS.words();
        for (int i = 0; i < situations.size(); i++) {
            counts.merge(situations.get(i).publicState(), told.at(i).number(), Long::sum);
        }
        return counts;
    }

    private static void shift(WaitingWork portion, Map<PublicState, Long> counts) {
        portion.gates().forEach(gate -> shift(portion.lane(), gate, portion.around(), counts));
    }

    /** Counts what waits behind a gate as what it reads as. */
    private static void shift(
            int lane, Item told, Surroundings around, Map<PublicState, Long> counts) {
        var seen = around.seen(READY, WaitingGate.read(lane, told)).publicState();
        long count = WaitingGate.count(told);
        counts.merge(READY.publicState(), -count, Long::sum);
        counts.merge(seen, count, Long::sum);
    }
}
