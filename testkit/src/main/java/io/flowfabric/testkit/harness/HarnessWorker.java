package io.flowfabric.testkit.harness;

import io.flowfabric.core.Fence;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Grant;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;

/**
 * A worker as it sees itself. Its process may die and start again; what its earlier lives held
 * stays in a drawer, because a process that was paused may wake up and still believe in it.
 */
final class HarnessWorker {
    /** The session of a worker that never opened one. */
    static final SessionId NOBODY = new SessionId(new UUID(0, 0));

    private static final int CALLS_REMEMBERED = 4;

    private final String name;
    private final List<Lease> everHad = new ArrayList<>();
    private final List<Grant> granted = new ArrayList<>();
    private final List<Lease> held = new ArrayList<>();
    private final Deque<Runnable> calls = new ArrayDeque<>();
    private final TreeSet<Long> arrived = new TreeSet<>();
    private Optional<Session> session = Optional.empty();
    private boolean toldDead;
    private long lastClaim;

    HarnessWorker(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    Optional<Session> session() {
        return session;
    }

    SessionId sessionId() {
        return session.map(Session::id).orElse(NOBODY);
    }

    /** Whether it has no session, or was told that the one it had has died. */
    boolean knowsOfNoSession() {
        return session.isEmpty() || toldDead;
    }

    /** It learns that its session has died. */
    void toldDead() {
        toldDead = true;
    }

    /** A new process, which knows nothing of the one before. */
    void start(Session opened) {
        crash();
        session = Optional.of(opened);
    }

    void crash() {
        session = Optional.empty();
        toldDead = false;
        held.clear();
        calls.clear();
        arrived.clear();
        lastClaim = 0;
    }

    // Claims.

    long nextClaim() {
        return ++lastClaim;
    }

    /** A number that was used before; the first one where there are not that many. */
    long earlierClaim(int back) {
        return Math.max(1, lastClaim - back);
    }

    long lastClaim() {
        return lastClaim;
    }

    void learn(long claim, Collection<Lease> leases) {
        arrived.add(claim);
        leases.forEach(this::learn);
    }

    void learn(Lease lease) {
        if (!everHad.contains(lease)) {
            everHad.add(lease);
        }
        if (!held.contains(lease)) {
            held.add(lease);
        }
    }

    void learn(Grant grant) {
        granted.add(grant);
    }

    /** A grant, counted from the newest, modulo how many there are. */
    Optional<Grant> grant(int back) {
        return granted.isEmpty()
                ? Optional.empty()
                : Optional.of(granted.get(granted.size() - 1 - back % granted.size()));
    }

    /** The highest claim number up to which every answer has arrived. */
    long arrivedUpTo() {
        long number = 0;
        while (arrived.contains(number + 1)) {
            number++;
        }
        return number;
    }

    // Leases.

    void drop(Fence fence) {
        held.removeIf(lease -> lease.fence().equals(fence));
    }

    List<Lease> held() {
        return List.copyOf(held);
    }

    List<Lease> everHad() {
        return List.copyOf(everHad);
    }

    /** A lease, counted from the newest, modulo how many there are. */
    Optional<Lease> lease(int back, boolean ever) {
        var pool = ever || held.isEmpty() ? everHad : held;
        return pool.isEmpty()
                ? Optional.empty()
                : Optional.of(pool.get(pool.size() - 1 - back % pool.size()));
    }

    // Calls.

    /** Remembers how to send a call again. */
    void sent(Runnable call) {
        calls.addFirst(call);
        if (calls.size() > CALLS_REMEMBERED) {
            calls.removeLast();
        }
    }

    Optional<Runnable> earlierCall(int back) {
        return calls.stream().skip(calls.isEmpty() ? 0 : back % calls.size()).findFirst();
    }
}
