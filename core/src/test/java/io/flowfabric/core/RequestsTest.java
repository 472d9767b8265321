package io.flowfabric.core;

import static io.flowfabric.core.Examples.FAILURE;
import static io.flowfabric.core.Examples.FENCE;
import static io.flowfabric.core.Examples.ID;
import static io.flowfabric.core.Examples.OTHER_FENCE;
import static io.flowfabric.core.Examples.SESSION;
import static io.flowfabric.core.Examples.payload;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Grants.Redemption;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.operate.Keys.Rotation;
import io.flowfabric.core.operate.OperatorCommand;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The small requests: claims, redemptions, rotations, heartbeats, progress and acts. */
class RequestsTest {

    @Test
    void claims_are_numbered_from_1() {
        assertThat(new Claim(SESSION, 1, 1).number()).isEqualTo(1);
        assertThat(new Claim(SESSION, Long.MAX_VALUE, 1).number()).isEqualTo(Long.MAX_VALUE);
        assertRefused(Invalid.Code.OUT_OF_RANGE, "claim number", () -> new Claim(SESSION, 0, 1));
        assertRefused(Invalid.Code.OUT_OF_RANGE, "claim number", () -> new Claim(SESSION, -1, 1));
    }

    @Test
    void a_repeated_claim_is_the_same_claim_and_says_so() {
        assertThat(new Claim(SESSION, 7, 3).repeated()).isFalse();
        assertThat(new Claim(SESSION, 7, 3).again()).isEqualTo(new Claim(SESSION, 7, 3, true));
    }

    @Test
    void a_claim_wants_1_to_256_leases() {
        assertThat(new Claim(SESSION, 1, 256).max()).isEqualTo(256);
        assertRefused(Invalid.Code.OUT_OF_RANGE, "claim max", () -> new Claim(SESSION, 1, 257));
        assertRefused(Invalid.Code.OUT_OF_RANGE, "claim max", () -> new Claim(SESSION, 1, 0));
    }

    @Test
    void redemptions_are_numbered_as_claims_are_and_carry_1_to_256_tokens() {
        assertThat(new Redemption(SESSION, 1, List.of("a token")).number()).isEqualTo(1);
        assertThat(new Redemption(SESSION, 1, Collections.nCopies(256, "a token")).tokens())
                .hasSize(256);
        assertRefused(
                Invalid.Code.OUT_OF_RANGE,
                "claim number",
                () -> new Redemption(SESSION, 0, List.of("a token")));
        assertRefused(
                Invalid.Code.OUT_OF_RANGE, "tokens", () -> new Redemption(SESSION, 1, List.of()));
        assertRefused(
                Invalid.Code.OUT_OF_RANGE,
                "tokens",
                () -> new Redemption(SESSION, 1, Collections.nCopies(257, "a token")));
    }

    @Test
    void a_grant_holds_for_a_millisecond_to_a_minute() {
        assertThat(Grants.checkedTtl(Duration.ofMillis(1))).isEqualTo(Duration.ofMillis(1));
        assertThat(Grants.checkedTtl(Duration.ofMinutes(1))).isEqualTo(Duration.ofMinutes(1));
        assertThat(Grants.checkedTtl(Duration.ofNanos(1_999_999))).isEqualTo(Duration.ofMillis(1));
        assertRefused(
                Invalid.Code.OUT_OF_RANGE,
                "grant ttl in ms",
                () -> Grants.checkedTtl(Duration.ZERO));
        assertRefused(
                Invalid.Code.OUT_OF_RANGE,
                "grant ttl in ms",
                () -> Grants.checkedTtl(Duration.ofMillis(60_001)));
    }

    @Test
    void a_rotation_is_to_a_key_of_a_new_name() {
        var one = Rotation.after(Duration.ofHours(1));

        assertThat(one.grace()).isEqualTo(Duration.ofHours(1));
        assertThat(one.id()).isNotEqualTo(Rotation.after(Duration.ofHours(1)).id());
        assertThat(new Rotation(one.id(), Duration.ZERO).grace()).isZero();
        assertRefused(
                Invalid.Code.MALFORMED_ID, "key id", () -> new Rotation("mine", Duration.ZERO));
        assertRefused(
                Invalid.Code.OUT_OF_RANGE,
                "grace in ms",
                () -> Rotation.after(Duration.ofMillis(-1)));
    }

    @Test
    void a_plain_heartbeat_holds_nothing_and_acknowledges_nothing() {
        assertThat(Heartbeat.of(SESSION)).isEqualTo(new Heartbeat(SESSION, 0, Set.of()));
    }

    @Test
    void a_heartbeat_names_up_to_10000_fences() {
        assertThat(new Heartbeat(SESSION, 0, fences(10_000)).held()).hasSize(10_000);
        assertRefused(
                Invalid.Code.TOO_MANY,
                "held fences",
                () -> new Heartbeat(SESSION, 0, fences(10_001)));
    }

    @Test
    void nobody_can_change_what_a_heartbeat_holds() {
        var held = new HashSet<>(Set.of(FENCE));
        var heartbeat = new Heartbeat(SESSION, 0, held);
        held.add(OTHER_FENCE);

        assertThat(heartbeat.held()).containsExactly(FENCE);
        assertThatThrownBy(() -> heartbeat.held().add(OTHER_FENCE))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 99, 100})
    void progress_goes_from_0_to_100_percent(int percent) {
        assertThat(new Progress(FENCE, percent, "").percent()).isEqualTo(percent);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 101, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void progress_outside_of_0_to_100_percent_is_refused(int percent) {
        assertRefused(Invalid.Code.OUT_OF_RANGE, "percent", () -> new Progress(FENCE, percent, ""));
    }

    @Test
    void the_message_of_a_progress_is_mended_and_cut() {
        assertThat(new Progress(FENCE, 1, "\0" + "x".repeat(5_000)).message())
                .isEqualTo("\uFFFD" + "x".repeat(4_093));
    }

    @Test
    void every_act_is_on_one_execution() {
        var acts =
                List.of(
                        new OperatorCommand.Cancel(ID),
                        new OperatorCommand.Complete(ID, Payload.EMPTY),
                        new OperatorCommand.Fail(ID, FAILURE),
                        new OperatorCommand.Pause(ID),
                        new OperatorCommand.Resume(ID),
                        new OperatorCommand.Revoke(ID),
                        new OperatorCommand.Reprioritise(ID, 1),
                        new OperatorCommand.Replay(ID));

        assertThat(acts).extracting(OperatorCommand::execution).containsOnly(ID);
        assertThat(acts.stream().<Class<?>>map(OperatorCommand::getClass))
                .containsExactlyInAnyOrder(OperatorCommand.class.getPermittedSubclasses());
    }

    @Test
    void an_act_is_as_large_as_its_result_or_the_detail_of_its_failure() {
        assertThat(new OperatorCommand.Complete(ID, payload(1000)).bytes()).isEqualTo(1000);
        assertThat(new OperatorCommand.Fail(ID, new Failure("mine", "no", "at Line 1")).bytes())
                .isEqualTo(9);
        assertThat(new OperatorCommand.Cancel(ID).bytes()).isZero();
    }

    @Test
    void a_result_from_outside_may_take_a_mebibyte_and_no_more() {
        assertThat(new OperatorCommand.Complete(ID, payload(1 << 20)).result().size())
                .isEqualTo(1 << 20);
        assertRefused(
                Invalid.Code.TOO_LARGE,
                "result",
                () -> new OperatorCommand.Complete(ID, payload((1 << 20) + 1)));
    }

    @Test
    void a_new_priority_goes_from_0_to_9000() {
        assertThat(new OperatorCommand.Reprioritise(ID, 0).priority()).isZero();
        assertThat(new OperatorCommand.Reprioritise(ID, 9000).priority()).isEqualTo(9000);
        assertRefused(
                Invalid.Code.OUT_OF_RANGE,
                "priority",
                () -> new OperatorCommand.Reprioritise(ID, 9001));
        assertRefused(
                Invalid.Code.OUT_OF_RANGE,
                "priority",
                () -> new OperatorCommand.Reprioritise(ID, -1));
    }

    private static Set<Fence> fences(int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(epoch -> new Fence(ID, 0, epoch))
                .collect(Collectors.toSet());
    }

    @Test
    void a_heartbeat_acknowledges_no_number_below_zero() {
        assertRefused(
                Invalid.Code.OUT_OF_RANGE,
                "acknowledged",
                () -> new Heartbeat(SESSION, -1, Set.of()));
    }

    @Test
    void a_heartbeat_waits_for_its_answer_for_a_while() {
        assertThat(Heartbeat.of(SESSION).patience()).isEqualTo(Duration.ofSeconds(5));
        assertRefused(
                Invalid.Code.OUT_OF_RANGE,
                "patience",
                () -> new Heartbeat(SESSION, 0, Set.of(), Duration.ZERO));
    }
}
