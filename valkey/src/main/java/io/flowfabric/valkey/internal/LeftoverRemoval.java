package io.flowfabric.valkey.internal;

import static java.util.stream.Collectors.groupingBy;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.valkey.internal.SpreadLeftovers.Gone;
import io.flowfabric.valkey.internal.wire.Item;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One round in which leftovers of a partition are removed. One that is away is not asked twice.
 *
 * <p>An id may be submitted again at any time, and what its new life is found by stands where the
 * old one left it. So signposts and keys are looked at first; then the partition is told, which
 * says what is there again, and takes no more work that was made findable before; and only what is
 * as it was seen is removed.
 */
final class LeftoverRemoval {
    private static final Logger log = LoggerFactory.getLogger(LeftoverRemoval.class);

    private final ValkeyContext valkey;
    private final Partition home;
    private final Set<Partition> away = new HashSet<>();

    /** The notes of what could not be removed. */
    private final Set<Item> left = new HashSet<>();

    /**
     * @param home where the work was
     */
    LeftoverRemoval(ValkeyContext valkey, Partition home) {
        this.valkey = valkey;
        this.home = home;
    }

    void remove(List<Gone> all) {
        var signposts = standing(all);
        var keys = held(all);
        var gone = stillGone(all);
        signposts.forEach(
                (at, stood) -> {
                    stood.keySet().retainAll(gone.stream().map(Gone::id).toList());
                    tried(
                            at,
                            notesOf(gone, stood.keySet()),
                            () -> valkey.homes().forget(at, stood, home));
                });
        keys.forEach(
                (at, since) -> {
                    since.keySet().retainAll(gone);
                    since.forEach(
                            (one, moment) ->
                                    tried(
                                            at,
                                            List.of(one.note()),
                                            () -> giveUpKey(one, moment, at)));
                });
        var reports = gone.stream().collect(groupingBy(Gone::namespace));
        reports.keySet().removeIf(namespace -> valkey.home(namespace).equals(home));
        reports.forEach(
                (namespace, some) ->
                        tried(
                                valkey.home(namespace),
                                some.stream().map(Gone::note).toList(),
                                () -> forgetReports(namespace, some)));
        drop(gone.stream().map(Gone::note).filter(note -> !left.contains(note)).toList());
    }

    /** The signposts that lead to where the work was, with until when they stand. */
    private Map<Partition, Map<ExecutionId, Long>> standing(List<Gone> all) {
        var found = new LinkedHashMap<Partition, Map<ExecutionId, Long>>();
        valkey.homes()
                .signpostsOf(all.stream().map(Gone::id).toList(), home)
                .forEach(
                        (at, ids) ->
                                tried(
                                        at,
                                        notesOf(all, ids),
                                        () ->
                                                found.put(
                                                        at,
                                                        valkey.homes().standing(at, ids, home))));
        found.values().removeIf(Map::isEmpty);
        return found;
    }

    /** The work whose keys are held elsewhere, with since when. */
    private Map<Partition, Map<Gone, Instant>> held(List<Gone> all) {
        var places = new LinkedHashMap<Partition, List<Gone>>();
        for (var one : all) {
            keyPlace(one)
                    .ifPresent(
                            at -> places.computeIfAbsent(at, first -> new ArrayList<>()).add(one));
        }
        var found = new LinkedHashMap<Partition, Map<Gone, Instant>>();
        places.forEach(
                (at, some) ->
                        tried(
                                at,
                                some.stream().map(Gone::note).toList(),
                                () -> found.put(at, held(some, at))));
        return found;
    }

    /** Where the key of some work was held, if it was held elsewhere. */
    private Optional<Partition> keyPlace(Gone one) {
        var spread = valkey.spread(one.namespace());
        return one.key().map(spread::of).filter(at -> spread.isWide() && !at.equals(home));
    }

    private Map<Gone, Instant> held(List<Gone> some, Partition at) {
        var told =
                valkey.read(
                                "held_keys",
                                at,
                                out ->
                                        out.list(
                                                some,
                                                (o, it) ->
                                                        o.list(2)
                                                                .text(unique(it))
                                                                .uuid(it.id().uuid())))
                        .answer();
        var found = new HashMap<Gone, Instant>();
        for (int n = 0; n < some.size(); n++) {
            var one = some.get(n);
            told.at(n).optional(Item::moment).ifPresent(since -> found.put(one, since));
        }
        return found;
    }

    private static String unique(Gone one) {
        return NameListing.whole(one.namespace(), one.key().orElseThrow());
    }

    /** What is gone by now; of the rest nothing is noted any more. */
    private List<Gone> stillGone(List<Gone> all) {
        var told =
                valkey.leave(
                                "begin_removal",
                                home,
                                out -> out.list(all, (o, one) -> o.bytes(one.note().bytes())))
                        .answer();
        var gone = new ArrayList<Gone>();
        for (int n = 0; n < all.size(); n++) {
            if (told.at(n).truth()) {
                gone.add(all.get(n));
            }
        }
        return gone;
    }

    private static List<Item> notesOf(List<Gone> gone, Collection<ExecutionId> ids) {
        var wanted = Set.copyOf(ids);
        return gone.stream().filter(one -> wanted.contains(one.id())).map(Gone::note).toList();
    }

    /** Does something in a partition; what is noted stays so where that is away. */
    private void tried(Partition at, List<Item> notes, Runnable removal) {
        if (away.contains(at)) {
            left.addAll(notes);
            return;
        }
        try {
            removal.run();
        } catch (FlowFabricException unanswered) {
            log.warn(
                    "What is left of work that is gone is removed from partition {} later",
                    at,
                    unanswered);
            away.add(at);
            left.addAll(notes);
        }
    }

    /** Notes that nothing is left. */
    void drop(List<Item> notes) {
        if (!notes.isEmpty()) {
            tried(
                    home,
                    notes,
                    () ->
                            valkey.leave(
                                    "drop_leftovers",
                                    home,
                                    out -> out.list(notes, (o, it) -> o.bytes(it.bytes()))));
        }
    }

    private void giveUpKey(Gone one, Instant since, Partition at) {
        HeldKeys.giveUp(valkey, at, unique(one), one.id().uuid(), since);
    }

    private void forgetReports(Namespace namespace, List<Gone> gone) {
        valkey.call(
                "forget_reports",
                valkey.home(namespace),
                out ->
                        out.list(2)
                                .text(namespace.name())
                                .list(gone, (o, one) -> o.uuid(one.id().uuid())));
    }
}
