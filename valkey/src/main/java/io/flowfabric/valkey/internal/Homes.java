package io.flowfabric.valkey.internal;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.store.Chunks;

import java.time.Duration;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

/**
 * Where sessions and executions lie: with everything of their namespace. Sessions are looked for by
 * their ids alone, and an execution may have an id of another partition; both have signposts in
 * that case.
 */
public final class Homes {
    private static final int MOST = 1 << 16;

    /** So many executions are looked for in one call. */
    private static final int PORTION = 1000;

    /** So long a call waits for signposts to be put up again, which it can do without. */
    private static final Duration BRIEF = Duration.ofSeconds(1);

    /** So long that is not tried again when it failed. */
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final ValkeyContext valkey;
    private final Signposts<SessionId> sessionSignposts;
    private final Signposts<ExecutionId> executionSignposts;
    private final Map<UUID, Remembered> sessions = LatelyUsed.ofMost(MOST);
    private final Map<UUID, Namespace> namespaces = LatelyUsed.ofMost(MOST);
    private final Map<UUID, Partition> strays = LatelyUsed.ofMost(MOST);
    private final AtomicInteger doubts = new AtomicInteger();
    private volatile long pausedUntil = System.nanoTime();

    Homes(ValkeyContext valkey) {
        this.valkey = valkey;
        sessionSignposts = new Signposts<>(valkey, 's', Homes::signpost, SessionId::uuid);
        executionSignposts =
                new Signposts<>(valkey, 'x', ExecutionId::partition, ExecutionId::uuid);
    }

    /**
     * Where a session was found.
     *
     * @param doubts how often it had been doubted by then what is remembered
     */
    private record Remembered(Partition home, int doubts) {}

    private static Partition signpost(SessionId session) {
        int number = Partition.crc16(Signposts.bytes(session.uuid())) % Partition.COUNT;
        return new Partition(number);
    }

    // Sessions.

    /** Servers may have lost the last that they were told: signposts are put up again. */
    void doubt() {
        doubts.incrementAndGet();
    }

    /** Where sessions lie, or did; those that were never opened are not among them. */
    Map<SessionId, Partition> of(Collection<SessionId> ids, FunctionCalls calls) {
        int doubted = doubts.get();
        var found = new HashMap<SessionId, Partition>();
        var unknown = new ArrayList<SessionId>();
        var doubtful = new LinkedHashMap<Partition, List<SessionId>>();
        for (var id : ids) {
            var known = sessions.get(id.uuid());
            if (known == null) {
                unknown.add(id);
            } else {
                found.put(id, known.home);
                if (known.doubts != doubted) {
                    doubtful.computeIfAbsent(known.home, first -> new ArrayList<>()).add(id);
                }
            }
        }
        doubtful.forEach((home, some) -> found.putAll(signAgain(some, home, doubted)));
        sessionSignposts
                .read(unknown, calls)
                .forEach(
                        (id, home) -> {
                            sessions.put(id.uuid(), new Remembered(home, doubted));
                            found.put(id, home);
                        });
        return found;
    }

    /**
     * Puts the signposts of sessions up again, which may have been lost. Their sessions are where
     * they are also while that cannot be done.
     *
     * @return where those are that are elsewhere
     */
    private Map<SessionId, Partition> signAgain(List<SessionId> ids, Partition home, int doubted) {
        long now = System.nanoTime();
        if (now - pausedUntil < 0) {
            return Map.of();
        }
        try {
            var others = sessionSignposts.putUp(ids, home, Optional.empty(), valkey.urgent(BRIEF));
            for (var id : ids) {
                var at = others.getOrDefault(id, home);
                sessions.put(id.uuid(), new Remembered(at, doubted));
            }
            return others;
        } catch (FlowFabricException away) {
            pausedUntil = now + PAUSE.toNanos();
            return Map.of();
        }
    }

    /**
     * Lets a session be found that is about to be opened.
     *
     * @param instead where its signpost may lead to so far, because it is known not to be there
     * @return where it is instead, or may be
     */
    Optional<Partition> lead(SessionId session, Partition home, Optional<Partition> instead) {
        int doubted = doubts.get();
        var others = sessionSignposts.putUp(List.of(session), home, instead, valkey);
        var other = Optional.ofNullable(others.get(session));
        if (other.isEmpty()) {
            sessions.put(session.uuid(), new Remembered(home, doubted));
        }
        return other;
    }

    /** A session is of this namespace. */
    void belongs(SessionId session, Namespace namespace) {
        namespaces.put(session.uuid(), namespace);
    }

    /**
     * The partitions that a session is known in: those of its namespace, its home first.
     *
     * @param home where its signpost leads to
     */
    List<Partition> partsOf(SessionId session, Partition home, FunctionCalls calls) {
        var namespace = namespaces.get(session.uuid());
        if (namespace == null) {
            var found = Records.sessions(calls, home, List.of(session));
            if (found.isEmpty()) {
                return List.of(home);
            }
            namespace = found.getFirst().session().namespace();
            namespaces.put(session.uuid(), namespace);
        }
        return valkey.spread(namespace).all();
    }

    // Executions.

    /** Where an execution lies, as far as this process knows; a signpost may say otherwise. */
    Partition of(ExecutionId id) {
        return Optional.ofNullable(strays.get(id.uuid())).orElseGet(() -> leads(id).getFirst());
    }

    /**
     * Where an id may lead to: into each of the namespaces that share its partition and are spread
     * over several, and to the partition itself.
     */
    private List<Partition> leads(ExecutionId id) {
        var spreads = valkey.spreads().at(id.partition());
        if (spreads.isEmpty()) {
            return List.of(id.partition());
        }
        var leads = new LinkedHashSet<Partition>();
        spreads.forEach(spread -> leads.add(spread.of(id.uuid())));
        leads.add(id.partition());
        return List.copyOf(leads);
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
                    var led = parts.follow(() -> elsewhere(lost, home));
                    for (int place : unknown) {
                        Optional.ofNullable(led.get(ids.get(place)))
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
            if (home == null || home.equals(leads(id).getFirst())) {
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
            if (leads(id).size() == 1) {
                found.put(id, id.partition());
            } else {
                several.add(id);
            }
        }
        byLead(ids)
                .forEach((at, some) -> found.putAll(executionSignposts.readAt(at, some, valkey)));
        byLead(several).forEach((at, some) -> found.putAll(present(at, some)));
        return found;
    }

    private Map<Partition, List<ExecutionId>> byLead(Collection<ExecutionId> ids) {
        var groups = new LinkedHashMap<Partition, List<ExecutionId>>();
        for (var id : ids) {
            leads(id).forEach(at -> groups.computeIfAbsent(at, first -> new ArrayList<>()).add(id));
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
        var known = executionSignposts.readAt(at, ids, valkey);
        known.putAll(present(at, ids));
        return known;
    }

    /**
     * Lets executions be found that are about to be stored, and whose ids lead elsewhere.
     *
     * @param at where their ids lead to
     * @param instead where their signposts may lead to so far, because nothing is there
     * @return those that are elsewhere, or may be, with where
     */
    Map<ExecutionId, Partition> lead(
            Partition at,
            Collection<ExecutionId> ids,
            Partition home,
            Optional<Partition> instead) {
        var others = executionSignposts.putUpAt(at, List.copyOf(ids), home, instead, valkey);
        ids.stream()
                .filter(id -> !others.containsKey(id))
                .forEach(id -> strays.put(id.uuid(), home));
        return others;
    }

    /** Where signposts of executions may stand that lie in a partition. */
    Map<Partition, List<ExecutionId>> signpostsOf(Collection<ExecutionId> ids, Partition home) {
        var places = byLead(ids);
        places.remove(home);
        return places;
    }

    /** Takes down the signposts of executions that are not there any more. */
    void forget(Partition at, List<ExecutionId> ids, Partition home) {
        executionSignposts.takeDownAt(at, ids, home);
        ids.forEach(id -> strays.remove(id.uuid()));
    }

    /** Takes down the signpost of an id that leads to nothing, so that work can take it. */
    void clear(ExecutionId id, Partition at, Partition nothing) {
        executionSignposts.takeDownAt(at, List.of(id), nothing);
        strays.remove(id.uuid());
    }
}
