package io.flowfabric.valkey.internal;

import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Namespace;
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
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Where sessions lie: with everything of their namespace. They are looked for by their ids alone,
 * so each has a signpost.
 */
final class SessionHomes {
    private static final int MOST = 1 << 16;

    /** So long a call waits for signposts to be put up again, which it can do without. */
    private static final Duration BRIEF = Duration.ofSeconds(1);

    /** So long that is not tried again when it failed. */
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final ValkeyContext valkey;
    private final Signposts<SessionId> signposts;
    private final Map<UUID, Remembered> sessions = LatelyUsed.ofMost(MOST);
    private final Map<UUID, Namespace> namespaces = LatelyUsed.ofMost(MOST);
    private final AtomicInteger doubts = new AtomicInteger();
    private volatile long pausedUntil = System.nanoTime();

    SessionHomes(ValkeyContext valkey) {
        this.valkey = valkey;
        signposts = new Signposts<>(valkey, 's', SessionHomes::signpost, SessionId::uuid);
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
        signposts
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
            var others = signposts.putUp(ids, home, Optional.empty(), valkey.urgent(BRIEF));
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
     * Puts up the signpost to a session that is about to be opened.
     *
     * @param instead where its signpost may lead to so far, because it is known not to be there
     * @return where it is instead, or may be
     */
    Optional<Partition> putUpSignpost(
            SessionId session, Partition home, Optional<Partition> instead) {
        int doubted = doubts.get();
        var others = signposts.putUp(List.of(session), home, instead, valkey);
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
}
