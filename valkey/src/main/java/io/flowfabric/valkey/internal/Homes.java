package io.flowfabric.valkey.internal;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;

/**
 * Where sessions and executions lie: with everything of their namespace. Sessions are looked for by
 * their ids alone, and an execution may have an id of another partition; both have signposts in
 * that case.
 */
public final class Homes {
    private final Signposts<SessionId> sessionSignposts;
    private final Signposts<ExecutionId> executionSignposts;
    private final Map<UUID, Partition> sessions = Collections.synchronizedMap(new Recent());
    private final Map<UUID, Partition> strays = Collections.synchronizedMap(new Recent());

    Homes(ValkeyContext valkey) {
        sessionSignposts = new Signposts<>(valkey, 's', Homes::signpost, SessionId::uuid);
        executionSignposts =
                new Signposts<>(valkey, 'x', ExecutionId::partition, ExecutionId::uuid);
    }

    /** What was asked for lately. Anything else is asked for again. */
    private static final class Recent extends LinkedHashMap<UUID, Partition> {
        private static final long serialVersionUID = 1;
        private static final int MOST = 1 << 16;

        Recent() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Partition> eldest) {
            return size() > MOST;
        }
    }

    private static Partition signpost(SessionId session) {
        int number = Partition.crc16(Signposts.bytes(session.uuid())) % Partition.COUNT;
        return new Partition(number);
    }

    // Sessions.

    /** Where sessions lie, or did; those that were never opened are not among them. */
    Map<SessionId, Partition> of(Collection<SessionId> ids) {
        var found = new HashMap<SessionId, Partition>();
        var unknown = new ArrayList<SessionId>();
        for (var id : ids) {
            Optional.ofNullable(sessions.get(id.uuid()))
                    .ifPresentOrElse(home -> found.put(id, home), () -> unknown.add(id));
        }
        sessionSignposts
                .read(unknown)
                .forEach(
                        (id, home) -> {
                            sessions.put(id.uuid(), home);
                            found.put(id, home);
                        });
        return found;
    }

    /**
     * Lets a session be found that is about to be opened.
     *
     * @param instead where its signpost may lead to so far, because it is known not to be there
     * @return where it is instead, or may be
     */
    Optional<Partition> lead(SessionId session, Partition home, Optional<Partition> instead) {
        if (home.equals(sessions.get(session.uuid()))) {
            return Optional.empty();
        }
        var other =
                Optional.ofNullable(
                        sessionSignposts.putUp(List.of(session), home, instead).get(session));
        if (other.isEmpty()) {
            sessions.put(session.uuid(), home);
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
     * @param call asks for those in these places of the list, and answers with the places of those
     *     that are not known
     */
    void visit(List<ExecutionId> ids, BiFunction<Partition, List<Integer>, List<Integer>> call) {
        var homes = new LinkedHashMap<Partition, List<Integer>>();
        for (int i = 0; i < ids.size(); i++) {
            homes.computeIfAbsent(of(ids.get(i)), first -> new ArrayList<>()).add(i);
        }
        var unknown = new ArrayList<Integer>();
        homes.forEach((home, places) -> unknown.addAll(call.apply(home, places)));
        var led = strays(unknown.stream().map(ids::get).distinct().toList());
        var again = new LinkedHashMap<Partition, List<Integer>>();
        for (int place : unknown) {
            Optional.ofNullable(led.get(ids.get(place)))
                    .ifPresent(
                            home ->
                                    again.computeIfAbsent(home, first -> new ArrayList<>())
                                            .add(place));
        }
        again.forEach(
                (home, places) -> {
                    var unused = call.apply(home, places);
                });
    }

    /** Where those of some executions lie that have signposts. */
    Map<ExecutionId, Partition> strays(Collection<ExecutionId> ids) {
        var found = executionSignposts.read(ids);
        found.forEach((id, home) -> strays.put(id.uuid(), home));
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
        var unknown = ids.stream().filter(id -> !home.equals(strays.get(id.uuid()))).toList();
        var others = executionSignposts.putUp(unknown, home, instead);
        unknown.stream()
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
