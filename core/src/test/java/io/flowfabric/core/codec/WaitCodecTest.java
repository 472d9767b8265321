package io.flowfabric.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Limit;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.signal.Awaiting;
import io.flowfabric.core.signal.Condition;
import io.flowfabric.core.signal.Resumption;
import io.flowfabric.core.signal.SignalHead;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.signal.Suspension.Behaviour;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
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

    @Test
    void what_a_newer_program_wrote_stays_where_it_is_about_the_same() {
        var read =
                WaitCodec.awaiting(
                        Json.parseObject(
                                """
                                {"opened": 2, "mood": "calm",
                                 "places": {"boss": {"number": 1, "opened": 5, "colour": "red"},
                                            "bank": {"number": 2, "opened": 5, "colour": "blue"}},
                                 "wait": {"name": "approval", "left": "never", "urgency": 3}}
                                """));

        var kept = WaitCodec.write(read.receiving("boss").asOf(0)).toString();
        assertThat(kept).contains("\"mood\":\"calm\"", "\"urgency\":3", "red", "blue");

        var changed =
                read.opening("bank", Optional.empty(), NOW)
                        .waiting(read.pending().map(wait -> called("other", wait)));
        assertThat(WaitCodec.write(changed).toString())
                .contains("calm", "red")
                .doesNotContain("blue", "urgency");
        assertThat(WaitCodec.write(read.closed()).toString())
                .contains("calm", "red", "blue")
                .doesNotContain("urgency");
    }

    private static Awaiting.Wait called(String name, Awaiting.Wait wait) {
        return new Awaiting.Wait(
                name,
                wait.left(),
                wait.waitpoints(),
                wait.behaviour(),
                wait.resumeDelay(),
                wait.counted());
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
    void no_wait_ends_with_a_larger_step_than_was_said_before() {
        for (String character : List.of("\"", "\\", "é", "\u2028", "x")) {
            int bytes = character.getBytes(StandardCharsets.UTF_8).length;
            var name = character.repeat((int) Limit.NAME_BYTES.max() / bytes);
            var head = new SignalHead(Limit.SIGNALS.max(), name, name, name);
            for (int signals : List.of(1, (int) Limit.CONDITION_SIGNALS.max())) {
                var condition = Condition.atLeast(signals, Condition.Distinct.SIGNALS, name);
                var counted = Collections.nCopies(signals + 1, head);
                var content = WaitCodec.write(new Resumption(Resumption.Cause.TIMEOUT, counted));

                assertThat(new Step(name, content, 0, NOW).bytes())
                        .isLessThanOrEqualTo(
                                WaitCodec.mostBytes(Suspension.until(name, condition)));
            }
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
