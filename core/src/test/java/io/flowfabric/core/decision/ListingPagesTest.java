package io.flowfabric.core.decision;

import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Page;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

class ListingPagesTest {
    private static final List<String> NAMES = List.of("ada", "bob", "eve", "zoë");

    /** What a store does: the names after the cursor, cut into a page. */
    private static Page<String> page(Cursor cursor, int max) {
        var after = ListingPages.nameAfter(cursor);
        return ListingPages.byName(
                NAMES.stream().filter(name -> name.compareTo(after) > 0).toList(),
                max,
                Function.identity());
    }

    @Test
    void pages_follow_each_other_without_gaps_and_repetitions() {
        for (int max = 1; max <= NAMES.size() + 1; max++) {
            var seen = new ArrayList<String>();
            var cursor = Cursor.START;
            for (int pages = 1; !cursor.equals(Cursor.END); pages++) {
                assertThat(pages).isLessThanOrEqualTo(NAMES.size());
                var page = page(cursor, max);
                assertThat(page.items()).hasSizeLessThanOrEqualTo(max).isNotEmpty();
                seen.addAll(page.items());
                cursor = page.next();
            }
            assertThat(seen).as("pages of %d", max).isEqualTo(NAMES);
        }
    }

    @Test
    void a_listing_that_just_fits_on_a_page_has_no_other() {
        assertThat(page(Cursor.START, 4).next()).isEqualTo(Cursor.END);
        assertThat(page(Cursor.START, 3).next()).isNotEqualTo(Cursor.END);
    }

    @Test
    void a_listing_goes_on_after_the_last_name_of_its_page() {
        assertThat(ListingPages.nameAfter(Cursor.START)).isEmpty();
        assertThat(ListingPages.nameAfter(page(Cursor.START, 2).next())).isEqualTo("bob");
        assertThat(ListingPages.nameAfter(Cursor.at(Cursor.Purpose.LISTING, "zoë".getBytes(UTF_8))))
                .isEqualTo("zoë");
        assertRefused(
                Invalid.Code.MALFORMED_CURSOR,
                "cursor",
                () -> ListingPages.nameAfter(Cursor.at(Cursor.Purpose.FEED, new byte[1])));
    }

    @Test
    void a_page_has_1_to_1000_items() {
        assertThat(page(Cursor.START, 1000).items()).hasSize(4);
        assertRefused(Invalid.Code.OUT_OF_RANGE, "max", () -> page(Cursor.START, 0));
        assertRefused(Invalid.Code.OUT_OF_RANGE, "max", () -> page(Cursor.START, 1001));
    }
}
