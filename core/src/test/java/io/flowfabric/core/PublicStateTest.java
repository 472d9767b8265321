package io.flowfabric.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.stream.Stream;

class PublicStateTest {

    @Test
    void the_words_are_those_of_the_original() {
        assertThat(Stream.of(PublicState.values()).map(PublicState::wire))
                .containsExactly(
                        "waiting",
                        "delayed",
                        "rate_limited",
                        "waiting_children",
                        "active",
                        "suspended",
                        "completed",
                        "failed",
                        "cancelled",
                        "expired",
                        "skipped");
    }

    @Test
    void five_of_them_are_ends() {
        assertThat(Stream.of(PublicState.values()).filter(PublicState::terminal))
                .containsExactly(
                        PublicState.COMPLETED,
                        PublicState.FAILED,
                        PublicState.CANCELLED,
                        PublicState.EXPIRED,
                        PublicState.SKIPPED);
    }
}
