package io.flowfabric.engine;

import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Session;
import io.flowfabric.engine.AdmissionMeasure.AdmissionRequest;
import io.flowfabric.engine.AdmissionMeasure.GivenOut;
import io.flowfabric.engine.EngineMetrics.AdmissionCall;

import org.slf4j.Logger;

import java.util.function.Function;

/** Claims through an engine: timed, counted and told as {@link AdmissionMeasure} says. */
final class MeasuredClaims implements Claims {
    private static final Logger LOG = QuietLogger.of(MeasuredClaims.class);

    private final Claims store;
    private final AdmissionMeasure measure;

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
        this.measure = new AdmissionMeasure(sessions, metrics, time, log);
    }

    @Override
    public Claimed claim(Claim claim) {
        return measure.measured(
                new AdmissionRequest(
                        AdmissionCall.CLAIM,
                        claim.session(),
                        claim.max(),
                        () -> "Claim %d of session %s".formatted(claim.number(), claim.session())),
                () -> store.claim(claim),
                claimed -> new GivenOut(claimed.leases().size(), claimed.shut()));
    }
}
