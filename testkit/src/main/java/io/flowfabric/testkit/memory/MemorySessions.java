package io.flowfabric.testkit.memory;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Fence;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.Conflicts;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.HeartbeatResult;
import io.flowfabric.core.lease.OpenedSession;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.Sessions;
import io.flowfabric.core.state.ExecutionState.Running;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** How workers are known to be alive. */
final class MemorySessions implements Sessions {
    private final MemoryState world;

    MemorySessions(MemoryState world) {
        this.world = world;
    }

    @Override
    public OpenedSession open(Session session) {
        return world.call(() -> opened(session));
    }

    private OpenedSession opened(Session session) {
        if (world.sessions.hasDied(session.id())) {
            throw new NotFound("session", session.id().toString());
        }
        var known = world.sessions.unburied(session.id());
        if (known.isEmpty()) {
            refuseAnotherName(session);
            return new OpenedSession(world.sessions.open(session).aliveUntil, true);
        }
        var living = known.get();
        if (!living.session.equals(session)) {
            throw Conflicts.sessionTaken(session.id());
        }
        world.sessions.renew(living);
        return new OpenedSession(living.aliveUntil, false);
    }

    /** One process has one name: two that call themselves the same instance are a mistake. */
    private void refuseAnotherName(Session session) {
        world.sessions
                .aliveSessions()
                .filter(other -> other.namespace().equals(session.namespace()))
                .filter(other -> other.instance().equals(session.instance()))
                .filter(other -> !other.worker().equals(session.worker()))
                .min(Comparator.comparing(Session::id))
                .ifPresent(
                        other -> {
                            throw Conflicts.instanceTaken(session, other.id(), other.worker());
                        });
    }

    @Override
    public List<Answer<HeartbeatResult>> heartbeat(List<Heartbeat> heartbeats) {
        return ItemAnswers.each(world, "heartbeats", heartbeats, this::heartbeat);
    }

    private HeartbeatResult heartbeat(Heartbeat heartbeat) {
        var living = world.sessions.alive(heartbeat.session());
        world.sessions.renew(living);
        living.acknowledge(heartbeat.acknowledged());
        return new HeartbeatResult(
                living.aliveUntil,
                heartbeat.held().stream()
                        .filter(fence -> !stillHeld(heartbeat.session(), fence))
                        .collect(Collectors.toSet()),
                leasesAskedForBy(heartbeat.session()));
    }

    /** How many leases a session holds that it has asked for. */
    private int leasesAskedForBy(SessionId session) {
        return (int)
                world.executions.heldBy(session).stream()
                        .filter(row -> row.state instanceof Running && !row.leasedByHand)
                        .count();
    }

    private boolean stillHeld(SessionId session, Fence fence) {
        return world.executions
                .byUuid(fence.execution().uuid())
                .flatMap(row -> row.lease)
                .filter(lease -> lease.fence().equals(fence) && lease.session().equals(session))
                .isPresent();
    }

    @Override
    public void close(SessionId session) {
        world.call(
                () -> {
                    world.sessions.unburied(session).ifPresent(world.sessions::end);
                    return session;
                });
    }
}
