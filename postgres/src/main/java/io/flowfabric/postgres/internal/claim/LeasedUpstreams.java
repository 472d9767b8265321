package io.flowfabric.postgres.internal.claim;

import io.flowfabric.core.Payload;
import io.flowfabric.core.flow.Upstream;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;
import io.flowfabric.postgres.internal.settle.MemberTable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * What members of flows come after, as it is told with their leases.
 *
 * @param apart the executions of those for which it is too much
 */
record LeasedUpstreams(Map<UUID, List<Upstream>> small, Set<UUID> apart) {
    static final LeasedUpstreams NONE = new LeasedUpstreams(Map.of(), Set.of());

    /**
     * @param flows those of which executions are members
     */
    static LeasedUpstreams read(Jdbc db, Map<UUID, UUID> flows) {
        var members = List.copyOf(flows.entrySet());
        var small = new HashMap<UUID, List<Upstream>>();
        var apart = new HashSet<UUID>();
        db.query("leased_upstreams")
                .uuids("ids", members, Map.Entry::getKey)
                .uuids("flows", members, Map.Entry::getValue)
                .set("most", Lease.UPSTREAMS)
                .set("most_bytes", Lease.UPSTREAMS_BYTES)
                .each(
                        row -> {
                            var id = row.uuid("execution");
                            if (row.textOrNull("name") == null) {
                                apart.add(id);
                            } else {
                                small.computeIfAbsent(id, first -> new ArrayList<>())
                                        .add(upstream(row));
                            }
                        });
        return new LeasedUpstreams(small, apart);
    }

    private static Upstream upstream(Row row) {
        return new Upstream(
                row.text("name"),
                MemberTable.outcome(row, "outcome"),
                Optional.ofNullable(row.bytesOrNull("bytes"))
                        .map(bytes -> Payload.of(bytes, row.text("content_type"))));
    }

    /** A lease with what its execution comes after. */
    Lease with(Lease lease) {
        var id = lease.fence().execution().uuid();
        if (apart.contains(id)) {
            return lease.withUpstreamsApart();
        }
        var before = small.get(id);
        return before == null ? lease : lease.upstreams(before);
    }
}
