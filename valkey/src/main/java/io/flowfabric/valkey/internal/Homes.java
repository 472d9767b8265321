package io.flowfabric.valkey.internal;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Partition;
import io.flowfabric.core.store.Chunks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;

/**
 * Where executions lie: with everything of their namespace. One that has an id of another partition
 * has a signpost there.
 */
public final class Homes {
    private static final int MOST = 1 << 16;

    /** So many executions are looked for in one call. */
    private static final int PORTION = 1000;

    private final ValkeyContext valkey;
    private final Signposts<ExecutionId> signposts;

    /** Where those lie that are not where their ids say. */
    private final Map<UUID, Partition> strays = LatelyUsed.ofMost(MOST);

    Homes(ValkeyContext valkey) {
        this.valkey = valkey;
        signposts = new Signposts<>(valkey, 'x', ExecutionId::partition, ExecutionId::uuid);
    }

    /** Where an execution lies, as far as this process knows; a signpost may say otherwise. */
    Partition of(ExecutionId id) {
        return Optional.ofNullable(strays.get(id.uuid()))
                .orElseGet(() -> candidates(id).getFirst());
    }

    /**
     * The partitions that an execution may lie in, as far as its id tells: in each of the
     * namespaces that share the partition of the id and are spread over several, and that partition
     * itself.
     */
    private List<Partition> candidates(ExecutionId id) {
        var spreads = valkey.spreads().at(id.partition());
        if (spreads.isEmpty()) {
            return List.of(id.partition());
        }
        var candidates = new LinkedHashSet<Partition>();
        spreads.forEach(spread -> candidates.add(spread.of(id.uuid())));
        candidates.add(id.partition());
        return List.copyOf(candidates);
    }

    /**
     * Asks for executions where they lie. Those that are not known there are asked for again where
     * their signposts lead to.
     *
     * @param parts what was done before, and by the call
     * @param call asks for those in these places of the list, and answers with the places of those
     *     that are not known
     */
    void visit(
            AppliedParts parts,
            List<ExecutionId> ids,
            BiFunction<Partition, List<Integer>, List<Integer>> call) {
        var homes = new LinkedHashMap<Partition, List<Integer>>();
        for (int i = 0; i < ids.size(); i++) {
            homes.computeIfAbsent(of(ids.get(i)), first -> new ArrayList<>()).add(i);
        }
        var again = new LinkedHashMap<Partition, List<Integer>>();
        homes.forEach(
                (home, places) -> {
                    var unknown = call.apply(home, places);
                    var lost = unknown.stream().map(ids::get).toList();
                    var elsewhere = parts.follow(() -> elsewhere(lost, home));
                    for (int place : unknown) {
                        Optional.ofNullable(elsewhere.get(ids.get(place)))
                                .ifPresent(
                                        other ->
                                                again.computeIfAbsent(
                                                                other, first -> new ArrayList<>())
                                                        .add(place));
                    }
                });
        again.forEach(
                (home, places) -> {
                    var unused = call.apply(home, places);
                });
    }

    /**
     * Where executions may be that were not found in a partition: where their signposts lead to; or
     * where their ids do, when it was only remembered that they were elsewhere.
     */
    Map<ExecutionId, Partition> elsewhere(Collection<ExecutionId> ids, Partition tried) {
        var asked = Set.copyOf(ids);
        if (asked.isEmpty()) {
            return Map.of();
        }
        valkey.spreads().readAgain();
        var found = found(asked);
        for (var id : asked) {
            var home = found.get(id);
            if (home == null || home.equals(candidates(id).getFirst())) {
                strays.remove(id.uuid());
            } else {
                strays.put(id.uuid(), home);
            }
        }
        found.values().removeIf(tried::equals);
        return found;
    }

    /** Where executions are, of those that have signposts or may be in several partitions. */
    private Map<ExecutionId, Partition> found(Collection<ExecutionId> ids) {
        var several = new ArrayList<ExecutionId>();
        var found = new HashMap<ExecutionId, Partition>();
        for (var id : ids) {
            if (candidates(id).size() == 1) {
                found.put(id, id.partition());
            } else {
                several.add(id);
            }
        }
        byCandidate(ids).forEach((at, some) -> found.putAll(signposts.readAt(at, some, valkey)));
        byCandidate(several).forEach((at, some) -> found.putAll(present(at, some)));
        return found;
    }

    private Map<Partition, List<ExecutionId>> byCandidate(Collection<ExecutionId> ids) {
        var groups = new LinkedHashMap<Partition, List<ExecutionId>>();
        for (var id : ids) {
            candidates(id)
                    .forEach(at -> groups.computeIfAbsent(at, first -> new ArrayList<>()).add(id));
        }
        return groups;
    }

    /** Those of these executions that lie in a partition. */
    private Map<ExecutionId, Partition> present(Partition at, List<ExecutionId> ids) {
        var found = new HashMap<ExecutionId, Partition>();
        for (var part : Chunks.of(ids, PORTION, id -> 0)) {
            var told =
                    valkey.read(
                                    "read",
                                    at,
                                    out ->
                                            out.list(1)
                                                    .list(2)
                                                    .text("execution")
                                                    .list(part, (o, id) -> o.uuid(id.uuid())))
                            .answer()
                            .at(0);
            for (int n = 0; n < part.size(); n++) {
                if (!told.at(n).isAbsent()) {
                    found.put(part.get(n), at);
                }
            }
        }
        return found;
    }

    /** Where executions are that a partition has, or has signposts of. */
    Map<ExecutionId, Partition> knownAt(Partition at, List<ExecutionId> ids) {
        var known = signposts.readAt(at, ids, valkey);
        known.putAll(present(at, ids));
        return known;
    }

    /**
     * Puts up signposts to executions that are about to be stored, and are looked for elsewhere.
     *
     * @param at the address of their ids
     * @return those that are elsewhere, or may be, with where
     */
    Map<ExecutionId, Partition> putUpSignposts(
            Partition at, Collection<ExecutionId> ids, Partition home) {
        var others = signposts.putUpAt(at, List.copyOf(ids), home, Optional.empty(), valkey);
        ids.stream()
                .filter(id -> !others.containsKey(id))
                .forEach(id -> strays.put(id.uuid(), home));
        return others;
    }

    /** Where signposts of executions may stand that lie in a partition. */
    Map<Partition, List<ExecutionId>> signpostsOf(Collection<ExecutionId> ids, Partition home) {
        var places = byCandidate(ids);
        places.remove(home);
        return places;
    }

    /** The signposts in a partition that lead to another one, with until when they stand. */
    Map<ExecutionId, Long> standing(Partition at, List<ExecutionId> ids, Partition home) {
        return signposts.standing(at, ids, home);
    }

    /**
     * Takes down the signposts of executions that are not there any more.
     *
     * @param stood until when they stand; what was put up again since stands for longer
     */
    void forget(Partition at, Map<ExecutionId, Long> stood, Partition home) {
        if (!stood.isEmpty()) {
            signposts.takeDownAt(at, stood, home);
        }
        stood.keySet().forEach(id -> strays.remove(id.uuid()));
    }

    /**
     * Takes down the signpost of an id that leads to nothing, so that work can take it. What is on
     * its way by the signpost, as it stands before the other partition is told, is not taken there.
     *
     * @return whether nothing was there, and nothing comes by that signpost
     */
    boolean clear(ExecutionId id, Partition at, Partition nothing) {
        var stood = standing(at, List.of(id), nothing);
        boolean here =
                valkey.call("shut_out", nothing, out -> out.list(1).uuid(id.uuid()))
                        .answer()
                        .at(0)
                        .truth();
        if (!here) {
            forget(at, stood, nothing);
            strays.remove(id.uuid());
        }
        return !here;
    }
}
