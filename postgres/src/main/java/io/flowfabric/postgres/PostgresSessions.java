package io.flowfabric.postgres;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.HeartbeatResult;
import io.flowfabric.core.lease.OpenedSession;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.Sessions;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** How workers are known to be alive. Expiry lives in the session row alone. */
final class PostgresSessions implements Sessions {
    private final PostgresContext postgres;
    private final PostgresMaintenance chores;

    PostgresSessions(PostgresContext postgres, PostgresMaintenance chores) {
        this.postgres = postgres;
        this.chores = chores;
    }

    /** A session as it is stored. */
    record Known(Session session, boolean alive, long acknowledged) {}

    @Override
    public OpenedSession open(Session session) {
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

    /** One process has one name: two that call themselves the same instance are a mistake. */
    private void refuseAnotherName(Jdbc tx, Session session) {
        tx.query("same_instance")
                .set("now", postgres.now())
                .set("id", session.id().uuid())
                .set("namespace", session.namespace().name())
                .set("worker", session.worker())
                .set("instance", session.instance())
                .optional(
                        row ->
                                new Conflict(
                                        Conflict.Code.INSTANCE_TAKEN,
                                        new SessionId(row.uuid("id")).toString(),
                                        "The instance %s lives as worker %s."
                                                .formatted(session.instance(), row.text("worker"))))
                .ifPresent(
                        conflict -> {
                            throw conflict;
                        });
    }

    private OpenedSession openAgain(Session session) {
        var known = find(postgres, session.id());
        if (known.isPresent() && known.get().alive && !known.get().session.equals(session)) {
            throw new Conflict(
                    Conflict.Code.SESSION_TAKEN,
                    session.id().toString(),
                    "This session was opened with other content.");
        }
        return new OpenedSession(renew(Heartbeat.of(session.id())).orThrow().aliveUntil(), false);
    }

    /** Who lives and serves one of these lanes. */
    static List<Session> alive(PostgresContext postgres, Collection<Lane> lanes) {
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

    static Optional<Known> find(PostgresContext postgres, SessionId id) {
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

    static Session session(Row row) {
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
        Limit.BATCH.checkCount("heartbeats", heartbeats.size());
        return heartbeats.stream().map(this::renew).toList();
    }

    private Answer<HeartbeatResult> renew(Heartbeat heartbeat) {
        var held = List.copyOf(heartbeat.held());
        var beat =
                postgres.db()
                        .query("renew")
                        .set("now", postgres.now())
                        .set("id", heartbeat.session().uuid())
                        .set("acknowledged", heartbeat.acknowledged())
                        .uuids("held_ids", held, fence -> fence.execution().uuid())
                        .ints("held_parts", held, fence -> fence.execution().partition().number())
                        .ints("held_attempts", held, Fence::attempt)
                        .longs("held_epochs", held, Fence::epoch)
                        .optional(row -> beat(row, held));
        return beat.map(Answer::done)
                .orElseGet(
                        () ->
                                Answer.refused(
                                        new NotFound("session", heartbeat.session().toString())));
    }

    private static HeartbeatResult beat(Row row, List<Fence> held) {
        var lost = new HashSet<Fence>();
        for (int place : row.ints("lost")) {
            lost.add(held.get(place - 1));
        }
        return new HeartbeatResult(RowCodec.moment(row, "alive_until"), lost);
    }

    @Override
    public void close(SessionId session) {
        chores.end(session.uuid());
    }
}
