package io.flowfabric.engine;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Denied;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.ClaimedForWorker;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Grant;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.engine.AdmissionMeasure.AdmissionRequest;
import io.flowfabric.engine.AdmissionMeasure.GivenOut;
import io.flowfabric.engine.EngineMetrics.AdmissionCall;

import org.slf4j.Logger;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Grants through an engine: timed, counted and told as {@link AdmissionMeasure} says, with the
 * sweeps told when they are over. A ticket that is not genuine is a warning: it may be an attack.
 */
final class MeasuredGrants implements Grants {
    private static final Logger LOG = QuietLogger.of(MeasuredGrants.class);

    private final Grants store;
    private final FirstKey key;
    private final Sweeps sweeps;
    private final EngineMetrics metrics;
    private final Logger log;
    private final AdmissionMeasure measure;

    /**
     * @param sessions the session behind an id; throws when there is none
     */
    MeasuredGrants(
            Grants store,
            Function<SessionId, Session> sessions,
            FirstKey key,
            Sweeps sweeps,
            EngineMetrics metrics,
            Time time) {
        this(store, sessions, key, sweeps, metrics, time, LOG);
    }

    MeasuredGrants(
            Grants store,
            Function<SessionId, Session> sessions,
            FirstKey key,
            Sweeps sweeps,
            EngineMetrics metrics,
            Time time,
            Logger log) {
        this.store = store;
        this.key = key;
        this.sweeps = sweeps;
        this.metrics = metrics;
        this.log = log;
        this.measure = new AdmissionMeasure(sessions, metrics, time, log);
    }

    @Override
    public ClaimedForWorker claimForWorker(Claim claim, Duration ttl) {
        var claimed =
                measure.measured(
                        new AdmissionRequest(
                                AdmissionCall.GRANT,
                                claim.session(),
                                claim.max(),
                                () ->
                                        "Claim %d for session %s"
                                                .formatted(claim.number(), claim.session())),
                        () -> {
                            key.ensure();
                            return store.claimForWorker(claim, ttl);
                        },
                        answer -> new GivenOut(answer.grants().size(), answer.shut()));
        expect(claimed.grants());
        return claimed;
    }

    @Override
    public Grant reclaimForWorker(ExecutionId execution, SessionId session, Duration ttl) {
        var grant =
                measure.measured(
                        new AdmissionRequest(
                                AdmissionCall.GRANT,
                                session,
                                1,
                                () -> "Reclaim of %s for session %s".formatted(execution, session)),
                        () -> {
                            key.ensure();
                            return store.reclaimForWorker(execution, session, ttl);
                        },
                        answer -> new GivenOut(1, Set.of()));
        expect(List.of(grant));
        return grant;
    }

    private void expect(List<Grant> grants) {
        grants.stream().map(Grant::until).min(Instant::compareTo).ifPresent(sweeps::expect);
    }

    @Override
    public List<Answer<Lease>> redeem(Redemption redemption) {
        var answers =
                measure.measured(
                        new AdmissionRequest(
                                AdmissionCall.REDEEM,
                                redemption.session(),
                                redemption.tokens().size(),
                                () ->
                                        "Redemption %d of session %s"
                                                .formatted(
                                                        redemption.number(), redemption.session())),
                        () -> store.redeem(redemption),
                        MeasuredGrants::redeemed);
        for (var answer : answers) {
            if (answer instanceof Answer.Refused<Lease>(Denied refusal)) {
                refused(redemption.session(), refusal);
            }
        }
        return answers;
    }

    private static GivenOut redeemed(List<Answer<Lease>> answers) {
        return new GivenOut((int) answers.stream().filter(Answer::isDone).count(), Set.of());
    }

    private void refused(SessionId session, Denied refusal) {
        metrics.ticketRefused(refusal.code());
        switch (refusal.code()) {
            // What is late or was used before is an ordinary answer.
            case TOKEN_EXPIRED, UNKNOWN_GRANT, LANE_CLOSED, WAITPOINT_CLOSED -> {}
            case MALFORMED_TOKEN, UNKNOWN_KEY, BAD_SIGNATURE ->
                    log.warn(
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
