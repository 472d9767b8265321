package io.flowfabric.core;

import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.stream.Stream;

class SessionIdTest {
    private static final String TEXT = "550e8400-e29b-41d4-a716-446655440000";

    @Test
    void it_is_written_as_its_uuid() {
        assertThat(SessionId.parse(TEXT)).hasToString(TEXT);
        assertThat(SessionId.parse("550E8400-E29B-41D4-A716-446655440000"))
                .isEqualTo(SessionId.parse(TEXT));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1-1-1-1-1",
                "{fp:42}:550e8400-e29b-41d4-a716-446655440000",
                "550e8400-e29b-41d4-a716-446655440000\n",
                "550e8400e29b41d4a716446655440000"
            })
    void anything_but_a_uuid_is_refused(String text) {
        assertRefused(Invalid.Code.MALFORMED_ID, "session id", () -> SessionId.parse(text));
    }

    @Test
    void each_one_is_minted_once() {
        var session = SessionId.mint();

        assertThat(session.uuid().version()).isEqualTo(7);
        assertThat(SessionId.mint()).isNotEqualTo(session);
    }

    @Test
    void they_are_ordered_by_their_text() {
        var low = SessionId.parse("0fffffff-ffff-ffff-ffff-ffffffffffff");
        var high = SessionId.parse("f0000000-0000-0000-0000-000000000000");

        assertThat(Stream.of(high, low).sorted()).containsExactly(low, high);
        assertThat(low.compareTo(SessionId.parse(low.toString()))).isZero();
    }
}
