package io.flowfabric.postgres.internal.settle;

import io.flowfabric.core.Contended;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.step.PassedOver;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What follows in flows from ends that were written without their locks: by timers, by the deaths
 * of sessions, by breaches of budgets. Whoever wrote them does this at the end of its call; if its
 * process dies in between, the next round of the timers does.
 */
public final class FlowSweep {
    private static final Logger log = LoggerFactory.getLogger(FlowSweep.class);

    private static final int AT_ONCE = 1000;

    /** After so many flows that others hold, the rest waits for the next round. */
    private static final int MOST_HELD = 3;

    private final PostgresContext postgres;
    private final FlowSettler settler;
    private final PassedOver passedOver = new PassedOver();

    public FlowSweep(PostgresContext postgres) {
        this.postgres = postgres;
        this.settler = new FlowSettler(postgres);
    }

    /** Settles what is unsettled, and says for how many flows that failed. */
    public int round() {
        int errors = 0;
        int contended = 0;
        var left =
                postgres.db()
                        .query("unsettled_flows")
                        .set("limit", AT_ONCE)
                        .list(row -> row.uuid("id"));
        for (var flow : passedOver.without(left)) {
            try {
                settler.sweep(flow);
            } catch (Contended held) {
                log.debug("The flow {} is held by another transaction; later, then", flow, held);
                if (++contended == MOST_HELD) {
                    break;
                }
            } catch (RuntimeException failure) {
                if (!FlowFabricException.concernsRequest(failure)) {
                    throw failure;
                }
                log.error(
                        "What follows in the flow {} cannot be done; it is tried again in a minute",
                        flow,
                        failure);
                passedOver.add(flow);
                errors++;
            }
        }
        return errors;
    }
}
