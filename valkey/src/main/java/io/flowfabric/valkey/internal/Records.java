package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.valkey.internal.record.SessionFields;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Reads what is stored. */
final class Records {
    private Records() {}

    /** The sessions that there are of these. */
    static List<SessionFields> sessions(
            FunctionCalls calls, Partition home, Collection<SessionId> ids) {
        var told =
                calls.read(
                                "read",
                                home,
                                out ->
                                        out.list(1)
                                                .list(2)
                                                .text("session")
                                                .list(ids, (o, id) -> o.uuid(id.uuid())))
                        .answer();
        var found = new ArrayList<SessionFields>();
        int n = 0;
        for (var id : ids) {
            var packed = told.at(0).at(n++);
            if (!packed.isAbsent()) {
                found.add(SessionFields.read(id, packed.bytes()));
            }
        }
        return found;
    }

    /** One field of an execution's details. */
    static void detail(Packer out, java.util.UUID id, char letter) {
        out.bytes(detail(id, letter));
    }

    /**
     * The name of one field of an execution's details.
     *
     * @param rest what follows its letter
     */
    static byte[] detail(java.util.UUID id, char letter, byte... rest) {
        var bytes = java.nio.ByteBuffer.allocate(17 + rest.length);
        bytes.putLong(id.getMostSignificantBits());
        bytes.putLong(id.getLeastSignificantBits());
        bytes.put((byte) letter);
        return bytes.put(rest).array();
    }

    /** Details of executions, in one view. */
    static List<Item> details(ValkeyContext valkey, Partition home, List<byte[]> fields) {
        return valkey.read(
                        "read",
                        home,
                        out -> out.list(1).list(2).text("detail").list(fields, Packer::bytes))
                .answer()
                .at(0)
                .list();
    }
}
