package io.flowfabric.valkey.internal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.flowfabric.core.Answer;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Partition;
import io.flowfabric.valkey.internal.wire.Item;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * Takes down signposts that lead to nothing. A signpost stands for some time, and for longer as
 * long as something is there; so what was refused, or lost half way, leaves none for ever.
 */
final class OldSignposts {
    private static final Logger log = LoggerFactory.getLogger(OldSignposts.class);

    /** How many one call deals with, and how many calls one round makes for one partition. */
    private static final int PORTION = 256;

    private static final int MOST_CALLS = 100;

    /** Signposts may be anywhere: those of sessions are spread by their ids. */
    private static final List<Partition> EVERYWHERE =
            IntStream.range(0, Partition.COUNT).mapToObj(Partition::new).toList();

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final ValkeyContext valkey;

    OldSignposts(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    private record Signpost(String kind, UUID id, Item home, long stood) {
        static Signpost of(Item told) {
            return new Signpost(
                    told.at(0).text(), told.at(1).uuid(), told.at(2), told.at(3).number());
        }
    }

    /** Deals with those whose time is over, and says how many were taken down. */
    int takeDown() {
        var any =
                valkey.readEach(
                        "old_signposts", EVERYWHERE, PATIENCE, (out, at) -> out.list(1).number(1));
        int gone = 0;
        for (int n = 0; n < EVERYWHERE.size(); n++) {
            if (any.get(n) instanceof Answer.Done<ValkeyContext.Told> told
                    && !told.value().answer().list().isEmpty()) {
                gone += takeDown(EVERYWHERE.get(n));
            }
        }
        return gone;
    }

    private int takeDown(Partition at) {
        int gone = 0;
        try {
            for (int calls = 0; calls < MOST_CALLS; calls++) {
                var old =
                        valkey.read("old_signposts", at, out -> out.list(1).number(PORTION))
                                .answer()
                                .list(Signpost::of);
                gone += old.isEmpty() ? 0 : renew(at, old);
                if (old.size() < PORTION) {
                    break;
                }
            }
        } catch (FlowFabricException away) {
            log.warn("The signposts of the partition {} are looked after later", at, away);
        }
        return gone;
    }

    private int renew(Partition at, List<Signpost> old) {
        var found = found(old);
        return valkey.leave(
                        "renew_signposts",
                        at,
                        out ->
                                out.list(
                                        old,
                                        (o, one) ->
                                                o.list(4)
                                                        .text(one.kind)
                                                        .uuid(one.id)
                                                        .number(one.stood)
                                                        .truth(found.getOrDefault(one, false))))
                .answer()
                .small();
    }

    /** Of each signpost whether something is where it leads to; a tombstone leads nowhere. */
    private Map<Signpost, Boolean> found(List<Signpost> old) {
        var byHome = new LinkedHashMap<Integer, List<Signpost>>();
        for (var one : old) {
            if (!one.home.isAbsent()) {
                byHome.computeIfAbsent(one.home.small(), first -> new ArrayList<>()).add(one);
            }
        }
        var found = new LinkedHashMap<Signpost, Boolean>();
        byHome.forEach((home, some) -> found.putAll(found(new Partition(home), some)));
        return found;
    }

    private Map<Signpost, Boolean> found(Partition home, List<Signpost> some) {
        var told =
                valkey.read(
                                "read",
                                home,
                                out -> {
                                    out.list(3);
                                    out.list(2).text("session");
                                    out.list(some, (o, it) -> o.uuid(it.id));
                                    out.list(2).text("execution");
                                    out.list(some, (o, it) -> o.uuid(it.id));
                                    out.list(2).text("unique");
                                    out.list(some, (o, it) -> o.bytes(tombstone(it.id)));
                                })
                        .answer();
        var found = new LinkedHashMap<Signpost, Boolean>();
        for (int n = 0; n < some.size(); n++) {
            int place = n;
            boolean present =
                    some.get(n).kind.equals("x")
                            ? !told.at(1).at(place).isAbsent()
                            : !told.at(0).at(place).isAbsent() || !told.at(2).at(place).isAbsent();
            found.put(some.get(n), present);
        }
        return found;
    }

    /** The id of a session that is forgotten stays dead, and so is found. */
    private static byte[] tombstone(UUID id) {
        var bytes = Signposts.bytes(id);
        var prefix = "\0t".getBytes(ISO_8859_1);
        return ByteBuffer.allocate(prefix.length + bytes.length).put(prefix).put(bytes).array();
    }
}
