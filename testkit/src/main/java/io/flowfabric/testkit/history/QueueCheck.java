package io.flowfabric.testkit.history;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.Event.Step;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.history.Violation.Kind;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Asks whether timers fired in time, whether ready work started in time when the worker that took
 * it had had room for it, and whether work was overtaken by other work of its lane and kind that
 * comes behind it.
 *
 * <p>Starts and order are judged for plain work alone, that nothing but a worker is missing to: no
 * quota, no budget, no capability, and a lane that is as lanes are when nobody changes them.
 */
final class QueueCheck implements RunCheck {
    private final Notes notes;
    private final Duration slack;
    private final int places;
    private final Faults faults;
    private final Map<ExecutionId, Instant> due = new HashMap<>();
    private final Map<ExecutionId, Waiting> waiting = new HashMap<>();
    private final Map<Queue, NavigableMap<Integer, SequencedMap<ExecutionId, Waiting>>> queues =
            new HashMap<>();
    private final Map<SessionId, Room> rooms = new HashMap<>();
    private final Map<ExecutionId, SessionId> holders = new HashMap<>();
    private final Set<Lane> changed = new HashSet<>();

    /** Work that has one order, and that any worker takes who takes one of it. */
    private record Queue(Lane lane, String kind, Object part) {}

    /** Work that is ready. */
    private static final class Waiting {
        private final Queue queue;
        private final int priority;
        private final boolean fresh;
        private final Instant since;
        private Optional<Step> overtakenBy = Optional.empty();

        private Waiting(Queue queue, int priority, boolean fresh, Instant since) {
            this.queue = queue;
            this.priority = priority;
            this.fresh = fresh;
            this.since = since;
        }
    }

    /** How much a session holds, and since when it has room for more. */
    private static final class Room {
        private int held;
        private Instant since;

        private Room(Instant since) {
            this.since = since;
        }
    }

    QueueCheck(Notes notes, Expectations expected) {
        this.notes = notes;
        this.slack = expected.slack();
        this.places = expected.places();
        this.faults = expected.faults();
    }

    @Override
    public void next(Event event) {
        switch (event) {
            case Event.LaneChange change -> changed(change);
            case Event.Renewal renewal -> room(renewal.owner().session(), renewal.at());
            case Step step -> step(step);
            case Event other -> {}
        }
    }

    private void changed(Event.LaneChange change) {
        var plain = LaneSettings.DEFAULT.weight(change.settings().weight());
        if (!change.settings().equals(plain)) {
            changed.add(change.lane());
        }
    }

    private void step(Step step) {
        if (step.transition() == Transition.WAKE) {
            firesInTime(step);
        }
        if (step.now() != Situation.READY || step.transition() == Transition.REPRIORITISE) {
            leaves(step);
        }
        holds(step);
        if (step.now() == Situation.READY && step.transition() != Transition.REPRIORITISE) {
            enters(step);
        }
        if (!step.transition().staysPut()) {
            due.remove(step.execution());
            step.until().ifPresent(until -> due.put(step.execution(), until));
        }
        if (step.now().terminal()) {
            due.remove(step.execution());
        }
    }

    private void firesInTime(Step wake) {
        var until = due.get(wake.execution());
        if (until != null && late(until, wake.at()) && faults.none(until, wake.at())) {
            notes.complain(
                    Kind.LATE,
                    wake.execution(),
                    "It was to go on at %s, and was woken at %s, after %s."
                            .formatted(until, wake.at(), Duration.between(until, wake.at())));
        }
    }

    private boolean late(Instant since, Instant at) {
        return Duration.between(since, at).compareTo(slack) > 0;
    }

    private void enters(Step step) {
        var work = notes.work(step.execution()).filter(w -> w.plain() && isPlain(step.lane()));
        if (work.isEmpty()) {
            return;
        }
        var waits =
                new Waiting(
                        new Queue(step.lane(), work.get().kind(), notes.part(step.execution())),
                        work.get().policy().priority(),
                        step.attempts() == 0,
                        step.at());
        waiting.put(step.execution(), waits);
        queues.computeIfAbsent(waits.queue, q -> new TreeMap<>(Collections.reverseOrder()))
                .computeIfAbsent(waits.priority, p -> new LinkedHashMap<>())
                .put(step.execution(), waits);
    }

    private boolean isPlain(Lane lane) {
        return !changed.contains(lane);
    }

    private void leaves(Step step) {
        var waited = waiting.remove(step.execution());
        if (waited == null) {
            return;
        }
        var queue = queues.getOrDefault(waited.queue, new TreeMap<>());
        var peers = queue.getOrDefault(waited.priority, new LinkedHashMap<>());
        peers.remove(step.execution());
        if (peers.isEmpty()) {
            queue.remove(waited.priority);
        }
        if (step.transition().givesLease() && isPlain(step.lane())) {
            startsInTime(step, waited);
            startsInOrder(step, waited);
            overtakes(step, waited, queue);
        }
    }

    private void startsInTime(Step step, Waiting waited) {
        var owner = step.owner();
        var room = owner.map(Owner::session).map(rooms::get);
        if (owner.isEmpty() || room.isEmpty()) {
            return;
        }
        var since = latest(waited.since, room.get().since);
        if (late(since, step.at()) && faults.noneAt(owner.get().worker(), since, step.at())) {
            notes.complain(
                    Kind.LATE,
                    step.execution(),
                    ("It was ready since %s, %s had room for it since %s, and took it at %s,"
                                    + " after %s.")
                            .formatted(
                                    waited.since,
                                    owner.get().worker(),
                                    room.get().since,
                                    step.at(),
                                    Duration.between(since, step.at())));
        }
    }

    private void startsInOrder(Step step, Waiting waited) {
        waited.overtakenBy
                .filter(first -> late(first.at(), step.at()))
                .filter(first -> faults.none(first.at().minus(slack), step.at()))
                .ifPresent(
                        first ->
                                notes.complain(
                                        Kind.OUT_OF_ORDER,
                                        step.execution(),
                                        ("It was ready since %s with priority %d, %s, which comes"
                                                        + " behind it, was taken at %s, and it"
                                                        + " not before %s.")
                                                .formatted(
                                                        waited.since,
                                                        waited.priority,
                                                        first.execution(),
                                                        first.at(),
                                                        step.at())));
    }

    /** Notes the first work that was passed over; if it starts much later, that is reported. */
    private void overtakes(
            Step step,
            Waiting taken,
            NavigableMap<Integer, SequencedMap<ExecutionId, Waiting>> queue) {
        var higher = queue.headMap(taken.priority, false).values().stream();
        // What was begun goes first, so that only fresh work overtakes what is equal to it.
        var equal =
                taken.fresh
                        ? Stream.ofNullable(queue.get(taken.priority))
                        : Stream.<SequencedMap<ExecutionId, Waiting>>empty();
        Stream.concat(
                        higher.map(peers -> peers.firstEntry().getValue()),
                        equal.map(peers -> peers.firstEntry().getValue())
                                .filter(first -> late(first.since, taken.since)))
                .filter(first -> late(first.since, step.at()) && first.overtakenBy.isEmpty())
                .forEach(first -> first.overtakenBy = Optional.of(step));
    }

    private void holds(Step step) {
        if (step.transition().givesLease() && step.owner().isPresent()) {
            var session = step.owner().get().session();
            var room = room(session, step.at());
            holders.put(step.execution(), session);
            room.held++;
            if (room.held >= places) {
                room.since = Instant.MAX;
            }
        } else if (step.now() != Situation.RUNNING) {
            var session = holders.remove(step.execution());
            if (session != null) {
                var room = room(session, step.at());
                room.held--;
                if (room.held < places && room.since.equals(Instant.MAX)) {
                    room.since = step.at();
                }
            }
            if (step.transition() == Transition.LAPSE && session != null) {
                rooms.remove(session);
            }
        }
    }

    private Room room(SessionId session, Instant at) {
        return rooms.computeIfAbsent(session, first -> new Room(at));
    }

    private static Instant latest(Instant one, Instant two) {
        return one.isAfter(two) ? one : two;
    }
}
