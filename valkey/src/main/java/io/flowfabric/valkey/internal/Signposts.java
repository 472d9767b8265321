package io.flowfabric.valkey.internal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.flowfabric.core.Partition;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * What the partition that an id leads to says about where a thing lies. A signpost that leads to
 * nothing does no harm.
 */
final class Signposts<T> {
    /** So many are asked about in one call. */
    private static final int CHUNK = 1000;

    private final ValkeyContext valkey;
    private final char kind;
    private final Function<T, Partition> place;
    private final Function<T, UUID> uuid;

    /**
     * @param kind its letter in {@code signposts.lua}
     * @param place which partition an id names
     */
    Signposts(
            ValkeyContext valkey, char kind, Function<T, Partition> place, Function<T, UUID> uuid) {
        this.valkey = valkey;
        this.kind = kind;
        this.place = place;
        this.uuid = uuid;
    }

    /** Where those lead to that there are. */
    Map<T, Partition> read(Collection<T> ids, FunctionCalls calls) {
        var found = new HashMap<T, Partition>();
        grouped(ids).forEach((at, some) -> found.putAll(readAt(at, some, calls)));
        return found;
    }

    /** Where those lead to that stand in a partition. */
    Map<T, Partition> readAt(Partition at, List<T> ids, FunctionCalls calls) {
        var found = new HashMap<T, Partition>();
        Chunks.of(ids, CHUNK, id -> 0).forEach(part -> found.putAll(read(at, part, calls)));
        return found;
    }

    private Map<T, Partition> read(Partition at, List<T> ids, FunctionCalls calls) {
        var found = new HashMap<T, Partition>();
        texts(at, ids, calls).forEach((id, signpost) -> found.put(id, partition(signpost)));
        return found;
    }

    /** Those that stand in a partition and lead to another one, with until when they stand. */
    Map<T, Long> standing(Partition at, List<T> ids, Partition home) {
        var found = new HashMap<T, Long>();
        for (var part : Chunks.of(ids, CHUNK, id -> 0)) {
            texts(at, part, valkey)
                    .forEach(
                            (id, signpost) -> {
                                if (partition(signpost).equals(home)) {
                                    found.put(id, until(signpost));
                                }
                            });
        }
        return found;
    }

    private Map<T, String> texts(Partition at, List<T> ids, FunctionCalls calls) {
        var told =
                calls.read("read", at, out -> write(out.list(1).list(2).text("unique"), ids))
                        .answer()
                        .at(0);
        var found = new HashMap<T, String>();
        for (int n = 0; n < ids.size(); n++) {
            var id = ids.get(n);
            told.at(n).optional(Item::text).ifPresent(signpost -> found.put(id, signpost));
        }
        return found;
    }

    /** A signpost says where it leads to, and until when it stands. */
    private static Partition partition(String signpost) {
        return new Partition(Integer.parseInt(signpost.substring(0, signpost.indexOf(' '))));
    }

    private static long until(String signpost) {
        return Long.parseLong(signpost.substring(signpost.indexOf(' ') + 1));
    }

    private void write(Packer out, List<T> ids) {
        out.list(ids, (o, id) -> o.bytes(field(uuid.apply(id))));
    }

    private byte[] field(UUID id) {
        var prefix = ("\0" + kind).getBytes(ISO_8859_1);
        var whole = bytes(id);
        return ByteBuffer.allocate(prefix.length + whole.length).put(prefix).put(whole).array();
    }

    /**
     * Puts signposts up, except where there are others.
     *
     * @param instead where they may lead to so far, because it is known that nothing is there
     * @return those that are elsewhere, or may be, with where
     */
    Map<T, Partition> putUp(
            Collection<T> ids, Partition home, Optional<Partition> instead, FunctionCalls calls) {
        var others = new HashMap<T, Partition>();
        grouped(ids).forEach((at, some) -> others.putAll(putUpAt(at, some, home, instead, calls)));
        return others;
    }

    /** Puts signposts up in a partition, except where there are others. */
    Map<T, Partition> putUpAt(
            Partition at,
            List<T> ids,
            Partition home,
            Optional<Partition> instead,
            FunctionCalls calls) {
        var others = new HashMap<T, Partition>();
        Chunks.of(ids, CHUNK, id -> 0)
                .forEach(part -> others.putAll(putUp(at, part, home, instead, calls)));
        return others;
    }

    private Map<T, Partition> putUp(
            Partition at,
            List<T> ids,
            Partition home,
            Optional<Partition> instead,
            FunctionCalls calls) {
        // A partition says no where this is not the place for its own ids.
        boolean heard =
                !valkey.spreads().at(at).isEmpty()
                        || ids.stream().noneMatch(id -> place.apply(id).equals(at));
        var told =
                calls.leave(
                                "sign",
                                at,
                                out ->
                                        out.list(2)
                                                .truth(heard)
                                                .list(ids, (o, id) -> sign(o, id, home, instead)))
                        .answer();
        if (told instanceof Item.Bytes) {
            throw new UnheardSpread();
        }
        var others = new HashMap<T, Partition>();
        for (int n = 0; n < ids.size(); n++) {
            var other = told.at(n);
            if (!other.isAbsent()) {
                // A word says that this partition has it itself.
                boolean here = other instanceof Item.Bytes;
                others.put(ids.get(n), here ? at : new Partition(other.small()));
            }
        }
        return others;
    }

    private void sign(Packer out, T id, Partition home, Optional<Partition> instead) {
        out.list(4)
                .text(String.valueOf(kind))
                .uuid(uuid.apply(id))
                .number(home.number())
                .optional(instead, (o, other) -> o.number(other.number()));
    }

    /**
     * Takes those down that stand in a partition and lead to where nothing is any more.
     *
     * @param stood until when they stand; what was put up again since stands for longer
     */
    void takeDownAt(Partition at, Map<T, Long> stood, Partition home) {
        valkey.leave(
                "unsign",
                at,
                out ->
                        out.list(
                                stood.entrySet(),
                                (o, one) ->
                                        o.list(3)
                                                .uuid(uuid.apply(one.getKey()))
                                                .number(home.number())
                                                .number(one.getValue())));
    }

    private Map<Partition, List<T>> grouped(Collection<T> ids) {
        var groups = new LinkedHashMap<Partition, List<T>>();
        for (var id : ids) {
            groups.computeIfAbsent(place.apply(id), first -> new ArrayList<>()).add(id);
        }
        return groups;
    }

    static byte[] bytes(UUID id) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .array();
    }
}
