package io.flowfabric.testkit.memory;

import io.flowfabric.core.NotFound;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Tags;
import io.flowfabric.core.decision.TimerDecisions;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.lease.Session;

import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The sessions of workers, alive and dead.
 *
 * <p>A session is dead as soon as its time has run out, and never lives again. It is buried once
 * its work has returned to the queue, and forgotten when its retention is over.
 */
final class SessionRegistry {
    private final MemoryState world;
    private final Map<SessionId, SessionRecord> unburied = new LinkedHashMap<>();
    private final Map<SessionId, SessionRecord> buried = new LinkedHashMap<>();
    private final Set<SessionId> forgotten = new HashSet<>();

    SessionRegistry(MemoryState world) {
        this.world = world;
    }

    // What is known.

    /**
     * @throws NotFound when there is no such session, or it is dead
     */
    SessionRecord alive(SessionId id) {
        return unburied(id)
                .filter(this::isAlive)
                .orElseThrow(() -> new NotFound("session", id.toString()));
    }

    /** Those that can work now. */
    Stream<Session> aliveSessions() {
        return unburied().filter(this::isAlive).map(living -> living.session);
    }

    boolean isAlive(SessionId id) {
        return unburied(id).filter(this::isAlive).isPresent();
    }

    boolean isAlive(SessionRecord session) {
        return session.isAlive(world.now());
    }

    boolean hasDied(SessionId id) {
        return forgotten.contains(id)
                || buried.containsKey(id)
                || (unburied.containsKey(id) && !isAlive(id));
    }

    /** A session that is alive, or may still hold work. */
    Optional<SessionRecord> unburied(SessionId id) {
        return Optional.ofNullable(unburied.get(id));
    }

    /** All that are alive, or may still hold work. */
    Stream<SessionRecord> unburied() {
        return unburied.values().stream();
    }

    /** Every session that is not forgotten, alive or dead. */
    Stream<SessionRecord> known() {
        return Stream.concat(unburied(), buried.values().stream());
    }

    // How it changes.

    SessionRecord open(Session session) {
        var living = new SessionRecord(session, world.now());
        unburied.put(session.id(), living);
        return living;
    }

    void renew(SessionRecord living) {
        living.aliveUntil = world.now().plus(living.session.ttl());
        world.log.append(
                new Event.Renewal(
                        living.owner(), living.session.namespace(), world.now(), living.aliveUntil),
                Tags.NONE);
    }

    /** Ends a session: its work returns to the queue, and it never lives again. */
    void end(SessionRecord session) {
        heldBy(Stream.of(session)).forEach(this::lapse);
        die(session);
        buryIfEmpty(session);
    }

    /** Returns the work of the dead to the queue, no more than so much, and says how much. */
    int buryDead(int limit) {
        var dead = unburied().filter(session -> !isAlive(session)).toList();
        dead.forEach(this::die);
        var held = heldBy(dead.stream());
        held.stream().limit(limit).forEach(this::lapse);
        if (held.size() > limit) {
            return limit;
        }
        dead.forEach(this::buryIfEmpty);
        return held.size();
    }

    /** Forgets those that died before the given moment. Their ids stay dead. */
    void forgetBefore(Instant oldest) {
        var old =
                buried.values().stream()
                        .filter(dead -> dead.died.orElseThrow().isBefore(oldest))
                        .map(dead -> dead.session.id())
                        .toList();
        old.forEach(buried::remove);
        forgotten.addAll(old);
    }

    private List<MemoryExecution> heldBy(Stream<SessionRecord> sessions) {
        return sessions.flatMap(it -> world.executions.heldBy(it.session.id()).stream())
                .sorted(MemoryExecution.BY_ID)
                .toList();
    }

    private void lapse(MemoryExecution row) {
        world.steps.apply(row, TimerDecisions.lapse(row.facts(), world.now()));
    }

    /** Takes note of a death; the first time counts. */
    private void die(SessionRecord session) {
        session.died = session.died.or(() -> Optional.of(world.now()));
    }

    /** Buries a dead session once it holds nothing any more, also nothing unreadable. */
    private void buryIfEmpty(SessionRecord dead) {
        var id = dead.session.id();
        if (!world.executions.isAnyHeldBy(id)) {
            unburied.remove(id);
            buried.put(id, dead);
        }
    }
}
