package io.flowfabric.postgres.internal.ready;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** The lanes in which work became ready, each with the one piece of work, where it is only one. */
public final class ReadyLanes {
    private final Map<Integer, Optional<UUID>> pieces = new HashMap<>();
    private final Map<Integer, Long> fresh = new HashMap<>();

    /** A lane with one piece of work. */
    public static ReadyLanes of(int lane, UUID work) {
        var ready = new ReadyLanes();
        ready.add(lane, work);
        return ready;
    }

    /** Lanes with more work than one piece, or with nobody knows how much. */
    public static ReadyLanes uncounted(Collection<Integer> lanes) {
        var ready = new ReadyLanes();
        lanes.forEach(lane -> ready.pieces.put(lane, Optional.empty()));
        return ready;
    }

    /** Adds a piece of work. */
    public void add(int lane, UUID work) {
        add(lane, Optional.of(work));
    }

    /** Notes by which number work is queued that was not begun yet. */
    public void addFresh(int lane, long seq) {
        fresh.merge(lane, seq, Math::min);
    }

    /** Adds all that others hold. */
    public void addAll(ReadyLanes others) {
        others.pieces.forEach(this::add);
        others.fresh.forEach(this::addFresh);
    }

    /** The lowest number of the work of a lane that was not begun yet, if there is any. */
    public Optional<Long> firstFresh(int lane) {
        return Optional.ofNullable(fresh.get(lane));
    }

    private void add(int lane, Optional<UUID> work) {
        pieces.merge(lane, work, (one, other) -> one.equals(other) ? one : Optional.empty());
    }

    public Set<Integer> numbers() {
        return pieces.keySet();
    }

    /** The only piece of work that became ready in a lane. */
    public Optional<UUID> only(int lane) {
        return pieces.getOrDefault(lane, Optional.empty());
    }
}
