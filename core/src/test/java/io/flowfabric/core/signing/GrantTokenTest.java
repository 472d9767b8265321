package io.flowfabric.core.signing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Denied;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.SessionId;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;

class GrantTokenTest {
    private static final SigningKey KEY = new SigningKey("0123456789ab", secret());
    private static final ExecutionId EXECUTION =
            ExecutionId.parse("{fp:42}:550e8400-e29b-41d4-a716-446655440000");
    private static final SessionId SESSION =
            SessionId.parse("01890a5d-ac96-774b-bcce-b302099a8057");
    private static final Instant UNTIL = Instant.parse("2026-01-01T00:00:00Z");

    /** Computed beside this program, from the description of the form. */
    private static final String TEXT =
            "ffg1.0123456789ab.42.550e8400-e29b-41d4-a716-446655440000.7"
                    + ".01890a5d-ac96-774b-bcce-b302099a8057.1767225600000"
                    + ".erO5pM3gHRvbSBZUbjMbnTUun49jnljIdEbt6ZMkHRc";

    private static byte[] secret() {
        var bytes = new byte[32];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    @Test
    void the_form_never_changes() {
        assertThat(GrantToken.sign(KEY, EXECUTION, 7, SESSION, UNTIL).text()).isEqualTo(TEXT);
    }

    @Test
    void a_token_is_read_as_it_was_written() {
        var token = GrantToken.parse(TEXT);

        assertThat(token).isEqualTo(GrantToken.sign(KEY, EXECUTION, 7, SESSION, UNTIL));
        assertThat(token.text()).isEqualTo(TEXT);
        token.verify(KEY);
    }

    @Test
    void another_secret_or_another_name_of_the_key_does_not_fit() {
        var token = GrantToken.parse(TEXT);

        assertBad(token, SigningKey.mint(KEY.id()));
        assertBad(token, new SigningKey("ba9876543210", secret()));
    }

    @Test
    void every_field_is_sealed() {
        var token = GrantToken.parse(TEXT);
        var elsewhere = ExecutionId.parse("{fp:43}:" + EXECUTION.uuid());

        assertBad(with(token, ExecutionId.mint(), 7, SESSION, UNTIL), KEY);
        assertBad(with(token, elsewhere, 7, SESSION, UNTIL), KEY);
        assertBad(with(token, EXECUTION, 8, SESSION, UNTIL), KEY);
        assertBad(with(token, EXECUTION, 7, SessionId.mint(), UNTIL), KEY);
        assertBad(with(token, EXECUTION, 7, SESSION, UNTIL.plusMillis(1)), KEY);
    }

    @Test
    void the_seal_of_another_purpose_is_none() {
        var other =
                KEY.seal("waitpoint")
                        .number(42)
                        .text(EXECUTION.uuid().toString())
                        .number(7)
                        .text(SESSION.toString())
                        .number(UNTIL.toEpochMilli())
                        .done();

        assertBad(new GrantToken(KEY.id(), EXECUTION, 7, SESSION, UNTIL, other), KEY);
    }

    @Test
    void fields_do_not_run_into_each_other() {
        assertThat(KEY.seal("grant").text("ab").text("c").done())
                .isNotEqualTo(KEY.seal("grant").text("a").text("bc").done());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ffg1",
                "ffg1.......",
                "ffg2.0123456789ab.42.550e8400-e29b-41d4-a716-446655440000.7.01890a5d-ac96-774b-bcce-b302099a8057.1.x",
                "{fp:42}:550e8400-e29b-41d4-a716-446655440000"
            })
    void what_is_no_token_is_malformed(String text) {
        assertThatThrownBy(() -> GrantToken.parse(text))
                .isInstanceOfSatisfying(
                        Denied.class,
                        denied -> assertThat(denied.code()).isEqualTo(Denied.Code.MALFORMED_TOKEN));
    }

    @Test
    void numbers_that_do_not_fit_are_malformed_and_nothing_worse() {
        for (String text :
                new String[] {
                    TEXT.replace(".42.", ".256."),
                    TEXT.replace(".42.", ".999."),
                    TEXT.replace(".42.", ".99999999999."),
                    TEXT.replace(".7.", ".99999999999999999999."),
                    TEXT.replace(".7.", ".0."),
                    TEXT.replace(".1767225600000.", ".99999999999999999999.")
                }) {
            assertThatThrownBy(() -> GrantToken.parse(text)).isInstanceOf(Denied.class);
        }
    }

    @Test
    void neither_a_key_nor_a_token_shows_what_makes_it_worth_something() {
        assertThat(KEY.toString()).isEqualTo("key 0123456789ab");
        assertThat(GrantToken.parse(TEXT).toString())
                .contains(EXECUTION.toString(), SESSION.toString())
                .doesNotContain(GrantToken.parse(TEXT).seal());
    }

    @Test
    void a_short_secret_and_a_wrong_name_are_refused() {
        assertThatThrownBy(() -> new SigningKey("0123456789ab", new byte[31]))
                .isInstanceOf(Invalid.class);
        assertThatThrownBy(() -> SigningKey.mint("0123456789AB")).isInstanceOf(Invalid.class);
    }

    @Test
    void minted_keys_differ() {
        assertThat(SigningKey.mintId()).isNotEqualTo(SigningKey.mintId());
        assertThat(SigningKey.mint(KEY.id()).secret())
                .isNotEqualTo(SigningKey.mint(KEY.id()).secret());
    }

    private static GrantToken with(
            GrantToken token, ExecutionId execution, long epoch, SessionId session, Instant until) {
        return new GrantToken(token.key(), execution, epoch, session, until, token.seal());
    }

    private static void assertBad(GrantToken token, SigningKey key) {
        assertThatThrownBy(() -> token.verify(key))
                .isInstanceOfSatisfying(
                        Denied.class,
                        denied -> assertThat(denied.code()).isEqualTo(Denied.Code.BAD_SIGNATURE));
    }
}
