package io.flowfabric.engine;

import io.flowfabric.core.Unavailable;
import io.flowfabric.core.lease.Lease;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Where one session waits for work. Many threads may wait at one place, and it costs nothing while
 * none does; the caller that took it closes it with the session.
 */
public final class ClaimWaiter implements AutoCloseable {
    /** How work is looked for. */
    public interface Attempt {
        /** Looks once. It is called by the thread that waits. */
        Found look();

        /** Whether there is no point in waiting any longer. */
        default boolean over() {
            return false;
        }
    }

    /**
     * What was found.
     *
     * @param full whether it was all that was asked for, so that there may be more
     */
    public record Found(List<Lease> leases, boolean full) {
        /** No work. */
        public static final Found NOTHING = new Found(List.of(), false);

        public Found {
            leases = List.copyOf(leases);
        }
    }

    /** So many looks in vain are followed by the next one without a pause. */
    private static final int AT_ONCE = 2;

    /**
     * So many looks reach every partition of a namespace that is spread over as many as there are.
     * After that it is not for the looks to find what the store says may be there.
     */
    private static final int EVERYWHERE = 32;

    private static final long PAUSE = Duration.ofMillis(1).toNanos();
    private static final long LONGEST_PAUSE = Duration.ofSeconds(1).toNanos();

    private final ClaimParking parking;
    private final Interest interest;
    private final WaitingRoom room;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicLong waits = new AtomicLong();
    private volatile WaitingRoom.@Nullable Waiter last;

    ClaimWaiter(ClaimParking parking, Interest interest, WaitingRoom room) {
        this.parking = parking;
        this.interest = interest;
        this.room = room;
    }

    /**
     * Looks for work, and when there is none waits for some: until a wake-up for one of the lanes,
     * the safety poll, or the end of the wait. Nothing found in all that time is an empty list.
     *
     * @throws Unavailable when the engine does not run
     */
    public List<Lease> claim(Attempt attempt, Duration maxWait) throws InterruptedException {
        if (!parking.open()) {
            throw new Unavailable("The engine has stopped; claim through one that runs.");
        }
        var time = parking.time();
        long began = time.nanos();
        long longest = Time.nanos(maxWait);
        var waiter = new WaitingRoom.Waiter();
        // What this thread was told to look for, and cannot answer for yet.
        WorkNotice signal = null;
        var found = Found.NOTHING;
        boolean look = true;
        int inVain = 0;
        // Entered before it looks: work that comes after the look comes with a signal.
        room.enter(waiter);
        try {
            while (true) {
                if (look) {
                    found = attempt.look();
                    if (found.leases().isEmpty() && over(attempt)) {
                        // It need not have looked, so another waiter should.
                        return List.of();
                    }
                    if (signal != null && answers(found, signal)) {
                        signal.letGo();
                        signal = null;
                    }
                    if (!found.leases().isEmpty()) {
                        return found.leases();
                    }
                    long rest = longest - (time.nanos() - began);
                    if (found.full() && rest > 0) {
                        // There may be some where it has not looked yet.
                        long pause = Math.min(rest, pause(++inVain));
                        if (pause > 0) {
                            rest(waiter, pause);
                        }
                        interruptible();
                        signal = room.enter(waiter);
                        if (over(attempt)) {
                            return List.of();
                        }
                        continue;
                    }
                    inVain = 0;
                    room.looked(time.nanos());
                }
                long left = longest - (time.nanos() - began);
                if (left <= 0 || over(attempt)) {
                    return List.of();
                }
                rest(waiter, Math.min(left, parking.safetyPoll()));
                interruptible();
                signal = room.enter(waiter);
                if (over(attempt)) {
                    return List.of();
                }
                // Otherwise one look a second for all who see the same is enough.
                look = signal != null || room.mayLook(time.nanos(), parking.safetyPoll());
            }
        } finally {
            // This one may have come after the look.
            var last = room.leave(waiter);
            boolean handedOn = handOn(signal, found);
            boolean lastHandedOn = handOn(last, found);
            if (found.full() && !handedOn && !lastHandedOn) {
                room.wakeOne(WorkNotice.HINT);
            }
        }
    }

    /** Waits for a signal, which it may have been given already. */
    private void rest(WaitingRoom.Waiter waiter, long nanos) {
        waiter.rests(parking.time().nanos() + nanos);
        last = waiter;
        if (!waiter.signalled()) {
            parking.park(nanos);
        }
        waits.incrementAndGet();
        waiter.wakes();
    }

    /**
     * How often a claim has waited here, while the last one that began to waits and has no signal;
     * {@link Service#BUSY} otherwise.
     */
    long turnsAtRest() {
        long waited = waits.get();
        var waiter = last;
        return waiter != null && waiter.atRest(parking.time().nanos()) ? waited : Service.BUSY;
    }

    /** How long to wait after so many looks in a row that found nothing where there may be more. */
    private static long pause(int inVain) {
        if (inVain <= AT_ONCE) {
            return 0;
        }
        int slower = Math.max(0, inVain - AT_ONCE - EVERYWHERE);
        return Math.min(LONGEST_PAUSE, PAUSE << Math.min(slower, 20));
    }

    private static void interruptible() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** Whether nothing is left to do about a signal here: those who see the same need not look. */
    private static boolean answers(Found found, WorkNotice signal) {
        return signal.isMetBy(found.leases()) || found.leases().isEmpty() || !found.full();
    }

    /** Lets another waiter answer for a signal. Says whether one will look. */
    private boolean handOn(@Nullable WorkNotice signal, Found found) {
        if (signal == null) {
            return false;
        }
        if (!signal.isMetBy(found.leases()) && room.wakeOne(signal)) {
            return true;
        }
        signal.letGo();
        return false;
    }

    /** Lets all threads that wait here find out whether their wait is over. */
    public void rouse() {
        room.rouse();
    }

    /** Gives the place up. Closing again does nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            parking.leave(interest, room);
            room.rouse();
        }
    }

    private boolean over(Attempt attempt) {
        return closed.get() || !parking.open() || attempt.over();
    }
}
