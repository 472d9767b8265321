package io.flowfabric.postgres.internal.lease;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.LeaseLost;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.decision.LeaseStanding;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.catalog.UnknownWord;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;
import io.flowfabric.postgres.internal.step.FactsReader;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/** How executions stand whose fences did not hold, and what their presenters are told. */
public final class LeaseStandings {
    private final Map<UUID, Standing> standings = new HashMap<>();

    private LeaseStandings() {}

    /** How one stands; nothing when what is stored of it cannot be read. */
    private record Standing(ExecutionId id, boolean member, Optional<LeaseStanding> known) {
        FlowFabricException lost(Fence presented) {
            return known.<FlowFabricException>map(standing -> standing.lost(presented))
                    .orElseGet(() -> FactsReader.unreadable(id));
        }
    }

    /** Reads how the executions of these fences stand; of none, without asking the server. */
    public static LeaseStandings read(Jdbc db, Collection<Fence> fences) {
        var read = new LeaseStandings();
        if (!fences.isEmpty()) {
            var ids = fences.stream().map(Fence::execution).collect(Collectors.toSet());
            db.query("given")
                    .uuids("ids", ids, ExecutionId::uuid)
                    .each(
                            row -> {
                                // The same UUID in another partition is another id.
                                if (ids.contains(RowCodec.id(row))) {
                                    read.standings.put(row.uuid("id"), standing(row));
                                }
                            });
        }
        return read;
    }

    /** Why a fence did not hold. */
    public FlowFabricException lost(Fence fence) {
        var standing = standings.get(fence.execution().uuid());
        return standing == null
                ? new NotFound("execution", fence.execution().toString())
                : standing.lost(fence);
    }

    /** Whether an execution is a member of a flow. */
    boolean isMember(Fence fence) {
        var standing = standings.get(fence.execution().uuid());
        return standing != null && standing.member;
    }

    /** The answer to an ending that may have been heard before. */
    Answer<Ended> repeated(Ending ending) {
        var standing = standings.get(ending.fence().execution().uuid());
        if (standing == null || standing.known.isEmpty()) {
            return Answer.refused(lost(ending.fence()));
        }
        try {
            return Answer.done(standing.known.get().repeated(ending));
        } catch (LeaseLost | Conflict refusal) {
            return Answer.refused(refusal);
        }
    }

    private static Standing standing(Row row) {
        try {
            return new Standing(
                    RowCodec.id(row),
                    row.bool("member"),
                    row.bool("readable") ? Optional.of(known(row)) : Optional.empty());
        } catch (UnknownWord ofNewerProgram) {
            return new Standing(RowCodec.id(row), row.bool("member"), Optional.empty());
        }
    }

    private static LeaseStanding known(Row row) {
        var givenUp =
                Optional.ofNullable(row.longOrNull("released_epoch"))
                        .map(
                                epoch ->
                                        new LeaseStanding.GivenUp(
                                                epoch,
                                                RowCodec.digest(row, "released_digest"),
                                                new Ended(
                                                        RowCodec.transition(
                                                                row, "released_transition"),
                                                        RowCodec.time(row, "released_until"))));
        return new LeaseStanding(
                RowCodec.id(row),
                row.intValue("attempts"),
                row.longValue("epoch"),
                RowCodec.situation(row).publicState(),
                givenUp);
    }
}
