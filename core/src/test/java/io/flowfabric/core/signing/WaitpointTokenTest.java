package io.flowfabric.core.signing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Denied;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.signal.Waitpoint;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import java.time.Instant;

class WaitpointTokenTest {
    private static final SigningKey KEY = SigningKey.mint("0000000000a1");
    private static final ExecutionId ID =
            ExecutionId.parse("{fp:42}:550e8400-e29b-41d4-a716-446655440000");
    private static final Instant UNTIL = Instant.ofEpochMilli(1_700_000_000_000L);
    private static final WaitpointToken TOKEN =
            WaitpointToken.sign(KEY, new Waitpoint(ID, "böss/1"), 3, UNTIL);

    @Test
    void the_text_says_all_of_it() {
        var read = WaitpointToken.parse(TOKEN.text());

        assertThat(read).isEqualTo(TOKEN);
        read.verify(KEY);
    }

    @Test
    void what_is_logged_is_worth_nothing() {
        assertThat(TOKEN.toString()).doesNotContain(TOKEN.seal()).contains("böss/1");
    }

    @Test
    void nothing_of_it_can_be_changed() {
        var other = new Waitpoint(ID, "boss/2");
        assertForged(new WaitpointToken(KEY.id(), other, 3, UNTIL, TOKEN.seal()));
        assertForged(new WaitpointToken(KEY.id(), TOKEN.at(), 4, UNTIL, TOKEN.seal()));
        assertForged(
                new WaitpointToken(KEY.id(), TOKEN.at(), 3, UNTIL.plusMillis(1), TOKEN.seal()));
        assertForged(
                new WaitpointToken(
                        KEY.id(),
                        new Waitpoint(
                                ExecutionId.parse("{fp:43}:550e8400-e29b-41d4-a716-446655440000"),
                                TOKEN.at().name()),
                        3,
                        UNTIL,
                        TOKEN.seal()));
    }

    private static void assertForged(WaitpointToken token) {
        assertDenied(() -> token.verify(KEY), Denied.Code.BAD_SIGNATURE);
    }

    @Test
    void another_key_of_the_same_name_did_not_seal_it() {
        assertDenied(() -> TOKEN.verify(SigningKey.mint(KEY.id())), Denied.Code.BAD_SIGNATURE);
    }

    @Test
    void a_name_has_one_spelling() {
        var parts = TOKEN.text().split("\\.", -1);
        for (var name : new String[] {"", "=", "YQ==", "YR", "_w", "AA"}) {
            parts[6] = name;
            assertDenied(
                    () -> WaitpointToken.parse(String.join(".", parts)),
                    Denied.Code.MALFORMED_TOKEN);
        }
    }

    private static void assertDenied(ThrowingCallable call, Denied.Code code) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        Denied.class, denied -> assertThat(denied.code()).isEqualTo(code));
    }
}
