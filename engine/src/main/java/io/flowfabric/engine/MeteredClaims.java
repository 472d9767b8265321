package io.flowfabric.engine;

import io.flowfabric.core.Advice;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Session;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;

/**
 * The claims of one session, counted and told: one line for each call, at debug when it was
 * answered, a warning when it failed. A call that fails has admitted nothing that its worker knows
 * of, and what it may have admitted is found again by repeating it.
 */
final class MeteredClaims implements Claims {
    private static final Logger LOG = LoggerFactory.getLogger(MeteredClaims.class);

    private final Claims store;
    private final Session session;
    private final EngineMetrics metrics;
    private final Time time;
    private final Logger log;

    MeteredClaims(Claims store, Session session, EngineMetrics metrics, Time time) {
        this(store, session, metrics, time, LOG);
    }

    MeteredClaims(Claims store, Session session, EngineMetrics metrics, Time time, Logger log) {
        this.store = store;
        this.session = session;
        this.metrics = metrics;
        this.time = time;
        this.log = log;
    }

    @Override
    public Claimed claim(Claim claim) {
        long begun = time.nanos();
        Claimed claimed;
        try {
            claimed = store.claim(claim);
        } catch (RuntimeException e) {
            var took = since(begun);
            metrics.claimFailed(session, took);
            failed(claim, took, e);
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

    private void failed(Claim claim, Duration took, RuntimeException failure) {
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
