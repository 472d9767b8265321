package io.flowfabric.postgres.internal.session;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.Conflicts;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.HeartbeatResult;
import io.flowfabric.core.lease.OpenedSession;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.Sessions;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.postgres.internal.ExecutionBatches;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;
import io.flowfabric.postgres.internal.maintenance.PostgresMaintenance;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/** How workers are known to be alive. Expiry lives in the session row alone. */
public final class PostgresSessions implements Sessions {
    private final PostgresContext postgres;
    private final PostgresMaintenance chores;

    public PostgresSessions(PostgresContext postgres, PostgresMaintenance chores) {
        this.postgres = postgres;
        this.chores = chores;
    }

    /** A session as it is stored. */
    public record Known(Session session, boolean alive, long acknowledged) {}

    @Override
    public OpenedSession open(Session session) {
        postgres.db().reserveForHeartbeats(Heartbeat.of(session.id()).patience());
        return postgres.db()
                .transaction(tx -> register(tx, session))
                .map(aliveUntil -> new OpenedSession(aliveUntil, true))
                .orElseGet(() -> openAgain(session));
    }

    /** Until when it lives, unless there is a session of this id. */
    private Optional<Instant> register(Jdbc tx, Session session) {
        tx.query("hold_instance")
                .set("namespace", session.namespace().name())
                .set("instance", session.instance())
                .run();
        var opened =
                tx.query("open_session")
                        .set("now", postgres.now())
                        .set("id", session.id().uuid())
                        .set("namespace", session.namespace().name())
                        .set("worker", session.worker())
                        .set("instance", session.instance())
                        .set("lanes", session.lanes().toArray(String[]::new))
                        .set("kinds", session.kinds().toArray(String[]::new))
                        .set("offers", session.offers().words().toArray(String[]::new))
                        .set("ttl", session.ttl().toMillis())
                        .optional(row -> RowCodec.moment(row, "alive_until"));
        if (opened.isPresent()) {
            refuseAnotherName(tx, session);
        }
        return opened;
    }

    /** One process has one name: an instance under two names of workers is a mistake. */
    private void refuseAnotherName(Jdbc tx, Session session) {
        tx.query("same_instance")
                .set("now", postgres.now())
                .set("id", session.id().uuid())
                .set("namespace", session.namespace().name())
                .set("worker", session.worker())
                .set("instance", session.instance())
                .optional(
                        row ->
                                Conflicts.instanceTaken(
                                        session, new SessionId(row.uuid("id")), row.text("worker")))
                .ifPresent(
                        conflict -> {
                            throw conflict;
                        });
    }

    private OpenedSession openAgain(Session session) {
        var known = find(postgres, session.id());
        if (known.isPresent() && known.get().alive && !known.get().session.equals(session)) {
            throw Conflicts.sessionTaken(session.id());
        }
        var beat = heartbeat(List.of(Heartbeat.of(session.id()))).getFirst().orThrow();
        return new OpenedSession(beat.aliveUntil(), false);
    }

    /** The sessions that live and serve one of these lanes. */
    public static List<Session> alive(PostgresContext postgres, Collection<Lane> lanes) {
        return postgres.db()
                .query("alive_in")
                .set("now", postgres.now())
                .texts(
                        "namespaces",
                        lanes.stream().map(Lane::namespace).distinct().toList(),
                        Namespace::name)
                .texts("lanes", lanes, Lane::name)
                .list(PostgresSessions::session);
    }

    public static Optional<Known> find(PostgresContext postgres, SessionId id) {
        return postgres.db()
                .query("session")
                .set("now", postgres.now())
                .set("id", id.uuid())
                .optional(
                        row ->
                                new Known(
                                        session(row),
                                        row.bool("alive"),
                                        row.longValue("acknowledged")));
    }

    public static Session session(Row row) {
        return new Session(
                new SessionId(row.uuid("id")),
                new Namespace(row.text("namespace")),
                row.text("worker"),
                row.text("instance"),
                new TreeSet<>(Set.of(row.texts("lanes"))),
                new TreeSet<>(Set.of(row.texts("kinds"))),
                Capabilities.of(row.texts("offers")),
                Duration.ofMillis(row.longValue("ttl")));
    }

    @Override
    public List<Answer<HeartbeatResult>> heartbeat(List<Heartbeat> heartbeats) {
        return ExecutionBatches.answer(
                "heartbeats", heartbeats, beat -> beat.session().uuid(), this::renew);
    }

    private Map<UUID, Answer<HeartbeatResult>> renew(List<Heartbeat> heartbeats) {
        record Held(SessionId session, Fence fence) {}
        var beats =
                heartbeats.stream()
                        .sorted(Comparator.comparing(b -> b.session().uuid(), RowCodec.ID_ORDER))
                        .toList();
        var held =
                beats.stream()
                        .flatMap(beat -> beat.held().stream().map(f -> new Held(beat.session(), f)))
                        .toList();
        var answers = new HashMap<UUID, Answer<HeartbeatResult>>();
        var patience =
                beats.stream()
                        .map(Heartbeat::patience)
                        .min(Comparator.naturalOrder())
                        .orElse(Heartbeat.DEFAULT_PATIENCE);
        postgres.db()
                .heartbeatQuery("renew", patience)
                .set("now", postgres.now())
                .uuids("ids", beats, beat -> beat.session().uuid())
                .longs("acknowledgeds", beats, Heartbeat::acknowledged)
                .uuids("held_sessions", held, h -> h.session.uuid())
                .uuids("held_ids", held, h -> h.fence.execution().uuid())
                .ints("held_parts", held, h -> h.fence.execution().partition().number())
                .ints("held_attempts", held, h -> h.fence.attempt())
                .longs("held_epochs", held, h -> h.fence.epoch())
                .each(
                        row -> {
                            var lost = new HashSet<Fence>();
                            for (int place : row.ints("lost")) {
                                lost.add(held.get(place - 1).fence);
                            }
                            answers.put(
                                    row.uuid("id"),
                                    Answer.done(
                                            new HeartbeatResult(
                                                    RowCodec.moment(row, "alive_until"),
                                                    lost,
                                                    row.intValue("leases"))));
                        });
        for (Heartbeat beat : beats) {
            answers.computeIfAbsent(
                    beat.session().uuid(),
                    gone -> Answer.refused(new NotFound("session", beat.session().toString())));
        }
        return answers;
    }

    @Override
    public void close(SessionId session) {
        chores.end(session.uuid());
    }
}
