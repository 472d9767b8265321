package io.flowfabric.core.decision;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Denied;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.Signals.Presented;
import io.flowfabric.core.signing.KeyRing;
import io.flowfabric.core.signing.WaitpointToken;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Signals that outsiders send with tokens, and what is wrong with each token before anything is
 * read that it is about.
 */
public final class PresentedSignals {
    private final List<Answer<Addressed>> checked;

    private PresentedSignals(List<Answer<Addressed>> checked) {
        this.checked = checked;
    }

    /**
     * A signal, and the waitpoint that it is for.
     *
     * @param place the number that the waitpoint must have, where a token says so
     */
    public record Addressed(Signal signal, Optional<Long> place) {
        /** A signal of a caller who is trusted. */
        public static Addressed trusted(Signal signal) {
            return new Addressed(signal, Optional.empty());
        }
    }

    /** Signals with their tokens. */
    public static PresentedSignals of(KeyRing ring, List<Presented> signals) {
        return new PresentedSignals(signals.stream().map(signal -> checked(ring, signal)).toList());
    }

    private static Answer<Addressed> checked(KeyRing ring, Presented presented) {
        try {
            var token = WaitpointToken.parse(presented.token());
            ring.check(token);
            return Answer.done(
                    new Addressed(presented.at(token.at()), Optional.of(token.number())));
        } catch (Denied refusal) {
            return Answer.refused(refusal);
        }
    }

    /**
     * An answer for each signal.
     *
     * @param send sends those whose tokens are genuine, and answers each
     */
    public List<Answer<Delivery>> answers(Function<List<Addressed>, List<Answer<Delivery>>> send) {
        var genuine = checked.stream().filter(Answer::isDone).map(Answer::orThrow).toList();
        var sent =
                (genuine.isEmpty() ? List.<Answer<Delivery>>of() : send.apply(genuine)).iterator();
        var answers = new ArrayList<Answer<Delivery>>();
        for (var one : checked) {
            answers.add(
                    switch (one) {
                        case Answer.Refused<Addressed>(FlowFabricException refusal) ->
                                Answer.refused(refusal);
                        case Answer.Done<Addressed> done -> useless(sent.next());
                    });
        }
        return answers;
    }

    /** An outsider learns no more of a closed waitpoint than that its token is useless. */
    private static Answer<Delivery> useless(Answer<Delivery> sent) {
        boolean gone =
                sent instanceof Answer.Refused<Delivery> refused
                        && (refused.error() instanceof NotFound
                                || (refused.error() instanceof Conflict conflict
                                        && conflict.code() != Conflict.Code.SENT_DIFFERENTLY));
        return gone
                ? Answer.refused(
                        new Denied(
                                Denied.Code.WAITPOINT_CLOSED,
                                "The token is of no use any more: nothing waits for its signal."))
                : sent;
    }
}
