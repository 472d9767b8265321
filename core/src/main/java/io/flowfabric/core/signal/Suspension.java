package io.flowfabric.core.signal;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Text;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Durations;
import io.flowfabric.core.state.SuspendedFor;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * What an execution waits for while nobody works on it.
 *
 * @param name unique among the steps of its execution: once it goes on, a step of this name says
 *     why
 * @param reason why, in one word
 * @param condition which signals resume it; the waitpoints in it are opened unless they are open
 * @param timeout how long it waits at most, if it does not wait for ever
 * @param resumeDelay how long after the last signal it goes on
 */
public record Suspension(
        String name,
        SuspendedFor reason,
        Condition condition,
        Optional<Timeout> timeout,
        Duration resumeDelay) {
    public Suspension {
        Text.name("suspension", name, Limit.NAME_BYTES);
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(timeout, "timeout");
        condition.check();
        resumeDelay = Durations.checked("resume delay", 0, resumeDelay);
    }

    /** The end of a wait that nothing else has ended. */
    public record Timeout(Due at, Behaviour behaviour) {
        public Timeout {
            Objects.requireNonNull(at, "at");
            Objects.requireNonNull(behaviour, "behaviour");
        }
    }

    /** What happens when the time of a wait is over. */
    public enum Behaviour {
        /** The execution fails, for good. */
        FAIL,
        /** The execution is cancelled. */
        CANCEL,
        /** The execution expires. */
        EXPIRE,
        /** It goes on, and is told that the time was over. */
        RESUME,
        /** It goes on, and finds a signal of the engine with the name {@code timeout}. */
        RESUME_WITH_SIGNAL,
        /** It waits on, for an operator; signals still count. */
        ESCALATE
    }

    /** A wait for signals without an end. */
    public static Suspension until(String name, Condition condition) {
        return new Suspension(
                name, SuspendedFor.WAITING_FOR_SIGNAL, condition, Optional.empty(), Duration.ZERO);
    }

    /** A wait for an operator without an end. */
    public static Suspension untilResumed(String name) {
        return until(name, Condition.none()).reason(SuspendedFor.WAITING_FOR_OPERATOR_REVIEW);
    }

    /** This wait, for another reason. */
    public Suspension reason(SuspendedFor other) {
        return new Suspension(name, other, condition, timeout, resumeDelay);
    }

    /** This wait, which ends by itself after so long. */
    public Suspension timeout(Duration after, Behaviour behaviour) {
        return timeout(Due.in(after), behaviour);
    }

    /** This wait, which ends by itself at a moment. */
    public Suspension timeout(Due at, Behaviour behaviour) {
        return new Suspension(
                name, reason, condition, Optional.of(new Timeout(at, behaviour)), resumeDelay);
    }

    /** This wait, after which the work goes on so long after the last signal. */
    public Suspension resumeDelay(Duration delay) {
        return new Suspension(name, reason, condition, timeout, delay);
    }

    /** Adds what it says to the digest of a request. */
    public void digest(Digest.Builder digest) {
        digest.text(name).text(reason.wire()).number(resumeDelay.toMillis());
        condition.digest(digest);
        timeout.ifPresent(
                end -> {
                    end.at.digest(digest);
                    digest.text(end.behaviour.name());
                });
    }
}
