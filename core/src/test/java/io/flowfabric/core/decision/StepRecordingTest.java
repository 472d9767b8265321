package io.flowfabric.core.decision;

import static io.flowfabric.core.Examples.FENCE;
import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Examples.OTHER_FENCE;
import static io.flowfabric.core.Examples.SESSION;
import static io.flowfabric.core.Examples.payload;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Tags;
import io.flowfabric.core.decision.StepRecording.Recorded;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.store.Chunks;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

class StepRecordingTest {
    private static final Payload PAID = Payload.text("paid");
    private static final Checkpoint PAY = new Checkpoint(FENCE, "pay", PAID);
    private static final Lease LEASE =
            new Lease(
                    FENCE,
                    SESSION,
                    LeasePurpose.FIRST,
                    Lane.DEFAULT,
                    "job",
                    Payload.EMPTY,
                    Tags.NONE,
                    Policy.DEFAULT,
                    0,
                    NOON,
                    Optional.empty());

    @Test
    void a_repeat_is_answered_with_what_was_recorded_first() {
        var first = new Recorded(PAY.digest(), 3, NOON);

        assertThat(StepRecording.repeated(new Checkpoint(OTHER_FENCE, "pay", PAID), first))
                .isEqualTo(new Step("pay", PAID, 3, NOON));
        assertThatThrownBy(
                        () ->
                                StepRecording.repeated(
                                        new Checkpoint(FENCE, "pay", Payload.EMPTY), first))
                .isInstanceOf(Conflict.class)
                .hasMessageContaining("attempt 3");
    }

    @Test
    void a_step_fits_as_long_as_neither_limit_is_exceeded() {
        long rest = (16 << 20) - PAY.bytes();

        StepRecording.mustFit(PAY, 999, rest);
        assertRefused(Invalid.Code.TOO_MANY, "steps", () -> StepRecording.mustFit(PAY, 1000, rest));
        assertRefused(
                Invalid.Code.TOO_LARGE, "steps", () -> StepRecording.mustFit(PAY, 0, rest + 1));
    }

    @Test
    void steps_come_with_a_lease_up_to_their_size() {
        var small = new Step("a", Payload.of(new byte[(16 << 10) - 4], "x/y"), 0, NOON);
        var more = new Step("b", Payload.of(new byte[0], "x"), 0, NOON);

        assertThat(StepRecording.with(LEASE, List.of())).isEqualTo(LEASE);
        assertThat(StepRecording.with(LEASE, List.of(small)).steps()).containsExactly(small);
        assertThat(StepRecording.with(LEASE, List.of(small)).stepsApart()).isFalse();
        var apart = StepRecording.with(LEASE, List.of(small, more));
        assertThat(apart.steps()).isEmpty();
        assertThat(apart.stepsApart()).isTrue();
        assertThat(apart.steps(List.of())).isEqualTo(LEASE);
    }

    @Test
    void pages_lead_from_one_to_the_next() {
        var steps = steps(5, 1);

        var first = NumberedPages.page(0, steps, Step::bytes, 2, false);
        assertThat(first.items()).isEqualTo(steps.subList(0, 2));
        assertThat(NumberedPages.before(first.next())).isEqualTo(2);
        assertThat(NumberedPages.page(2, steps.subList(2, 5), Step::bytes, 3, false).next())
                .isEqualTo(Cursor.END);
        var cut = NumberedPages.page(2, steps.subList(2, 4), Step::bytes, 3, true);
        assertThat(cut.items()).hasSize(2);
        assertThat(NumberedPages.before(cut.next())).isEqualTo(4);
        assertThat(NumberedPages.before(Cursor.START)).isZero();
        assertThat(NumberedPages.page(0, List.<Step>of(), Step::bytes, 3, false).next())
                .isEqualTo(Cursor.END);
    }

    @Test
    void a_page_is_full_when_it_has_enough_bytes() {
        var steps = steps(40, 256 << 10);

        var page = NumberedPages.page(0, steps, Step::bytes, 40, false);

        assertThat(page.items()).hasSize(31);
        assertThat(page.items().stream().mapToLong(Step::bytes).sum()).isLessThan(Chunks.BYTES);
        assertThat(NumberedPages.before(page.next())).isEqualTo(31);
    }

    private static List<Step> steps(int count, int bytes) {
        return IntStream.range(0, count)
                .mapToObj(n -> new Step("step " + n, payload(bytes), 0, NOON))
                .toList();
    }

    @Test
    void a_place_that_no_listing_of_steps_gave_out_is_refused() {
        for (var position : List.of(new byte[3], new byte[5], new byte[] {-1, 0, 0, 0})) {
            var cursor = Cursor.at(Cursor.Purpose.LISTING, position);
            assertRefused(
                    Invalid.Code.MALFORMED_CURSOR, "cursor", () -> NumberedPages.before(cursor));
        }
        for (var cursor : List.of(Cursor.NOW, Cursor.END)) {
            assertRefused(
                    Invalid.Code.MALFORMED_CURSOR, "cursor", () -> NumberedPages.before(cursor));
        }
    }
}
