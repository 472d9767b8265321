package io.flowfabric.core.lease;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.SessionId;

/** Where workers get work. */
public interface Claims {
    /**
     * A request for work.
     *
     * @param number given by the worker, from 1; repeating it returns the leases of that claim that
     *     are still held
     * @param max how many leases are wanted at most
     * @param repeated whether the number may have been heard before: then the call before it may
     *     still be on its way, and must not lead to leases that nobody is told of
     */
    record Claim(SessionId session, long number, int max, boolean repeated) {
        public Claim {
            if (number < 1) {
                throw new Invalid(
                        Invalid.Code.OUT_OF_RANGE, "claim number", "It must be at least 1.");
            }
            Limit.CLAIM.checkRange("claim max", 1, max);
        }

        /** A claim under a number that was never used. */
        public Claim(SessionId session, long number, int max) {
            this(session, number, max, false);
        }

        /** The same claim, made again because it got no answer. */
        public Claim again() {
            return new Claim(session, number, max, true);
        }
    }

    /**
     * Leases work to a session, in one commit: what it is able to do, in the order of its lanes.
     *
     * <p>Within a lane that is priority, then begun before fresh, then the order of submission;
     * lanes share by weight. What the worker cannot run it does not see, and it never blocks what
     * it can. Nothing to do is an empty list. A claim is one commit, and a store may give fewer
     * than are wanted where it would take another to find more: then it says so. What was there and
     * could not start, because a budget or a quota has no room, is told beside it; that costs no
     * more than the claim does anyway.
     *
     * <p>Refusals: {@code NotFound} when the session has died, {@code Invalid} when the number was
     * acknowledged by a heartbeat.
     */
    Claimed claim(Claim claim);
}
