package io.flowfabric.engine;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.store.Wakeups;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * Brings the wake-ups of a store to the claims that wait for them.
 *
 * <p>It takes charge of a piece of work that became ready in this process when a claim waits in its
 * lane, and tells other engines of it only when the claims that were woken did not get it.
 */
final class ClaimParking extends Service {
    private static final Logger LOG = QuietLogger.of(ClaimParking.class);

    /** A room, and how many places there are in it. */
    private static final class Booking {
        final WaitingRoom room = new WaitingRoom();
        int places;
    }

    private final Wakeups wakeups;
    private final Time time;
    private final EngineMetrics metrics;
    private final long safetyPoll;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Interest, Booking> bookings = new HashMap<>();
    // Read by every wake-up, so without the lock.
    private final Map<Lane, List<WaitingRoom>> rooms = new ConcurrentHashMap<>();
    private final Wakeups.Listener listener = new RoomListener();
    private Wakeups.@Nullable Listening listening;
    private volatile boolean open;

    ClaimParking(Wakeups wakeups, EngineOptions options, EngineMetrics metrics, Time time) {
        this.wakeups = wakeups;
        this.time = time;
        this.metrics = metrics;
        this.safetyPoll = options.safetyPoll().toNanos();
    }

    @Override
    protected void begin() {
        listening = wakeups.listen(listener);
        open = true;
    }

    @Override
    protected void end() {
        open = false;
        if (listening != null) {
            listening.close();
        }
        lock.lock();
        try {
            bookings.values().forEach(booking -> booking.room.rouse());
        } finally {
            lock.unlock();
        }
    }

    /** A place for a session to wait at. */
    ClaimWaiter join(Session session) {
        if (!open) {
            throw new Unavailable("The engine is not running; start it, or another one.");
        }
        var interest = Interest.of(session);
        lock.lock();
        try {
            var booking = bookings.computeIfAbsent(interest, first -> new Booking());
            if (booking.places++ == 0) {
                interest.served()
                        .forEach(
                                lane ->
                                        rooms.merge(
                                                lane, List.of(booking.room), ClaimParking::both));
            }
            return new ClaimWaiter(this, interest, booking.room);
        } finally {
            lock.unlock();
        }
    }

    void leave(Interest interest, WaitingRoom room) {
        lock.lock();
        try {
            var booking = bookings.get(interest);
            if (booking != null && --booking.places == 0) {
                bookings.remove(interest);
                interest.served()
                        .forEach(
                                lane ->
                                        rooms.computeIfPresent(
                                                lane, (any, all) -> without(all, room)));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits; a thread that is woken looks again at everything. */
    void park(long nanos) {
        metrics.parked(1);
        try {
            time.park(nanos);
        } finally {
            metrics.parked(-1);
        }
    }

    Time time() {
        return time;
    }

    long safetyPoll() {
        return safetyPoll;
    }

    boolean open() {
        return open;
    }

    private final class RoomListener implements Wakeups.Listener {
        @Override
        public void ready(Lane lane) {
            rooms.getOrDefault(lane, List.of()).forEach(room -> room.wakeOne(WorkNotice.HINT));
        }

        @Override
        public boolean take(Lane lane, UUID work) {
            var signal = new WorkNotice(work, () -> pass(lane));
            boolean taken = false;
            for (var room : rooms.getOrDefault(lane, List.of())) {
                // Held for the waiter before it has it, because it may be quick.
                signal.hold();
                if (room.wakeOne(signal)) {
                    taken = true;
                } else {
                    signal.letGo();
                }
            }
            if (taken) {
                signal.letGo();
            }
            return taken;
        }
    }

    private void pass(Lane lane) {
        try {
            wakeups.pass(lane, listener);
        } catch (RuntimeException e) {
            // Those who wait elsewhere poll; what this thread has found must not be lost.
            LOG.debug("Other engines could not be told of work in {}.", lane, e);
        }
    }

    private static List<WaitingRoom> both(List<WaitingRoom> some, List<WaitingRoom> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    private static @Nullable List<WaitingRoom> without(List<WaitingRoom> all, WaitingRoom room) {
        var left = all.stream().filter(other -> other != room).toList();
        return left.isEmpty() ? null : left;
    }
}
