package io.flowfabric.core.decision;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Denied;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.signing.GrantToken;
import io.flowfabric.core.signing.KeyRing;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/** The tokens that a worker presents, and what is wrong with each before any execution is read. */
public final class PresentedTokens {
    private final List<Answer<GrantToken>> checked;

    private PresentedTokens(List<String> tokens, Consumer<GrantToken> check) {
        checked = tokens.stream().map(text -> checked(text, check)).toList();
    }

    /** Tokens that are presented for the first time. */
    public static PresentedTokens of(KeyRing ring, List<String> tokens) {
        return new PresentedTokens(tokens, ring::check);
    }

    /** Tokens of a redemption that is repeated. For those that became leases time is no matter. */
    public static PresentedTokens again(
            KeyRing ring, List<String> tokens, Set<ExecutionId> leased) {
        return new PresentedTokens(
                tokens,
                token -> {
                    if (leased.contains(token.execution())) {
                        ring.checkSeal(token);
                    } else {
                        ring.check(token);
                    }
                });
    }

    private static Answer<GrantToken> checked(String text, Consumer<GrantToken> check) {
        try {
            var token = GrantToken.parse(text);
            check.accept(token);
            return Answer.done(token);
        } catch (Denied refusal) {
            return Answer.refused(refusal);
        }
    }

    /** Those that nothing is wrong with, each once. */
    public List<GrantToken> genuine() {
        return checked.stream().filter(Answer::isDone).map(Answer::orThrow).distinct().toList();
    }

    /**
     * An answer for each token.
     *
     * @param found what a genuine token opens; nothing when the execution is not granted to the
     *     worker, or not any more
     */
    public <T> List<Answer<T>> answers(Function<GrantToken, Optional<T>> found) {
        return checked.stream().map(token -> answer(token, found)).toList();
    }

    private static <T> Answer<T> answer(
            Answer<GrantToken> token, Function<GrantToken, Optional<T>> found) {
        return switch (token) {
            case Answer.Refused<GrantToken>(FlowFabricException refusal) -> Answer.refused(refusal);
            case Answer.Done<GrantToken>(GrantToken good) ->
                    found.apply(good).map(Answer::done).orElseGet(PresentedTokens::unknown);
        };
    }

    private static <T> Answer<T> unknown() {
        return Answer.refused(
                new Denied(
                        Denied.Code.UNKNOWN_GRANT,
                        "The execution is not granted to this session, or not any more."));
    }
}
