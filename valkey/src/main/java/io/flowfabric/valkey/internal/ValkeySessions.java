package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Contended;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.Conflicts;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.HeartbeatResult;
import io.flowfabric.core.lease.OpenedSession;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.Sessions;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.valkey.internal.record.SessionFields;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** How workers are known to be alive. */
public final class ValkeySessions implements Sessions {
    /** So many heartbeats are sent in one call. */
    private static final int CHUNK = 256;

    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

    private final ValkeyContext valkey;
    private final Deaths deaths;

    public ValkeySessions(ValkeyContext valkey, Deaths deaths) {
        this.valkey = valkey;
        this.deaths = deaths;
    }

    @Override
    public OpenedSession open(Session session) {
        var spread = valkey.inUse(session.namespace());
        putUpSignpost(session.id(), spread.main());
        valkey.sessionHomes().belongs(session.id(), session.namespace());
        var opened = open(session, spread.main(), Optional.empty());
        var latest = Optional.of(opened.aliveUntil());
        // Where it is only a part of it, nothing else could have its id.
        for (var other : spread.all().subList(1, spread.count())) {
            var part = open(session, other, latest);
            var end = part.aliveUntil().isBefore(opened.aliveUntil()) ? part : opened;
            opened = new OpenedSession(end.aliveUntil(), opened.registered());
        }
        return opened;
    }

    /**
     * @param latest until when it lives in the main partition, if this is another one
     */
    private OpenedSession open(Session session, Partition home, Optional<Instant> latest) {
        var told =
                valkey.call(
                                "open",
                                home,
                                out ->
                                        out.list(8)
                                                .uuid(session.id().uuid())
                                                .text(session.namespace().name())
                                                .texts(session.lanes())
                                                .duration(session.ttl())
                                                .text(session.worker())
                                                .text(session.instance())
                                                .bytes(SessionFields.describe(session))
                                                .optional(latest, Packer::moment))
                        .answer();
        return switch (told.at(0).text()) {
            case "opened" -> new OpenedSession(told.at(1).moment(), true);
            case "renewed" -> new OpenedSession(told.at(1).moment(), false);
            case "dead" -> throw unknown(session.id());
            case "taken" -> throw Conflicts.sessionTaken(session.id());
            case "instance" ->
                    throw Conflicts.instanceTaken(
                            session, new SessionId(told.at(1).uuid()), told.at(2).text());
            default -> throw Item.unreadable(told.at(0).text());
        };
    }

    /** Lets the session be found by its id, unless one of another namespace has it. */
    private void putUpSignpost(SessionId session, Partition home) {
        var homes = valkey.sessionHomes();
        homes.putUpSignpost(session, home, Optional.empty())
                .ifPresent(
                        other -> {
                            refuseIfUsed(session, other);
                            homes.putUpSignpost(session, home, Optional.of(other))
                                    .ifPresent(another -> refuse(session, another));
                        });
    }

    /** Another call has put up a signpost to another namespace at the same time. */
    private void refuse(SessionId session, Partition another) {
        refuseIfUsed(session, another);
        throw new Contended("the session " + session, RETRY_AFTER);
    }

    private void refuseIfUsed(SessionId session, Partition other) {
        var told = valkey.read("known_session", other, out -> out.list(1).uuid(session.uuid()));
        switch (told.answer().text()) {
            case "alive" -> throw Conflicts.sessionTaken(session);
            case "dead" -> throw unknown(session);
            default -> {
                // It was to be opened there, and never was.
            }
        }
    }

    @Override
    public List<Answer<HeartbeatResult>> heartbeat(List<Heartbeat> heartbeats) {
        Limit.BATCH.checkCount("heartbeats", heartbeats.size());
        var answers = new ArrayList<Answer<HeartbeatResult>>();
        if (heartbeats.isEmpty()) {
            return answers;
        }
        var patience =
                heartbeats.stream().map(Heartbeat::patience).min(Duration::compareTo).orElseThrow();
        var calls = valkey.urgent(patience);
        var sessions = heartbeats.stream().map(Heartbeat::session).toList();
        var known = valkey.sessionHomes().of(sessions, calls);
        var mains = new LinkedHashMap<Partition, List<Beat>>();
        for (int i = 0; i < heartbeats.size(); i++) {
            var session = heartbeats.get(i).session();
            answers.add(Answer.refused(unknown(session)));
            var beat = new Beat(i, heartbeats.get(i), Optional.empty());
            Optional.ofNullable(known.get(session)).ifPresent(home -> add(mains, home, beat));
        }
        var parts = new AppliedParts();
        var told = new HashMap<Integer, Answer<HeartbeatResult>>();
        send(mains, parts, calls, told);
        // They follow the main one, by which it is told until when a session lives.
        var others = new LinkedHashMap<Partition, List<Beat>>();
        mains.forEach(
                (home, beats) -> {
                    for (var beat : beats) {
                        if (told.get(beat.place)
                                instanceof Answer.Done<HeartbeatResult>(var main)) {
                            var latest = Optional.of(main.aliveUntil());
                            var session = beat.heartbeat.session();
                            var all = valkey.sessionHomes().partsOf(session, home, calls);
                            all.stream()
                                    .filter(part -> !part.equals(home))
                                    .forEach(part -> add(others, part, beat.until(latest)));
                        }
                    }
                });
        send(others, parts, calls, told);
        told.forEach(answers::set);
        return answers;
    }

    /**
     * A heartbeat for one partition.
     *
     * @param place among all of them
     * @param latest until when its session lives at most
     */
    private record Beat(int place, Heartbeat heartbeat, Optional<Instant> latest) {
        Beat until(Optional<Instant> end) {
            return new Beat(place, heartbeat, end);
        }
    }

    private static void add(Map<Partition, List<Beat>> homes, Partition home, Beat beat) {
        homes.computeIfAbsent(home, first -> new ArrayList<>()).add(beat);
    }

    private static void send(
            Map<Partition, List<Beat>> homes,
            AppliedParts parts,
            FunctionCalls calls,
            Map<Integer, Answer<HeartbeatResult>> told) {
        homes.forEach(
                (home, beats) -> {
                    for (var some : Chunks.of(beats, CHUNK, beat -> 0)) {
                        var results = parts.change(() -> heartbeat(home, some, calls));
                        for (int n = 0; n < some.size(); n++) {
                            told.merge(some.get(n).place, results.get(n), ValkeySessions::both);
                        }
                    }
                });
    }

    /**
     * What the heartbeat of a session came to that is known in two partitions: it is dead as soon
     * as it is so in one. What it has lies in one of them, and is lost if it is in neither.
     */
    private static Answer<HeartbeatResult> both(
            Answer<HeartbeatResult> one, Answer<HeartbeatResult> other) {
        if (one instanceof Answer.Done<HeartbeatResult>(var first)
                && other instanceof Answer.Done<HeartbeatResult>(var second)) {
            var lost = new HashSet<>(first.lost());
            lost.retainAll(second.lost());
            var end =
                    first.aliveUntil().isBefore(second.aliveUntil())
                            ? first.aliveUntil()
                            : second.aliveUntil();
            return Answer.done(new HeartbeatResult(end, lost, first.leases() + second.leases()));
        }
        return one instanceof Answer.Done<HeartbeatResult> ? other : one;
    }

    private static List<Answer<HeartbeatResult>> heartbeat(
            Partition home, List<Beat> some, FunctionCalls calls) {
        var held = some.stream().map(beat -> List.copyOf(beat.heartbeat.held())).toList();
        // Nothing is noted to be in use: a session was opened there.
        var told =
                calls.leave(
                                "heartbeat",
                                home,
                                out -> {
                                    out.list(some.size());
                                    for (int n = 0; n < some.size(); n++) {
                                        var beat = some.get(n);
                                        out.list(4)
                                                .uuid(beat.heartbeat.session().uuid())
                                                .number(beat.heartbeat.acknowledged())
                                                .optional(beat.latest, Packer::moment)
                                                .list(held.get(n), ValkeySessions::write);
                                    }
                                })
                        .answer();
        var answers = new ArrayList<Answer<HeartbeatResult>>();
        for (int n = 0; n < some.size(); n++) {
            var one = told.at(n);
            answers.add(
                    one.isAbsent()
                            ? Answer.refused(unknown(some.get(n).heartbeat.session()))
                            : Answer.done(result(one, held.get(n))));
        }
        return answers;
    }

    static void write(Packer out, Fence fence) {
        out.list(4)
                .uuid(fence.execution().uuid())
                .number(fence.execution().partition().number())
                .number(fence.attempt())
                .number(fence.epoch());
    }

    private static HeartbeatResult result(Item told, List<Fence> held) {
        return new HeartbeatResult(
                told.at(0).moment(),
                told.at(1).list().stream()
                        .map(place -> held.get(place.small() - 1))
                        .collect(Collectors.toSet()),
                told.at(2).small());
    }

    @Override
    public void close(SessionId session) {
        valkey.home(session)
                .ifPresent(
                        home ->
                                deaths.end(
                                        valkey.sessionHomes().partsOf(session, home, valkey),
                                        session,
                                        Optional.empty()));
    }

    static NotFound unknown(SessionId session) {
        return new NotFound("session", session.toString());
    }
}
