package io.flowfabric.core.signal;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What is remembered of an execution that waits, or may be told something: its waitpoints, and what
 * it is suspended for. A store keeps it beside the execution; one that never waited has none.
 *
 * @param replays in which life of the execution it was written: in the next one nothing of it is
 *     open
 * @param opened how many waitpoints were ever opened
 * @param received how many signals were ever received
 * @param places the waitpoints, by name, the closed ones too
 * @param pending what it is suspended for, while it is
 * @param written as it was written last, where a newer program has written more than this one
 *     knows, so that it stays; otherwise empty
 */
public record Awaiting(
        int replays,
        long opened,
        long received,
        SortedMap<String, Place> places,
        Optional<Wait> pending,
        String written) {
    /** What is remembered of an execution that never waited. */
    public static final Awaiting NOTHING =
            new Awaiting(0, 0, 0, Collections.emptySortedMap(), Optional.empty(), "");

    public Awaiting {
        places = Collections.unmodifiableSortedMap(new TreeMap<>(places));
    }

    /**
     * A waitpoint.
     *
     * @param number which one of its execution it is, from 1
     * @param expires when it closes by itself, if it does
     * @param received how many signals arrived at it
     */
    public record Place(
            long number, Instant opened, Optional<Instant> expires, long received, boolean closed) {
        /** Whether signals may arrive at it. */
        public boolean open(Instant now) {
            return !closed && expires.map(now::isBefore).orElse(true);
        }

        private Place shut() {
            return new Place(number, opened, expires, received, true);
        }

        private Place receiving() {
            return new Place(number, opened, expires, received + 1, closed);
        }
    }

    /**
     * What an execution is suspended for.
     *
     * @param name of the suspension
     * @param left what is left of its condition
     * @param waitpoints those that the whole condition names
     * @param behaviour what happens when its time is over
     * @param counted the signals that have counted so far
     */
    public record Wait(
            String name,
            Condition left,
            List<String> waitpoints,
            Suspension.Behaviour behaviour,
            Duration resumeDelay,
            List<SignalHead> counted) {
        public Wait {
            waitpoints = List.copyOf(waitpoints);
            counted = List.copyOf(counted);
        }
    }

    /** The same in the life of an execution after so many replays. */
    public Awaiting asOf(int life) {
        return life == replays || equals(NOTHING)
                ? new Awaiting(life, opened, received, places, pending, written)
                : new Awaiting(
                        life,
                        opened,
                        received,
                        Collections.emptySortedMap(),
                        Optional.empty(),
                        written);
    }

    /** Whether something of it is to be closed when its execution ends. */
    public boolean isOpen() {
        return pending.isPresent() || places.values().stream().anyMatch(place -> !place.closed);
    }

    /** The waitpoint of this name, open or not. */
    public Optional<Place> place(String name) {
        return Optional.ofNullable(places.get(name));
    }

    /** The waitpoint of this name, if it is open. */
    public Optional<Place> open(String name, Instant now) {
        return place(name).filter(place -> place.open(now));
    }

    /** The open waitpoints, by name. */
    public List<WaitpointView> views(ExecutionId execution, Lane lane, Instant now) {
        return places.keySet().stream()
                .filter(name -> open(name, now).isPresent())
                .map(name -> view(execution, lane, name))
                .toList();
    }

    /** A waitpoint that there is, as it reads. */
    public WaitpointView view(ExecutionId execution, Lane lane, String name) {
        var place = place(name).orElseThrow();
        return new WaitpointView(
                new Waitpoint(execution, name),
                lane,
                place.number,
                place.opened,
                place.expires,
                pending.filter(waiting -> waiting.waitpoints.contains(name)).isPresent(),
                place.received);
    }

    /**
     * With a waitpoint opened, or opened anew.
     *
     * @throws io.flowfabric.core.Invalid when it would be one too many
     */
    public Awaiting opening(String name, Optional<Instant> expires, Instant now) {
        var more = new TreeMap<>(places);
        more.put(name, new Place(opened + 1, now, expires, 0, false));
        Limit.WAITPOINTS.checkCount("waitpoints", more.size());
        return new Awaiting(replays, opened + 1, received, more, pending, written);
    }

    /** With a waitpoint that does not close by itself any more. */
    public Awaiting keeping(String name) {
        var kept = new TreeMap<>(places);
        kept.computeIfPresent(
                name,
                (same, place) ->
                        new Place(
                                place.number,
                                place.opened,
                                Optional.empty(),
                                place.received,
                                place.closed));
        return new Awaiting(replays, opened, received, kept, pending, written);
    }

    /** With one more signal received, at no waitpoint. */
    public Awaiting receiving() {
        return new Awaiting(replays, opened, received + 1, places, pending, written);
    }

    /** With one more signal received, at a waitpoint if there is one of this name. */
    public Awaiting receiving(String waitpoint) {
        var more = new TreeMap<>(places);
        more.computeIfPresent(waitpoint, (name, place) -> place.receiving());
        return new Awaiting(replays, opened, received + 1, more, pending, written);
    }

    /** With some waitpoints closed, as far as there are such. */
    public Awaiting closing(Collection<String> names) {
        var fewer = new TreeMap<>(places);
        names.forEach(name -> fewer.computeIfPresent(name, (same, place) -> place.shut()));
        return new Awaiting(replays, opened, received, fewer, pending, written);
    }

    /** With everything closed, as after the end of the execution. */
    public Awaiting closed() {
        return closing(places.keySet()).waiting(Optional.empty());
    }

    /** Suspended for something else, or for nothing any more. */
    public Awaiting waiting(Optional<Wait> other) {
        return new Awaiting(replays, opened, received, places, other, written);
    }
}
