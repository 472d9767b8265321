package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.core.flow.Arc;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.valkey.internal.wire.Item;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The arcs of a flow as they are stored, each in fixed places. */
final class FlowArcs {
    /** How many are read with one call. */
    private static final int PORTION = 2000;

    private static final byte COMPLETION = 1;
    private static final int ARC_BYTES = 9;

    private final ValkeyContext valkey;
    private final Partition home;
    private final UUID flow;

    FlowArcs(ValkeyContext valkey, Partition home, UUID flow) {
        this.valkey = valkey;
        this.home = home;
        this.flow = flow;
    }

    /**
     * Arcs that lead from members: those of the first behind a number, then those of the second.
     *
     * @param places numbers of members and numbers behind which to begin, one behind the other
     */
    List<Arc> from(List<Integer> places, int max) {
        return read(at(">", places, max));
    }

    /** Arcs that lead to a member, behind an upstream. */
    List<Arc> into(int member, int after, int max) {
        // They are stored with the downstream first.
        return read(at("<", List.of(member, after), max)).stream().map(FlowArcs::turned).toList();
    }

    private static Arc turned(Arc stored) {
        int upstream = stored.downstream();
        int downstream = stored.upstream();
        return new Arc(upstream, downstream, stored.on());
    }

    private Item at(String direction, List<Integer> places, int max) {
        return valkey.read(
                        "arcs",
                        home,
                        out ->
                                out.list(4)
                                        .uuid(flow)
                                        .text(direction)
                                        .list(places, (o, it) -> o.number(it))
                                        .number(max))
                .answer();
    }

    /** The arcs in the order of their upstreams, from one on. */
    List<Arc> all(int before, int max) {
        var found = new ArrayList<Arc>();
        while (found.size() < max) {
            int first = before + found.size();
            int most = Math.min(PORTION, max - found.size());
            var some =
                    valkey.read(
                            "all_arcs",
                            home,
                            out -> out.list(3).uuid(flow).number(first).number(most));
            var arcs = read(some.answer());
            found.addAll(arcs);
            if (arcs.size() < most) {
                break;
            }
        }
        return found;
    }

    static List<Arc> read(Item packed) {
        var in = ByteBuffer.wrap(packed.bytes());
        var arcs = new ArrayList<Arc>(in.remaining() / ARC_BYTES);
        while (in.hasRemaining()) {
            int one = in.getInt();
            int other = in.getInt();
            boolean completion = in.get() == COMPLETION;
            arcs.add(new Arc(one, other, completion ? Edge.On.COMPLETION : Edge.On.SUCCESS));
        }
        return arcs;
    }

    static byte[] write(List<Arc> arcs) {
        var out = ByteBuffer.allocate(ARC_BYTES * arcs.size());
        arcs.forEach(
                arc ->
                        out.putInt(arc.upstream())
                                .putInt(arc.downstream())
                                .put(arc.on() == Edge.On.COMPLETION ? COMPLETION : 0));
        return out.array();
    }
}
