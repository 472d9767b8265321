package io.flowfabric.postgres.internal.settle;

import io.flowfabric.core.state.Outcome;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/** Ends of members by those who hold them, each with what follows from it in the same commit. */
public final class MemberEnds {
    private final PostgresContext postgres;
    private final FlowTable flows;
    private final FlowSettler settler;

    public MemberEnds(PostgresContext postgres) {
        this.postgres = postgres;
        this.flows = new FlowTable(postgres);
        this.settler = new FlowSettler(postgres);
    }

    private record Done<T>(Optional<T> result, FlowAftermath after) {}

    /**
     * Ends members under the locks of their flows.
     *
     * @param executions of which some may be members
     * @param write ends those that are
     * @param ended how those have ended that have, by their ids
     * @return what {@code write} did; nothing when none is a member
     */
    public <T> Optional<T> end(
            Collection<UUID> executions,
            Function<Jdbc, T> write,
            Function<T, Map<UUID, Outcome>> ended) {
        Done<T> done =
                postgres.db()
                        .transaction(
                                tx -> {
                                    var after = FlowAftermath.inTurn();
                                    var locked = flows.lockOf(tx, executions);
                                    if (locked.isEmpty()) {
                                        return new Done<T>(Optional.empty(), after);
                                    }
                                    var result = write.apply(tx);
                                    settler.settle(tx, locked.values(), ended.apply(result), after);
                                    return new Done<>(Optional.of(result), after);
                                });
        settler.finish(done.after);
        return done.result;
    }
}
