package io.flowfabric.valkey.internal;

import io.flowfabric.core.Contended;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.decision.FlowSettlement;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Does what follows in flows when members of them have ended. */
public final class FlowSettling {
    private static final Logger log = LoggerFactory.getLogger(FlowSettling.class);

    /** How many arcs and members one call looks at: a call keeps all others waiting. */
    static final int MOST = 500;

    /** How many flows one call reads. */
    static final int TOGETHER = 100;

    /** So often others may come in between. */
    private static final int ATTEMPTS = 64;

    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

    private final ValkeyContext valkey;

    public FlowSettling(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    /**
     * Settles a flow.
     *
     * @throws Contended when others came in between each time
     */
    void settle(Partition home, UUID flow) {
        var obstacle = settle(home, List.of(flow)).get(flow);
        if (obstacle != null) {
            throw obstacle;
        }
    }

    private static Contended contended(UUID flow) {
        return new Contended("the flow " + flow, RETRY_AFTER);
    }

    /** Settles flows, many with one call, and says why not where it cannot be done. */
    private Map<UUID, FlowFabricException> settle(Partition home, Collection<UUID> flows) {
        var obstacles = new HashMap<UUID, FlowFabricException>();
        var fruitless = new LinkedHashMap<UUID, Integer>();
        flows.forEach(flow -> fruitless.put(flow, 0));
        while (!fruitless.isEmpty()) {
            var some = fruitless.keySet().stream().limit(TOGETHER).toList();
            var left = pieces(home, some, obstacles);
            // What is done in one flow may end the executions that awaited others.
            left.keySet().forEach(flow -> fruitless.putIfAbsent(flow, 0));
            for (var flow : some) {
                if (!left.containsKey(flow) || obstacles.containsKey(flow)) {
                    fruitless.remove(flow);
                } else if (left.get(flow)) {
                    fruitless.put(flow, 0);
                } else if (fruitless.merge(flow, 1, Integer::sum) == ATTEMPTS) {
                    fruitless.remove(flow);
                    obstacles.put(flow, contended(flow));
                }
            }
        }
        return obstacles;
    }

    /**
     * Settles a piece of each flow.
     *
     * @return the flows in which something is left to be done, and whether the piece was written
     */
    private Map<UUID, Boolean> pieces(
            Partition home, List<UUID> flows, Map<UUID, FlowFabricException> obstacles) {
        var asked = new LinkedHashMap<UUID, List<Integer>>();
        flows.forEach(flow -> asked.put(flow, List.of()));
        var writes = new ArrayList<FlowWrite>();
        for (var around : FlowSurroundings.read(valkey, home, asked)) {
            try {
                around.readable()
                        .filter(it -> !it.flow().settled())
                        .ifPresent(it -> writes.add(piece(it)));
            } catch (StoreFailure failure) {
                if (!failure.isUnreadable()) {
                    throw failure;
                }
                obstacles.put(around.uuid(), failure);
            }
        }
        var left = new HashMap<UUID, Boolean>();
        for (var call : FlowWrite.calls(writes)) {
            var told = FlowWrite.write(valkey, home, call);
            for (int n = 0; n < call.size(); n++) {
                boolean done = told.get(n).done();
                if (!done || call.get(n).leavesWork()) {
                    left.put(call.get(n).flow(), done);
                }
                if (done) {
                    call.get(n).abandoned().forEach(flow -> left.put(flow, true));
                }
            }
        }
        return left;
    }

    private static FlowWrite piece(FlowSurroundings.ReadFlow found) {
        var flow = found.flow();
        var write = FlowWrite.settling(flow);
        var settled =
                FlowSettlement.settle(
                        write.record(), found.graph(), flow.ended(), flow.now(), MOST);
        return write.settle(settled, found.graph(), flow.now());
    }

    /** Settles flows as far as it can be done now; otherwise others do it soon. */
    void settleIfPossible(Partition home, Collection<UUID> flows) {
        if (flows.isEmpty()) {
            return;
        }
        try {
            settle(home, flows).forEach(FlowSettling::isDoneLater);
        } catch (FlowFabricException later) {
            flows.forEach(flow -> isDoneLater(flow, later));
        }
    }

    private static void isDoneLater(UUID flow, FlowFabricException why) {
        log.info("What follows in the flow {} is done later", flow, why);
    }

    /**
     * Settles flows that other processes have left, and says in how many that cannot be done; they
     * are looked at again later.
     */
    int settleLeft(Partition home, Collection<UUID> flows) {
        var obstacles = settleOrNot(home, flows);
        obstacles.forEach(
                (flow, why) -> {
                    log.warn("What follows in the flow {} cannot be done", flow, why);
                    valkey.call("put_off", home, out -> out.list(1).uuid(flow));
                });
        takeOff(home, flows.stream().filter(flow -> !obstacles.containsKey(flow)).toList());
        return obstacles.size();
    }

    private Map<UUID, FlowFabricException> settleOrNot(Partition home, Collection<UUID> flows) {
        try {
            return settle(home, flows);
        } catch (FlowFabricException failure) {
            var all = new HashMap<UUID, FlowFabricException>();
            flows.forEach(flow -> all.put(flow, failure));
            return all;
        }
    }

    /** Lets nobody look at flows again in which nothing is left to be done. */
    private void takeOff(Partition home, List<UUID> flows) {
        for (int from = 0; from < flows.size(); from += TOGETHER) {
            var some = flows.subList(from, Math.min(flows.size(), from + TOGETHER));
            var asked = new LinkedHashMap<UUID, List<Integer>>();
            some.forEach(flow -> asked.put(flow, List.of()));
            var settled =
                    FlowSurroundings.read(valkey, home, asked).stream()
                            .filter(it -> it.flow().map(StoredFlow::settled).orElse(true))
                            .toList();
            valkey.call(
                    "take_off",
                    home,
                    out -> {
                        out.list(2 * settled.size());
                        settled.forEach(
                                it ->
                                        out.uuid(it.uuid())
                                                .optional(
                                                        it.flow(),
                                                        (o, flow) -> o.bytes(flow.packed())));
                    });
        }
    }
}
