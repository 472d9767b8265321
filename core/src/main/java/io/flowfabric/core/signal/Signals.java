package io.flowfabric.core.signal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Page;
import io.flowfabric.core.Payload;
import io.flowfabric.core.policy.Durations;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** What executions that wait are told, by the program itself or from outside. */
public interface Signals {
    /**
     * Sends signals, each by itself, for callers who are trusted.
     *
     * <p>A signal that comes before anything waits for it is kept, and counts as soon as something
     * does; at a name where there was no waitpoint yet it opens one. The same key again at the same
     * waitpoint gives the first answer again, with other content it is {@code Conflict}. Refusals:
     * {@code NotFound} for an unknown execution; {@code Conflict} when it has ended, or the
     * waitpoint is closed; {@code Invalid} when it has received too many.
     */
    List<Answer<Delivery>> send(List<Signal> signals);

    /**
     * Sends signals for outsiders. Each token is checked before anything is read that it is about.
     *
     * <p>Refusals: {@code Denied} for a token that is none, is forged, of a key that is not
     * believed, or too old; or whose waitpoint is closed, or whose execution has ended or is gone.
     */
    List<Answer<Delivery>> present(List<Presented> signals);

    /**
     * A signal that comes with a token, which says where it goes.
     *
     * @param token the text as it was given out
     * @param name what the signal says in one word
     * @param content what else it says
     * @param by who sends it, and why
     * @param key under which the same signal is sent again and counts once, if it has one
     */
    record Presented(
            String token, String name, Payload content, Attribution by, Optional<String> key) {
        public Presented {
            Objects.requireNonNull(token, "token");
            Signal.check(name, content, by, key);
        }

        /** Somebody who has the token agrees: once for each of them, as {@link Signal#approve}. */
        public static Presented approve(String token, Attribution by) {
            return new Presented(
                    token, Signal.APPROVED, Payload.EMPTY, by, Optional.of(by.actor()));
        }

        /** Somebody who has the token disagrees: once for each of them. */
        public static Presented reject(String token, Attribution by) {
            return new Presented(
                    token, Signal.REJECTED, Payload.EMPTY, by, Optional.of(by.actor()));
        }

        /** The signal, at the waitpoint that the token names. */
        public Signal at(Waitpoint named) {
            return new Signal(named, name, content, by, key);
        }
    }

    /**
     * Tokens for open waitpoints, to be given to outsiders. Refusals: {@code NotFound}; {@code
     * Conflict} when the execution has ended, or the waitpoint is not open.
     */
    List<Answer<String>> tokens(List<Wanted> wanted);

    /**
     * A token that somebody wants.
     *
     * @param validity how long it is good
     */
    record Wanted(Waitpoint at, Duration validity) {
        public Wanted {
            Objects.requireNonNull(at, "at");
            validity = Durations.checked("validity", 1, validity);
        }
    }

    /**
     * Closes waitpoints: what arrives there from now on is refused, and what waits there waits for
     * something else, an operator, or its timeout. Closing again is success. Refusals: {@code
     * NotFound} for an unknown execution or waitpoint; {@code Conflict} when the execution has
     * ended.
     */
    List<Answer<Waitpoint>> close(List<Waitpoint> waitpoints, Attribution by);

    /** The open waitpoints of an execution, by name. Refusal: {@code NotFound}. */
    List<WaitpointView> waitpoints(ExecutionId execution);

    /**
     * The open waitpoints of a lane, the oldest first.
     *
     * @param openedBefore only those that were opened before this, if it is given
     */
    Page<WaitpointView> waitpoints(
            Lane lane, Optional<Instant> openedBefore, Cursor after, int max);

    /**
     * What an execution has received, in that order. A page has no more bytes than a message should
     * have. Refusal: {@code NotFound}.
     */
    Page<ReceivedSignal> received(ExecutionId execution, Cursor after, int max);
}
