package io.flowfabric.engine;

import io.flowfabric.core.Advice;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.policy.Backoff;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/**
 * The claims of one session, one after the other, each under its number.
 *
 * <p>A claim that got no answer is made again under the same number before any other: its answer
 * may be lost, and the leases in it are not.
 */
final class NumberedClaims {
    private final Claims store;
    private final SessionId session;
    private final Time time;
    private final Backoff again;
    private final BooleanSupplier over;

    // One at a time, so that every number below an answered one is answered too.
    private final ReentrantLock turn = new ReentrantLock();
    private volatile @Nullable Claim unanswered;
    private volatile long acknowledged;
    private final AtomicLong given = new AtomicLong();

    /**
     * @param over whether there is no point in asking again
     */
    NumberedClaims(
            Claims store, SessionId session, Time time, Backoff again, BooleanSupplier over) {
        this.store = store;
        this.session = session;
        this.time = time;
        this.again = again;
        this.over = over;
    }

    /** The highest number whose answer, and those of all lower numbers, has arrived. */
    long acknowledged() {
        return acknowledged;
    }

    /** Whether a claim was made that has no answer yet. */
    boolean underWay() {
        return unanswered != null;
    }

    /** How many leases were given in all, by answers that have arrived. */
    long given() {
        return given.get();
    }

    /** Claims as much as there is room for, and asks until there is an answer. */
    ClaimWaiter.Found claim(IntSupplier room) {
        turn.lock();
        try {
            for (int failures = 0; !over.getAsBoolean(); failures++) {
                var claim = unanswered;
                if (claim == null) {
                    int max = room.getAsInt();
                    if (max < 1) {
                        return ClaimWaiter.Found.NOTHING;
                    }
                    claim = new Claim(session, acknowledged + 1, max);
                    unanswered = claim.again();
                }
                try {
                    return answered(claim, store.claim(claim));
                } catch (FlowFabricException e) {
                    boolean interrupted = Thread.currentThread().isInterrupted();
                    if (e.advice() != Advice.REPEAT_LATER || interrupted) {
                        throw e;
                    }
                    time.backOff(again.delay(failures), over);
                }
            }
            return ClaimWaiter.Found.NOTHING;
        } finally {
            turn.unlock();
        }
    }

    private ClaimWaiter.Found answered(Claim claim, Claimed claimed) {
        var leases = claimed.leases();
        // While it is under way, so that its leases are known of at any moment.
        given.addAndGet(leases.size());
        unanswered = null;
        acknowledged = claim.number();
        return new ClaimWaiter.Found(leases, claimed.more() || leases.size() >= claim.max());
    }
}
