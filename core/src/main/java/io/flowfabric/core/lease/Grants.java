package io.flowfabric.core.lease;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.policy.Durations;

import java.time.Duration;
import java.util.List;

/**
 * Work given out as signed tickets, for workers that do not share the store's trust.
 *
 * <p>A trusted process claims for a worker, and hands it the grants; the worker redeems them, and
 * has leases then. A grant is taken into account like a lease from the moment it is given: it takes
 * its places in quotas and sets its part of budgets aside. One that is not redeemed in time gives
 * all of that back, and so does one whose session dies.
 *
 * <p>A token is refused as {@code Denied}: {@code malformed_token} when it is none; {@code
 * unknown_key} when the key that it names was never there, or is past its grace; {@code
 * bad_signature} when the key did not seal what it says; {@code token_expired} when its time is
 * over, by the clock of the store; {@code unknown_grant} when the execution is not granted to this
 * session, or not any more: also when it was redeemed before. In this order: only who shows a
 * genuine token learns about anything else.
 */
public interface Grants {
    /** Half a minute: long enough to travel, short enough to lose. */
    Duration DEFAULT_TTL = Duration.ofSeconds(30);

    /**
     * Tokens to be turned into leases.
     *
     * @param number given by the worker as for a claim, and not used for another one; repeating it
     *     returns the leases that it gave and that are still held
     */
    record Redemption(SessionId session, long number, List<String> tokens) {
        public Redemption {
            if (number < 1) {
                throw new Invalid(
                        Invalid.Code.OUT_OF_RANGE, "claim number", "It must be at least 1.");
            }
            Limit.CLAIM.checkRange("tokens", 1, tokens.size());
            tokens = List.copyOf(tokens);
        }
    }

    /** Refuses how long a grant is to hold, unless it is a moment to a minute; returns it. */
    static Duration checkedTtl(Duration ttl) {
        var whole = Durations.checked("grant ttl", 1, ttl);
        Limit.GRANT_TTL_MILLIS.checkRange("grant ttl in ms", 1, whole.toMillis());
        return whole;
    }

    /**
     * Picks what a claim of this session would get, and grants it instead of leasing it.
     *
     * <p>Repeating a number returns those of its grants that are neither redeemed nor over.
     * Refusals: those of a claim; {@code Unavailable} while there is no key to sign with.
     *
     * @param ttl how long the grants hold, at most a minute
     */
    ClaimedForWorker claimForWorker(Claims.Claim claim, Duration ttl);

    /**
     * Grants one execution whose lease lapsed or was taken away, so that a chosen worker goes on
     * with it. Asking again while it is granted to that session returns that grant.
     *
     * <p>Refusals: {@code NotFound}; {@code Conflict} when it is of another namespace than the
     * session, when it is anything else than ready to be reclaimed, when this worker could not
     * claim it, or when a quota or a budget leaves no room; {@code Unavailable} while there is no
     * key to sign with.
     */
    Grant reclaimForWorker(ExecutionId execution, SessionId session, Duration ttl);

    /**
     * Turns grants into leases, in one commit. A token that is shown twice in one call is refused
     * the second time.
     *
     * <p>Refusals of the whole: {@code NotFound} when the session has died, {@code Invalid} when
     * the number was acknowledged by a heartbeat.
     */
    List<Answer<Lease>> redeem(Redemption redemption);

    /** Says what {@link #redeem} would say about tokens now, and changes nothing. */
    List<Answer<Grant>> verify(SessionId session, List<String> tokens);
}
