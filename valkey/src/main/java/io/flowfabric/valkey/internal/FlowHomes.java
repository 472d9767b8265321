package io.flowfabric.valkey.internal;

import io.flowfabric.core.FlowId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Where flows lie: in the main partition of their namespaces, with all of their members. One whose
 * id names another partition has a note there.
 */
final class FlowHomes {
    private final ValkeyContext valkey;
    private final GuardedWrites writes;

    FlowHomes(ValkeyContext valkey) {
        this.valkey = valkey;
        this.writes = new GuardedWrites(valkey);
    }

    /** A flow, and where it lies. */
    record Located(Partition home, StoredFlow flow) {}

    /**
     * Looks for a flow.
     *
     * @throws NotFound when there is none of this id
     */
    Located find(FlowId id) {
        var located = read(id.partition(), id.uuid()).map(it -> new Located(id.partition(), it));
        return located.or(() -> elsewhere(id))
                .filter(it -> it.flow.record().id().equals(id))
                .orElseThrow(() -> new NotFound("flow", id.toString()));
    }

    private Optional<Located> elsewhere(FlowId id) {
        return fields(id.partition(), List.of(field(id.uuid(), 'h')))
                .at(0)
                .at(0)
                .optional(home -> new Partition(Item.read(home.bytes()).small()))
                .flatMap(home -> read(home, id.uuid()).map(flow -> new Located(home, flow)));
    }

    /**
     * What was found at a moment.
     *
     * @param stored the flow as it is stored, if there is one
     * @param inbox members that have ended without the others being told
     */
    record Look(UUID uuid, Item stored, Item inbox, Instant now) {
        /**
         * @throws StoreFailure when it cannot be read any more
         */
        Optional<StoredFlow> flow() {
            return read(uuid, stored, inbox, now);
        }
    }

    /** The flow of a UUID, if it lies in a partition. */
    Optional<StoredFlow> read(Partition home, UUID uuid) {
        return look(home, uuid).flow();
    }

    /** The same, with the time. */
    Look look(Partition home, UUID uuid) {
        return look(home, List.of(uuid)).getFirst();
    }

    /** What there is of UUIDs in a partition, in their order. */
    List<Look> look(Partition home, List<UUID> uuids) {
        var told =
                valkey.read(
                        "read",
                        home,
                        out -> {
                            out.list(1).list(2).text("flow").list(2 * uuids.size());
                            uuids.forEach(uuid -> out.uuid(uuid).bytes(field(uuid, 'i')));
                        });
        var stored = told.answer().at(0);
        var found = new ArrayList<Look>();
        for (int n = 0; n < uuids.size(); n++) {
            found.add(new Look(uuids.get(n), stored.at(2 * n), stored.at(2 * n + 1), told.now()));
        }
        return found;
    }

    /** A flow as it was read, if there is one. */
    static Optional<StoredFlow> read(UUID uuid, Item stored, Item inbox, Instant now) {
        try {
            return stored.optional(one -> StoredFlow.read(uuid, one, inbox, now));
        } catch (Item.Unreadable damaged) {
            throw StoreFailure.unreadable("The flow " + uuid, damaged);
        }
    }

    private Item fields(Partition home, List<byte[]> fields) {
        return valkey.read(
                        "read",
                        home,
                        out -> out.list(1).list(2).text("flow").list(fields, Packer::bytes))
                .answer();
    }

    /** What a flow was given, as it is stored. */
    Item input(Located located) {
        var uuid = located.flow.record().id().uuid();
        return fields(located.home, List.of(field(uuid, 'p'))).at(0).at(0);
    }

    /** The main partition of a namespace, before a flow comes; it is found from its id then. */
    Partition of(Namespace namespace, FlowId id) {
        var home = valkey.inUse(namespace).main();
        if (!home.equals(id.partition())) {
            var note = new Packer().number(home.number()).done();
            writes.decide(
                    id.partition(),
                    "the flow " + id,
                    draft -> draft.set("flow", field(id.uuid(), 'h'), note));
        }
        return home;
    }

    /** A flow is gone: its note is, too. */
    void forget(FlowId id, Partition home) {
        if (!home.equals(id.partition())) {
            writes.decide(
                    id.partition(),
                    "the flow " + id,
                    draft -> draft.remove("flow", field(id.uuid(), 'h')));
        }
    }

    private static byte[] field(UUID uuid, char letter) {
        return ByteBuffer.allocate(2 * Long.BYTES + 1)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .put((byte) letter)
                .array();
    }
}
