package io.flowfabric.engine;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Denied;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Grant;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Lease;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Grants through an engine: counted and told, one line for each call, with the sweeps told when
 * they are over. A ticket that is not genuine is a warning: it may be an attack.
 */
final class MeasuredGrants implements Grants {
    private static final Logger LOG = LoggerFactory.getLogger(MeasuredGrants.class);

    private final Grants store;
    private final FirstKey key;
    private final Sweeps sweeps;
    private final EngineMetrics metrics;

    MeasuredGrants(Grants store, FirstKey key, Sweeps sweeps, EngineMetrics metrics) {
        this.store = store;
        this.key = key;
        this.sweeps = sweeps;
        this.metrics = metrics;
    }

    @Override
    public List<Grant> claimForWorker(Claim claim, Duration ttl) {
        key.ensure();
        var grants = store.claimForWorker(claim, ttl);
        LOG.debug(
                "Claim {} for session {}: wanted {} grants, got {}.",
                claim.number(),
                claim.session(),
                claim.max(),
                grants.size());
        given(grants);
        return grants;
    }

    @Override
    public Grant reclaimForWorker(ExecutionId execution, SessionId session, Duration ttl) {
        key.ensure();
        var grant = store.reclaimForWorker(execution, session, ttl);
        LOG.debug("Reclaim of {} for session {}: granted.", execution, session);
        given(List.of(grant));
        return grant;
    }

    private void given(List<Grant> grants) {
        if (!grants.isEmpty()) {
            metrics.granted(grants.size());
            grants.stream().map(Grant::until).min(Instant::compareTo).ifPresent(sweeps::expect);
        }
    }

    @Override
    public List<Answer<Lease>> redeem(Redemption redemption) {
        var answers = store.redeem(redemption);
        int redeemed = 0;
        for (var answer : answers) {
            switch (answer) {
                case Answer.Done<Lease> done -> redeemed++;
                case Answer.Refused<Lease>(Denied refusal) ->
                        refused(redemption.session(), refusal);
                case Answer.Refused<Lease> other -> {}
            }
        }
        if (redeemed > 0) {
            metrics.redeemed(redeemed);
        }
        LOG.debug(
                "Redemption {} of session {}: {} of {} tickets became leases.",
                redemption.number(),
                redemption.session(),
                redeemed,
                answers.size());
        return answers;
    }

    private void refused(SessionId session, Denied refusal) {
        metrics.ticketRefused(refusal.code());
        switch (refusal.code()) {
            // What is late or was used before is an ordinary answer.
            case TOKEN_EXPIRED, UNKNOWN_GRANT, LANE_CLOSED -> {}
            case MALFORMED_TOKEN, UNKNOWN_KEY, BAD_SIGNATURE ->
                    LOG.warn(
                            "Session {} showed a ticket that is none: {} ({})",
                            session,
                            refusal.code().wire(),
                            refusal.getMessage());
        }
    }

    @Override
    public List<Answer<Grant>> verify(SessionId session, List<String> tokens) {
        return store.verify(session, tokens);
    }
}
