package io.flowfabric.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.signal.Awaiting;
import io.flowfabric.core.signal.Condition;
import io.flowfabric.core.signal.Resumption;
import io.flowfabric.core.signal.SignalHead;
import io.flowfabric.core.signal.Suspension.Behaviour;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

class WaitCodecTest {
    private static final Instant NOW = Instant.ofEpochMilli(1_700_000_000_000L);
    private static final SignalHead HEAD = new SignalHead(7, "boss", "yes", "zoë");

    @Test
    void what_is_remembered_is_read_as_it_was_written() {
        for (Behaviour behaviour : Behaviour.values()) {
            var awaiting =
                    Awaiting.NOTHING
                            .asOf(2)
                            .opening("boss", Optional.empty(), NOW)
                            .opening("bank", Optional.of(NOW.plusMillis(5)), NOW)
                            .receiving("boss")
                            .closing(List.of("bank"))
                            .waiting(
                                    Optional.of(
                                            new Awaiting.Wait(
                                                    "approval",
                                                    Condition.signal("boss"),
                                                    List.of("boss"),
                                                    behaviour,
                                                    Duration.ofMillis(3),
                                                    List.of(HEAD))));
            assertThat(read(awaiting)).isEqualTo(awaiting);
        }
        assertThat(read(Awaiting.NOTHING)).isEqualTo(Awaiting.NOTHING);
    }

    private static Awaiting read(Awaiting awaiting) {
        return WaitCodec.awaiting(Json.parseObject(WaitCodec.write(awaiting).toString()));
    }

    @Test
    void how_a_wait_ended_is_read_as_it_was_written() {
        for (Resumption.Cause cause : Resumption.Cause.values()) {
            var resumption = new Resumption(cause, List.of(HEAD));
            assertThat(WaitCodec.resumption(WaitCodec.write(resumption))).isEqualTo(resumption);
        }
    }

    @Test
    void in_the_next_life_nothing_is_open_and_numbers_go_on() {
        var before = Awaiting.NOTHING.opening("boss", Optional.empty(), NOW).receiving("boss");
        var after = before.asOf(1);

        assertThat(after.places()).isEmpty();
        assertThat(
                        after.opening("boss", Optional.empty(), NOW)
                                .place("boss")
                                .orElseThrow()
                                .number())
                .isEqualTo(2);
        assertThat(after.received()).isEqualTo(1);
        assertThat(before.asOf(0)).isEqualTo(before);
    }
}
