package io.flowfabric.valkey.internal;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
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

    /** So long a call waits for signposts to be put up again, which it can do without. */
    private static final Duration BRIEF = Duration.ofSeconds(1);

    /** So long that is not tried again when it failed. */
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final ValkeyContext valkey;
    private final Signposts<SessionId> sessionSignposts;
    private final Signposts<ExecutionId> executionSignposts;
    private final Map<UUID, Remembered> sessions = LatelyUsed.ofMost(MOST);
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

    // Executions.

    /** Where an execution lies, unless a signpost says otherwise that was not read yet. */
    Partition of(ExecutionId id) {
        return Optional.ofNullable(strays.get(id.uuid())).orElse(id.partition());
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
     * in the partition that their ids name, when it was only remembered that they were elsewhere.
     */
    Map<ExecutionId, Partition> elsewhere(Collection<ExecutionId> ids, Partition tried) {
        var asked = Set.copyOf(ids);
        var led = executionSignposts.read(asked, valkey);
        var found = new HashMap<ExecutionId, Partition>();
        for (var id : asked) {
            var home = led.get(id);
            if (home == null) {
                strays.remove(id.uuid());
            } else {
                strays.put(id.uuid(), home);
            }
            var next = of(id);
            if (!next.equals(tried)) {
                found.put(id, next);
            }
        }
        return found;
    }

    /**
     * Lets executions be found that are about to be stored, and whose ids name another partition.
     *
     * @param instead where their signposts may lead to so far, because nothing is there
     * @return those that are elsewhere, or may be, with where
     */
    Map<ExecutionId, Partition> lead(
            Collection<ExecutionId> ids, Partition home, Optional<Partition> instead) {
        var others = executionSignposts.putUp(ids, home, instead, valkey);
        ids.stream()
                .filter(id -> !others.containsKey(id))
                .forEach(id -> strays.put(id.uuid(), home));
        return others;
    }

    /** Takes down the signposts of executions that are not there any more. */
    void forget(Collection<ExecutionId> ids, Partition home) {
        executionSignposts.takeDown(
                ids.stream().filter(id -> !id.partition().equals(home)).toList(), home);
        ids.forEach(id -> strays.remove(id.uuid()));
    }

    /** Takes down the signpost of an id that leads to nothing, so that work can take it. */
    void clear(ExecutionId id, Partition nothing) {
        executionSignposts.takeDown(List.of(id), nothing);
        strays.remove(id.uuid());
    }
}
