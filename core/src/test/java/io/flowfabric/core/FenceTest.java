package io.flowfabric.core;

import static io.flowfabric.core.Examples.ID;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FenceTest {
    private static final String ID_TEXT = "{fp:42}:550e8400-e29b-41d4-a716-446655440000";

    @Test
    void it_is_written_as_execution_attempt_and_epoch() {
        assertThat(new Fence(ID, 3, 17)).hasToString(ID_TEXT + "/3/17");
        assertThat(Fence.parse(ID_TEXT + "/3/17")).isEqualTo(new Fence(ID, 3, 17));
    }

    /** R39: programs that know leases and attempts by ids get the same ones wherever they ask. */
    @Test
    void the_ids_of_lease_and_attempt_are_made_of_the_fence() {
        var fence = new Fence(ID, 3, 17);

        assertThat(fence.leaseId()).hasToString("0a21ca46-3b7e-8ea5-9321-a56b41e4a8f3");
        assertThat(fence.attemptId()).hasToString("06b539c3-af66-85c9-8c0d-dd0e22803923");
        assertThat(fence.leaseId().version()).isEqualTo(8);
        assertThat(fence.leaseId().variant()).isEqualTo(2);
        assertThat(new Fence(ID, 4, 17).leaseId()).isEqualTo(fence.leaseId());
        assertThat(new Fence(ID, 3, 18).leaseId()).isNotEqualTo(fence.leaseId());
        assertThat(new Fence(ID, 3, 18).attemptId()).isEqualTo(fence.attemptId());
        assertThat(new Fence(ID, 4, 18).attemptId()).isNotEqualTo(fence.attemptId());
        assertThat(new Fence(ExecutionId.mint(), 3, 17).leaseId()).isNotEqualTo(fence.leaseId());
        assertThat(new Fence(ID, 17, 17).leaseId()).isNotEqualTo(new Fence(ID, 17, 17).attemptId());
    }

    @Test
    void attempts_count_from_0_and_epochs_from_1() {
        assertThat(Fence.parse(ID_TEXT + "/0/1")).isEqualTo(new Fence(ID, 0, 1));
    }

    @ParameterizedTest
    @CsvSource({"-1, 1", "0, 0", "0, -1", "-2147483648, 1", "0, -9223372036854775808"})
    void a_fence_below_the_first_cannot_be_built(int attempt, long epoch) {
        assertRefused(Invalid.Code.MALFORMED_FENCE, "fence", () -> new Fence(ID, attempt, epoch));
    }

    @Test
    void the_largest_fence_is_readable() {
        var largest = new Fence(ID, Integer.MAX_VALUE, Long.MAX_VALUE);

        assertThat(Fence.parse(ID_TEXT + "/2147483647/9223372036854775807")).isEqualTo(largest);
    }

    @Test
    void other_spellings_become_the_canonical_fence() {
        assertThat(Fence.parse("{fp:042}:550E8400-E29B-41D4-A716-446655440000/007/0000000042"))
                .hasToString(ID_TEXT + "/7/42");
        assertThat(Fence.parse("550e8400-e29b-41d4-a716-44665544002a/1/2"))
                .hasToString("{fp:42}:550e8400-e29b-41d4-a716-44665544002a/1/2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "//",
                "/0/1",
                ID_TEXT,
                ID_TEXT + "/1",
                ID_TEXT + "/1/",
                ID_TEXT + "//1",
                ID_TEXT + "/0/0",
                ID_TEXT + "/-1/1",
                ID_TEXT + "/+1/1",
                ID_TEXT + "/1/-1",
                ID_TEXT + "/1/1 ",
                ID_TEXT + "/1/1\n",
                ID_TEXT + "/1/1/",
                ID_TEXT + "/1/0x1",
                ID_TEXT + "/1/\u0661",
                ID_TEXT + "/2147483648/1",
                ID_TEXT + "/9999999999/1",
                ID_TEXT + "/00000000001/1",
                ID_TEXT + "/0/9223372036854775808",
                ID_TEXT + "/0/9999999999999999999",
                ID_TEXT + "/0/00000000000000000001"
            })
    void anything_else_is_refused(String text) {
        assertRefused(Invalid.Code.MALFORMED_FENCE, "fence", () -> Fence.parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"nonsense/0/1", ID_TEXT + "/1/1/1", "\n/0/1"})
    void a_fence_of_no_execution_is_refused_as_a_malformed_id(String text) {
        assertRefused(Invalid.Code.MALFORMED_ID, "execution id", () -> Fence.parse(text));
    }
}
