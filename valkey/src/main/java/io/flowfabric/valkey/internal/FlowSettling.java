package io.flowfabric.valkey.internal;

import io.flowfabric.core.Contended;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Partition;
import io.flowfabric.core.decision.FlowSettlement;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.UUID;

/** Does what follows in flows when members of them have ended. */
public final class FlowSettling {
    private static final Logger log = LoggerFactory.getLogger(FlowSettling.class);

    /** How many arcs and members one call looks at: a call keeps all others waiting. */
    static final int MOST = 500;

    /** So often others may come in between. */
    private static final int ATTEMPTS = 64;

    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

    private final ValkeyContext valkey;
    private final FlowHomes homes;

    public FlowSettling(ValkeyContext valkey) {
        this.valkey = valkey;
        this.homes = new FlowHomes(valkey);
    }

    /**
     * Settles a flow.
     *
     * @throws Contended when others came in between each time
     */
    void settle(Partition home, UUID flow) {
        int fruitless = 0;
        while (fruitless < ATTEMPTS) {
            var stored = homes.read(home, flow);
            if (stored.isEmpty() || stored.get().settled()) {
                return;
            }
            fruitless = piece(home, stored.get()) ? 0 : fruitless + 1;
        }
        throw contended(flow);
    }

    static Contended contended(UUID flow) {
        return new Contended("the flow " + flow, RETRY_AFTER);
    }

    /** Settles a piece, and says whether it was written. */
    private boolean piece(Partition home, StoredFlow stored) {
        var graph = new StoredGraph(valkey, home, stored.record().id().uuid());
        var settled =
                FlowSettlement.settle(stored.record(), graph, stored.ended(), stored.now(), MOST);
        return FlowWrite.of(stored).settle(settled, graph, stored.now()).write(valkey, home).done();
    }

    /** Settles a flow if it can be done now; otherwise others do it soon. */
    void settleIfPossible(Partition home, UUID flow) {
        try {
            settle(home, flow);
        } catch (FlowFabricException later) {
            log.info("What follows in the flow {} is done later", flow, later);
        }
    }

    /** Lets nobody look at a flow again in which nothing is left to be done. */
    private void takeOff(Partition home, UUID flow) {
        var stored = homes.read(home, flow);
        if (stored.isEmpty() || stored.get().settled()) {
            valkey.call(
                    "take_off",
                    home,
                    out ->
                            out.list(2)
                                    .uuid(flow)
                                    .optional(stored, (o, it) -> o.bytes(it.packed())));
        }
    }

    /**
     * Settles a flow that another process has left, and says whether it could be done; otherwise it
     * is looked at again later.
     */
    boolean settleLeft(Partition home, UUID flow) {
        try {
            settle(home, flow);
            takeOff(home, flow);
            return true;
        } catch (FlowFabricException later) {
            log.warn("What follows in the flow {} cannot be done", flow, later);
            valkey.call("put_off", home, out -> out.list(1).uuid(flow));
            return false;
        }
    }
}
