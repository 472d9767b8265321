package io.flowfabric.core.decision;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.LeaseLost;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;

import java.util.Optional;

/**
 * How an execution stands for a worker whose fence does not hold.
 *
 * @param attempts how many attempts were started
 * @param epoch the newest epoch given to a lease or a grant
 * @param givenUp how the last holder that gave up its lease did so
 */
public record LeaseStanding(
        ExecutionId id, int attempts, long epoch, PublicState state, Optional<GivenUp> givenUp) {

    /** The ending of the lease of one epoch, kept with its answer for repeats of the call. */
    public record GivenUp(long epoch, Digest digest, Ended answer) {}

    /** What a worker is told whose fence does not hold. */
    public LeaseLost lost(Fence presented) {
        return new LeaseLost(presented, attempts, epoch, state);
    }

    /**
     * The answer to an ending that comes again after a lost answer: the first one.
     *
     * @throws LeaseLost when the newest lease is another one, or was not ended by its holder
     * @throws Conflict when that lease was ended in another way
     */
    public Ended repeated(Ending ending) {
        var fence = ending.fence();
        boolean newest = fence.attempt() == attempts - 1 && fence.epoch() == epoch;
        var before =
                givenUp.filter(given -> newest && given.epoch == epoch)
                        .orElseThrow(() -> lost(fence));
        if (!before.digest.equals(ending.digest())) {
            throw new Conflict(
                    Conflict.Code.ENDED_DIFFERENTLY,
                    id.toString(),
                    "This lease was already ended, by %s: drop this ending."
                            .formatted(before.answer.transition().wire()));
        }
        return before.answer;
    }
}
