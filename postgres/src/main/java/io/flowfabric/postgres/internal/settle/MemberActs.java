package io.flowfabric.postgres.internal.settle;

import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import java.util.Collection;
import java.util.UUID;

/** Acts of operators on members: their flows are locked first, and settled last. */
public final class MemberActs {
    private final FlowTable flows;
    private final FlowSettler settler;

    public MemberActs(PostgresContext postgres) {
        this.flows = new FlowTable(postgres);
        this.settler = new FlowSettler(postgres);
    }

    /** Locks the flows that executions are members of, and says which they are. */
    public Collection<UUID> lock(Jdbc tx, Collection<UUID> executions) {
        return flows.lockOf(tx, executions).keySet();
    }

    /** Does a piece of what follows in flows that this transaction has locked. */
    public void settle(Jdbc tx, Collection<UUID> locked, FlowAftermath after) {
        if (!locked.isEmpty()) {
            settler.settle(tx, flows.lock(tx, locked).values(), after);
        }
    }

    /** Tells what was done, once it is committed, and goes on where something is left. */
    public void finish(FlowAftermath after) {
        settler.finish(after);
    }
}
