package io.flowfabric.core.decision;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Failure;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;

import java.time.Instant;

/** What the passing of time changes. */
public final class TimerDecisions {
    private TimerDecisions() {}

    /**
     * Its session died: the work returns to the queue, or fails when that happened too often. What
     * was only granted has lost nothing.
     */
    public static Change lapse(Facts facts, Instant now) {
        if (facts.state() instanceof Granted) {
            return forfeit(facts);
        }
        if (facts.policy().mayReclaim(facts.reclaims())) {
            return Change.of(facts, Transition.LAPSE, new Ready(LeasePurpose.RECLAIM))
                    .counts(facts.retries(), facts.reclaims() + 1, facts.replays());
        }
        return Change.finish(facts, Transition.FAIL, Outcome.FAILED, now)
                .failure(Failure.of(Failure.INFRA_CRASH, Attribution.RECLAIMS_EXHAUSTED.reason()))
                .by(Attribution.RECLAIMS_EXHAUSTED);
    }

    /** Its worker was silent for too long: as if the session had died. */
    static Change stall(Facts facts, Instant now) {
        var lapse = lapse(facts, now);
        return lapse.by().isPresent()
                ? lapse
                : lapse.by(
                        Attribution.engine(
                                "no progress for " + facts.policy().stallTimeout().orElseThrow()));
    }

    /** Its lease lasted too long: the attempt fails, and the retry policy decides what follows. */
    static Change timeOut(Facts facts, Instant now) {
        var timeout = facts.policy().attemptTimeout().orElseThrow();
        var failure = Failure.of(Failure.TIMEOUT, "the attempt took longer than " + timeout);
        var verdict = facts.policy().retry().decide(facts.id(), failure, facts.retries());
        return LeaseEnd.failed(failure, verdict)
                .change(facts, now)
                .by(Attribution.engine("attempt timeout"));
    }

    /** Its deadline has come. */
    static Change expire(Facts facts, Instant now) {
        return Change.finish(facts, Transition.EXPIRE, Outcome.EXPIRED, now)
                .by(Attribution.engine("deadline"));
    }

    /** The grant was not redeemed in time. */
    public static Change forfeit(Facts facts) {
        return Change.of(facts, Transition.FORFEIT, new Ready(((Granted) facts.state()).next()));
    }

    /** Its delay is over. */
    static Change wake(Facts facts) {
        return Change.of(facts, Transition.WAKE, new Ready(((Delayed) facts.state()).next()));
    }
}
