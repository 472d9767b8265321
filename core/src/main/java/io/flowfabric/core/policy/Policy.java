package io.flowfabric.core.policy;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Limit;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How a submission wants to be treated, frozen with it.
 *
 * <p>To add a field: a component here with its check, the method that says what it implies, its
 * line in {@link #digest}, and a rule in the contract suite that fails without it. A field that
 * changes nothing is not accepted.
 *
 * @param priority 0 to 9000, higher goes first
 * @param start when it may run for the first time
 * @param deadline when it expires, whatever it is doing then; none means never
 * @param retry what happens when an attempt fails
 * @param attemptTimeout how long one lease of it may last before it fails as a timeout; none means
 *     as long as its session lives
 * @param stallTimeout how long its worker may be silent about progress before the lease is taken
 *     away; none means for ever
 * @param needs what a worker must offer to get it: words, attributes, comparisons of versions
 * @param maxReclaims how often its lease may lapse before it fails
 * @param maxReplays how often an operator may replay it
 * @param retention how long it is kept after its end; none means as long as its namespace says
 */
public record Policy(
        int priority,
        Due start,
        Optional<Due> deadline,
        Retry retry,
        Optional<Duration> attemptTimeout,
        Optional<Duration> stallTimeout,
        Capabilities needs,
        int maxReclaims,
        int maxReplays,
        Optional<Duration> retention) {

    public static final Policy DEFAULT =
            new Policy(
                    0,
                    Due.NOW,
                    Optional.empty(),
                    Retry.DEFAULT,
                    Optional.empty(),
                    Optional.empty(),
                    Capabilities.NONE,
                    100,
                    10,
                    Optional.empty());

    public Policy {
        Limit.PRIORITY.checkRange("priority", 0, priority);
        attemptTimeout =
                attemptTimeout.map(timeout -> Durations.checked("attempt timeout", 1, timeout));
        stallTimeout = stallTimeout.map(timeout -> Durations.checked("stall timeout", 1, timeout));
        Limit.COUNT.checkRange("max reclaims", 0, maxReclaims);
        Limit.COUNT.checkRange("max replays", 0, maxReplays);
        retention = retention.map(kept -> Durations.checked("retention", 0, kept));
    }

    public Policy priority(int other) {
        return new Policy(
                other,
                start,
                deadline,
                retry,
                attemptTimeout,
                stallTimeout,
                needs,
                maxReclaims,
                maxReplays,
                retention);
    }

    public Policy start(Due other) {
        return new Policy(
                priority,
                other,
                deadline,
                retry,
                attemptTimeout,
                stallTimeout,
                needs,
                maxReclaims,
                maxReplays,
                retention);
    }

    public Policy deadline(Due other) {
        return new Policy(
                priority,
                start,
                Optional.of(other),
                retry,
                attemptTimeout,
                stallTimeout,
                needs,
                maxReclaims,
                maxReplays,
                retention);
    }

    public Policy retry(Retry other) {
        return new Policy(
                priority,
                start,
                deadline,
                other,
                attemptTimeout,
                stallTimeout,
                needs,
                maxReclaims,
                maxReplays,
                retention);
    }

    public Policy attemptTimeout(Duration other) {
        return new Policy(
                priority,
                start,
                deadline,
                retry,
                Optional.of(other),
                stallTimeout,
                needs,
                maxReclaims,
                maxReplays,
                retention);
    }

    public Policy stallTimeout(Duration other) {
        return new Policy(
                priority,
                start,
                deadline,
                retry,
                attemptTimeout,
                Optional.of(other),
                needs,
                maxReclaims,
                maxReplays,
                retention);
    }

    public Policy needs(Capabilities other) {
        return new Policy(
                priority,
                start,
                deadline,
                retry,
                attemptTimeout,
                stallTimeout,
                other,
                maxReclaims,
                maxReplays,
                retention);
    }

    public Policy maxReclaims(int other) {
        return new Policy(
                priority,
                start,
                deadline,
                retry,
                attemptTimeout,
                stallTimeout,
                needs,
                other,
                maxReplays,
                retention);
    }

    public Policy maxReplays(int other) {
        return new Policy(
                priority,
                start,
                deadline,
                retry,
                attemptTimeout,
                stallTimeout,
                needs,
                maxReclaims,
                other,
                retention);
    }

    public Policy retention(Duration other) {
        return new Policy(
                priority,
                start,
                deadline,
                retry,
                attemptTimeout,
                stallTimeout,
                needs,
                maxReclaims,
                maxReplays,
                Optional.of(other));
    }

    /** When it expires, if it is accepted now. */
    public Optional<Instant> deadlineFrom(Instant now) {
        return deadline.map(due -> due.from(now));
    }

    /**
     * When it expires after a replay: a wait begins anew, and a time that has passed no longer
     * counts.
     */
    public Optional<Instant> deadlineAfterReplay(Instant now) {
        return deadlineFrom(now).filter(at -> at.isAfter(now));
    }

    /** When a lease that is given now has lasted too long. */
    public Optional<Instant> attemptDue(Instant leasedAt) {
        return attemptTimeout.map(leasedAt::plus);
    }

    /** When a worker that was last heard of at this moment counts as stalled. */
    public Optional<Instant> stallDue(Instant lastProgress) {
        return stallTimeout.map(lastProgress::plus);
    }

    /** Whether the lease may lapse once more after this many times, or the execution fails. */
    public boolean mayReclaim(int reclaims) {
        return reclaims < maxReclaims;
    }

    /** Whether it may be replayed once more after this many times. */
    public boolean mayReplay(int replays) {
        return replays < maxReplays;
    }

    /** Until when it is kept, if it ends now in a namespace that keeps work that long. */
    public Instant keepUntil(Instant finishedAt, Duration otherwise) {
        return finishedAt.plus(retention.orElse(otherwise));
    }

    /** Adds all of it to the digest of a submission. */
    public void digest(Digest.Builder digest) {
        digest.number(priority);
        start.digest(digest);
        digest.number(deadline.isPresent() ? 1 : 0);
        deadline.ifPresent(due -> due.digest(digest));
        retry.digest(digest);
        digest.number(attemptTimeout.map(Duration::toMillis).orElse(0L));
        digest.number(stallTimeout.map(Duration::toMillis).orElse(0L));
        digest.text(needs.toString());
        digest.number(maxReclaims).number(maxReplays);
        digest.number(retention.map(Duration::toMillis).orElse(-1L));
    }
}
