package io.flowfabric.valkey.internal;

import io.flowfabric.core.Payload;
import io.flowfabric.core.flow.Upstream;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.valkey.internal.record.MemberLayout;
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.ArrayList;

/** What members of flows come after, as it is told with their leases. */
final class UpstreamsOfLeases {
    private UpstreamsOfLeases() {}

    /**
     * A lease with what its execution comes after.
     *
     * @param told as {@code claim.lua} tells of it: true when it is too much, or absent
     */
    static Lease with(Lease lease, Item told) {
        if (told.isAbsent()) {
            return lease;
        }
        if (!(told instanceof Item.Items)) {
            return lease.withUpstreamsApart();
        }
        var before = new ArrayList<Upstream>();
        for (int n = 0; n < told.list().size(); n += 3) {
            var member = MemberLayout.read(told.at(n).small(), told.at(n + 1));
            before.add(
                    new Upstream(
                            member.name(),
                            member.outcome(),
                            told.at(n + 2).optional(UpstreamsOfLeases::result)));
        }
        return lease.upstreams(before);
    }

    /** What a member has produced; it has no bytes when that is nothing. */
    private static Payload result(Item stored) {
        return stored.bytes().length == 0
                ? Payload.EMPTY
                : SubmissionRecord.payload(Item.read(stored.bytes()));
    }
}
