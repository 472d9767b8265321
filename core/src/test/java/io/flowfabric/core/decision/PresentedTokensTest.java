package io.flowfabric.core.decision;

import static io.flowfabric.core.Examples.ID;
import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Examples.OTHER_ID;
import static io.flowfabric.core.Examples.SESSION;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Denied;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.signing.GrantToken;
import io.flowfabric.core.signing.KeyRing;
import io.flowfabric.core.signing.SigningKey;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

class PresentedTokensTest {
    private static final SigningKey NEW = SigningKey.mint("0123456789ab");
    private static final SigningKey OLD = SigningKey.mint("ba9876543210");
    private static final Instant LATER = NOON.plusSeconds(30);

    private static KeyRing ring(Instant retires, Instant now) {
        return new KeyRing(
                List.of(
                        new KeyRing.Kept(OLD, Optional.of(retires)),
                        new KeyRing.Kept(NEW, Optional.empty())),
                now);
    }

    private static String token(SigningKey key, ExecutionId execution) {
        return GrantToken.sign(key, execution, 7, SESSION, LATER).text();
    }

    private static Denied.Code refusal(Answer<?> answer) {
        return ((Denied) ((Answer.Refused<?>) answer).error()).code();
    }

    @Test
    void the_key_that_never_retires_signs() {
        assertThat(ring(LATER, NOON).current()).isEqualTo(NEW);
        assertThatThrownBy(() -> new KeyRing(List.of(), NOON).current())
                .isInstanceOf(Unavailable.class);
    }

    @Test
    void each_genuine_token_is_looked_for_and_each_other_says_what_is_wrong() {
        var tokens =
                List.of(
                        token(NEW, ID),
                        token(NEW, ID),
                        token(OLD, OTHER_ID),
                        token(SigningKey.mint("cccccccccccc"), ID));
        var presented = PresentedTokens.of(ring(LATER, NOON), tokens);

        assertThat(presented.genuine())
                .extracting(GrantToken::execution)
                .containsExactly(ID, OTHER_ID);
        var answers =
                presented.answers(
                        token -> Optional.of(token.execution()).filter(id -> id.equals(ID)));
        assertThat(answers.subList(0, 2)).containsOnly(Answer.done(ID));
        assertThat(refusal(answers.get(2))).isEqualTo(Denied.Code.UNKNOWN_GRANT);
        assertThat(refusal(answers.get(3))).isEqualTo(Denied.Code.UNKNOWN_KEY);
    }

    @Test
    void a_token_that_its_key_did_not_seal_is_refused() {
        var forged = token(SigningKey.mint(NEW.id()), ID);

        assertThat(codes(ring(LATER, NOON), List.of(forged)))
                .containsExactly(Denied.Code.BAD_SIGNATURE);
    }

    @Test
    void time_ends_keys_and_tokens() {
        var old = List.of(token(OLD, ID));

        assertThat(PresentedTokens.of(ring(LATER, LATER.minusMillis(1)), old).genuine())
                .isNotEmpty();
        assertThat(codes(ring(NOON, NOON), old)).containsExactly(Denied.Code.UNKNOWN_KEY);
        assertThat(codes(ring(LATER, LATER), List.of(token(NEW, ID))))
                .containsExactly(Denied.Code.TOKEN_EXPIRED);
    }

    @Test
    void a_repeated_redemption_is_not_a_matter_of_time() {
        var tokens = List.of(token(OLD, ID), token(NEW, OTHER_ID));
        var presented = PresentedTokens.again(ring(NOON, LATER), tokens, Set.of(ID));

        assertThat(presented.genuine()).extracting(GrantToken::execution).containsExactly(ID);
    }

    @Test
    void a_repeated_redemption_still_needs_the_seal() {
        var forged = GrantToken.sign(SigningKey.mint(NEW.id()), ID, 7, SESSION, LATER).text();

        assertThat(PresentedTokens.again(ring(LATER, NOON), List.of(forged), Set.of(ID)).genuine())
                .isEmpty();
    }

    private static List<Denied.Code> codes(KeyRing ring, List<String> tokens) {
        return PresentedTokens.of(ring, tokens).answers(token -> Optional.of(token)).stream()
                .map(PresentedTokensTest::refusal)
                .toList();
    }
}
