package io.flowfabric.engine;

import io.flowfabric.core.Advice;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Session;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.function.Function;

/**
 * Claims through an engine, counted and told: one line for each call, at debug when it was
 * answered, a warning when it failed. A call that fails has admitted nothing that its worker knows
 * of, and what it may have admitted is found again by repeating it.
 */
final class MeasuredClaims implements Claims {
    private static final Logger LOG = LoggerFactory.getLogger(MeasuredClaims.class);

    private final Claims store;
    private final Function<SessionId, Session> sessions;
    private final EngineMetrics metrics;
    private final Time time;
    private final Logger log;

    /**
     * @param sessions the session behind an id; throws when there is none
     */
    MeasuredClaims(
            Claims store, Function<SessionId, Session> sessions, EngineMetrics metrics, Time time) {
        this(store, sessions, metrics, time, LOG);
    }

    MeasuredClaims(
            Claims store,
            Function<SessionId, Session> sessions,
            EngineMetrics metrics,
            Time time,
            Logger log) {
        this.store = store;
        this.sessions = sessions;
        this.metrics = metrics;
        this.time = time;
        this.log = log;
    }

    @Override
    public Claimed claim(Claim claim) {
        var session = sessions.apply(claim.session());
        long begun = time.nanos();
        Claimed claimed;
        try {
            claimed = store.claim(claim);
        } catch (RuntimeException e) {
            var took = since(begun);
            metrics.claimFailed(session, took);
            failed(session, claim, took, e);
            throw e;
        }
        var took = since(begun);
        if (!claimed.leases().isEmpty()) {
            metrics.claimed(claimed.leases().size());
        }
        metrics.answered(session, claim.max(), claimed, took);
        log.debug(
                "Claim {} of session {} ({}) in {}: wanted {}, got {}, shut {}, took {} ms.",
                claim.number(),
                claim.session(),
                session.worker(),
                session.lanes(),
                claim.max(),
                claimed.leases().size(),
                claimed.shut(),
                took.toMillis());
        return claimed;
    }

    private void failed(Session session, Claim claim, Duration took, RuntimeException failure) {
        // A session that is over, or a number that was used, is an answer and no fault.
        boolean refused =
                failure instanceof FlowFabricException known
                        && known.advice() != Advice.REPEAT_LATER
                        && known.advice() != Advice.CALL_AN_OPERATOR;
        if (refused) {
            log.debug(
                    "Claim {} of session {} ({}) in {}: wanted {}, refused after {} ms: {}",
                    claim.number(),
                    claim.session(),
                    session.worker(),
                    session.lanes(),
                    claim.max(),
                    took.toMillis(),
                    failure.getMessage());
        } else {
            log.warn(
                    "Claim {} of session {} ({}) in {} for {} failed after {} ms. What it may have"
                            + " got is found by repeating it under its number.",
                    claim.number(),
                    claim.session(),
                    session.worker(),
                    session.lanes(),
                    claim.max(),
                    took.toMillis(),
                    failure);
        }
    }

    private Duration since(long begun) {
        return Duration.ofNanos(time.nanos() - begun);
    }
}
