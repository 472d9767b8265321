package io.flowfabric.worker;

import io.flowfabric.core.Fence;
import io.flowfabric.core.flow.Flows;
import io.flowfabric.core.flow.Upstream;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Leases;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.query.Queries;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.EngineMetrics;
import io.flowfabric.engine.EngineSession;
import io.flowfabric.engine.Time;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What a worker does under one session, from its opening to its end. */
final class WorkerSession implements EngineSession.Holder {
    private final Map<String, Handler.WithResult> handlers;
    private final Slots slots;
    private final Committers<Assignment> endings;
    private final HandlerReports reports;
    private final Leases leases;
    private final Queries queries;
    private final EngineMetrics metrics;
    private final Flows flows;
    private final Time time;
    private final EngineSession session;
    private final Map<Fence, Assignment> held = new ConcurrentHashMap<>();
    private final long made;
    private volatile boolean over;

    /** When to look at the leases again because of time, as was planned last. */
    private volatile long planned;

    WorkerSession(
            Engine engine,
            Session session,
            Map<String, Handler.WithResult> handlers,
            Slots slots,
            Committers<Assignment> endings,
            HandlerReports reports) {
        this.handlers = handlers;
        this.slots = slots;
        this.endings = endings;
        this.reports = reports;
        this.leases = engine.leases();
        this.queries = engine.queries();
        this.metrics = engine.metrics();
        this.flows = engine.flows();
        this.time = engine.time();
        this.made = time.nanos();
        this.planned = made + Time.FAR;
        this.session = engine.session(session, this);
    }

    EngineSession session() {
        return session;
    }

    /** Whether the session has died. */
    boolean over() {
        return over;
    }

    /** How many nanoseconds ago it began. */
    long age() {
        return time.nanos() - made;
    }

    /** Whether its leases can be believed in. */
    boolean valid() {
        return !over && session.alive();
    }

    /** Takes on what was claimed. */
    void take(List<Lease> claimed) {
        long now = time.nanos();
        var assignments = claimed.stream().map(lease -> new Assignment(this, lease, now)).toList();
        assignments.forEach(assignment -> held.put(assignment.fence(), assignment));
        slots.take(assignments).forEach(Assignment::release);
        long next = slots.left(now);
        for (var assignment : assignments) {
            next = Math.min(next, assignment.left(now));
        }
        if (now + next - planned < 0) {
            session.attendSoon();
        }
        // The session may have died while they were on their way here.
        if (over) {
            died();
        }
    }

    /** Every assignment whose end has not been answered. */
    List<Assignment> assignments() {
        return List.copyOf(held.values());
    }

    /** How many handlers wait for time to pass, as those of tests do. */
    int asleep() {
        return (int) held.values().stream().filter(Assignment::asleep).count();
    }

    @Override
    public Set<Fence> held() {
        return held.keySet();
    }

    @Override
    public int lost(Set<Fence> fences) {
        int lost = 0;
        for (var fence : fences) {
            var assignment = held.get(fence);
            if (assignment != null && assignment.lose()) {
                lost++;
            }
        }
        return lost;
    }

    /**
     * Takes from handlers what has run out of time, as the store does by its own clock, and gives
     * back what waits in vain for a slot.
     */
    @Override
    public long attend() {
        long now = time.nanos();
        long next = Time.FAR;
        // What is taken on while this looks is not seen by it, and calls it again.
        planned = now + Time.FAR;
        for (var assignment : held.values()) {
            long left = assignment.left(now);
            if (left > 0) {
                next = Math.min(next, left);
            } else {
                assignment.runOut();
            }
        }
        slots.stranded(now).forEach(Assignment::release);
        next = Math.min(next, slots.left(now));
        planned = now + next;
        return next;
    }

    @Override
    public void died() {
        over = true;
        held.values().forEach(Assignment::lose);
        slots.purge();
    }

    // What assignments need.

    Handler.WithResult handler(String kind) {
        var handler = handlers.get(kind);
        if (handler == null) {
            throw TaskFailure.permanent("This worker has no handler for " + kind + ".");
        }
        return handler;
    }

    Leases leases() {
        return leases;
    }

    /** Ends the session, visibly; the worker goes on in another one. */
    void giveUp(String because) {
        session.giveUp(because);
    }

    void commit(Assignment assignment) {
        endings.add(assignment);
    }

    /** The steps of an execution that did not come with its lease. */
    List<Step> steps(Lease lease) {
        return queries.allSteps(lease);
    }

    /** The upstreams of a member that did not come with its lease. */
    List<Upstream> upstreams(Lease lease) {
        return lease.allUpstreams(flows);
    }

    /** Where handlers report while they run. */
    HandlerReports reports() {
        return reports;
    }

    void forget(Assignment assignment) {
        held.remove(assignment.fence(), assignment);
    }

    Time time() {
        return time;
    }

    EngineMetrics metrics() {
        return metrics;
    }

    void ran(long nanos) {
        slots.ran(nanos);
    }

    void slotFreed() {
        slots.slotFreed();
    }
}
