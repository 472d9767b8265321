package io.flowfabric.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

/** R19: what is sent at once is bounded by bytes as well as by count. */
class ChunksTest {
    private static final long HALF = Chunks.BYTES / 2;

    @Test
    void parts_have_no_more_items_than_is_said() {
        assertThat(Chunks.of(List.of(1L, 1L, 1L, 1L, 1L), 2, size -> size))
                .containsExactly(List.of(1L, 1L), List.of(1L, 1L), List.of(1L));
    }

    @Test
    void parts_have_no_more_bytes_than_one_call_should() {
        assertThat(Chunks.of(List.of(HALF, HALF, 1L, HALF, HALF), 10, size -> size))
                .containsExactly(List.of(HALF, HALF), List.of(1L, HALF), List.of(HALF));
    }

    @Test
    void what_is_too_large_by_itself_is_alone() {
        long huge = Chunks.BYTES + 1;

        assertThat(Chunks.of(List.of(1L, huge, huge, 1L), 10, size -> size))
                .containsExactly(List.of(1L), List.of(huge), List.of(huge), List.of(1L));
    }

    @Test
    void an_item_fits_while_neither_the_count_nor_the_bytes_are_exceeded() {
        assertThat(Chunks.fits(0, 1, 0, Chunks.BYTES + 1)).as("the first always").isTrue();
        assertThat(Chunks.fits(1, 2, HALF, HALF)).isTrue();
        assertThat(Chunks.fits(1, 2, HALF, HALF + 1)).isFalse();
        assertThat(Chunks.fits(2, 2, 0, 0)).isFalse();
    }

    @Test
    void nothing_has_no_parts() {
        assertThat(Chunks.of(List.<Long>of(), 10, size -> size)).isEmpty();
    }
}
