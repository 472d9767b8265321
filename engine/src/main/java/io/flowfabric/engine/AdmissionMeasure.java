package io.flowfabric.engine;

import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.admission.AdmissionBlock;
import io.flowfabric.core.lease.Session;
import io.flowfabric.engine.EngineMetrics.AdmissionCall;
import io.flowfabric.engine.EngineMetrics.MeasuredCall;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The one path of all calls that give out work, as leases or as grants: each is timed, whatever
 * comes of it, and is one line in the log, at debug when it was answered, a warning when it is the
 * first that failed since one was answered. A call that fails has given out nothing that its caller
 * knows of, and what it may have given out is found again by repeating it.
 */
final class AdmissionMeasure {
    /**
     * A call that asks for work.
     *
     * @param wanted how many leases or grants it wants at most
     * @param name how the log calls it
     */
    record AdmissionRequest(
            AdmissionCall call, SessionId session, int wanted, Supplier<String> name) {}

    /** What a call gave out, and what it found shut. */
    record GivenOut(int count, Set<AdmissionBlock> shut) {}

    private final Function<SessionId, Session> sessions;
    private final EngineMetrics metrics;
    private final Time time;
    private final Logger log;
    private final OutageLog trouble;

    /**
     * @param sessions the session behind an id; throws when there is none
     */
    AdmissionMeasure(
            Function<SessionId, Session> sessions, EngineMetrics metrics, Time time, Logger log) {
        this.sessions = sessions;
        this.metrics = metrics;
        this.time = time;
        this.log = log;
        this.trouble = new OutageLog(log, time, "Calls for work");
    }

    /**
     * Makes a call and measures it.
     *
     * @param work the call itself
     * @param given what its answer gave out
     */
    <T> T measured(AdmissionRequest request, Supplier<T> work, Function<T, GivenOut> given) {
        long begun = time.nanos();
        @Nullable Session session = null;
        T answer;
        try {
            session = sessions.apply(request.session);
            answer = work.get();
        } catch (RuntimeException e) {
            var call = call(request, Optional.ofNullable(session), begun);
            metrics.callFailed(call);
            failed(request, call, e);
            throw e;
        }
        var call = call(request, Optional.of(session), begun);
        var out = given.apply(answer);
        if (out.count > 0) {
            switch (request.call) {
                case CLAIM -> metrics.claimed(out.count);
                case GRANT -> metrics.granted(out.count);
                case REDEEM -> metrics.redeemed(out.count);
            }
        }
        metrics.answered(call, out.count, out.shut);
        trouble.worked();
        if (log.isDebugEnabled()) {
            log.debug(
                    "{}: wanted {}, got {}, shut {}, took {} ms.",
                    who(request, call),
                    request.wanted,
                    out.count,
                    out.shut,
                    call.took().toMillis());
        }
        return answer;
    }

    private MeasuredCall call(AdmissionRequest request, Optional<Session> session, long begun) {
        var took = Duration.ofNanos(time.nanos() - begun);
        return new MeasuredCall(request.call, session, request.wanted, took);
    }

    private void failed(AdmissionRequest request, MeasuredCall call, RuntimeException failure) {
        // A session that is over, or a number that was used, is an answer and no fault.
        boolean answer = failure instanceof FlowFabricException known && known.isAnswer();
        if (!answer) {
            log.atLevel(trouble.isNews(failure) ? Level.WARN : Level.DEBUG)
                    .setCause(failure)
                    .log(
                            "{} for {} failed after {} ms. What it may have got is found by"
                                    + " repeating it.",
                            who(request, call),
                            request.wanted,
                            call.took().toMillis());
        } else if (log.isDebugEnabled()) {
            log.debug(
                    "{}: wanted {}, refused after {} ms: {}",
                    who(request, call),
                    request.wanted,
                    call.took().toMillis(),
                    failure.getMessage());
        }
    }

    private static String who(AdmissionRequest request, MeasuredCall call) {
        return call.session()
                .map(
                        session ->
                                "%s (%s) in %s"
                                        .formatted(
                                                request.name.get(),
                                                session.worker(),
                                                session.lanes()))
                .orElseGet(() -> request.name.get() + ", which is not known here");
    }
}
