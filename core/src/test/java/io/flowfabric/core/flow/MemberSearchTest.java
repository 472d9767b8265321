package io.flowfabric.core.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Page;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.decision.NumberedPages;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class MemberSearchTest {
    private final GraphExample graph = new GraphExample();
    private final List<Integer> asked = new ArrayList<>();

    private Page<MemberView> listing(Cursor after, int max) {
        asked.add(max);
        int before = NumberedPages.before(after);
        var rest = graph.members.subList(before, graph.members.size());
        return NumberedPages.page(before, rest, member -> 0, max, false);
    }

    private Page<MemberView> search(MemberFilter filter, Cursor after, int max) {
        return MemberSearch.page(this::listing, filter, after, max);
    }

    private static List<String> names(Page<MemberView> page) {
        return page.items().stream().map(MemberView::name).toList();
    }

    private void many(int count) {
        for (int n = 0; n < count; n++) {
            graph.completed("m" + n, 0, 1);
        }
    }

    @Test
    void members_are_found_by_state_and_by_the_beginning_of_their_names() {
        graph.completed("cut-1", 0, 1)
                .failed("cut-2", 0, 1)
                .failed("mix-1", 0, 1)
                .active("cut-3", 0);

        assertThat(names(search(MemberFilter.ALL, Cursor.START, 10))).hasSize(4);
        assertThat(names(search(MemberFilter.ALL.prefix("cut-"), Cursor.START, 10)))
                .containsExactly("cut-1", "cut-2", "cut-3");
        var some = MemberFilter.ALL.prefix("cut-").states(PublicState.FAILED, PublicState.ACTIVE);
        assertThat(names(search(some, Cursor.START, 10))).containsExactly("cut-2", "cut-3");
    }

    @Test
    void a_full_page_goes_on_behind_the_last_one_it_has() {
        graph.active("a", 0).completed("b", 0, 1).active("c", 0).active("d", 0);
        var active = MemberFilter.ALL.states(PublicState.ACTIVE);

        var first = search(active, Cursor.START, 2);
        var second = search(active, first.next(), 2);

        assertThat(names(first)).containsExactly("a", "c");
        assertThat(names(second)).containsExactly("d");
        assertThat(second.next()).isEqualTo(Cursor.END);
    }

    @Test
    void one_call_looks_at_a_bounded_number_of_members() {
        many(9_999);
        graph.active("last", 0);
        var active = MemberFilter.ALL.states(PublicState.ACTIVE);

        var at = Cursor.START;
        var found = new ArrayList<String>();
        int calls = 0;
        while (!at.equals(Cursor.END)) {
            asked.clear();
            var page = search(active, at, 5);
            assertThat(asked.stream().mapToInt(it -> it).sum()).isLessThanOrEqualTo(5_000);
            found.addAll(names(page));
            at = page.next();
            calls++;
        }

        assertThat(found).containsExactly("last");
        assertThat(calls).isEqualTo(3);
    }

    @Test
    void all_pages_together_have_each_member_once() {
        many(2_500);

        var at = Cursor.START;
        var found = new ArrayList<String>();
        while (!at.equals(Cursor.END)) {
            var page = search(MemberFilter.ALL.prefix("m1"), at, 7);
            assertThat(page.items()).hasSizeLessThanOrEqualTo(7);
            found.addAll(names(page));
            at = page.next();
        }

        assertThat(found).hasSize(1_111).doesNotHaveDuplicates();
    }

    @Test
    void a_page_has_a_limit() {
        assertThatThrownBy(() -> search(MemberFilter.ALL, Cursor.START, 0))
                .isInstanceOf(Invalid.class);
        assertThatThrownBy(() -> search(MemberFilter.ALL, Cursor.START, 1001))
                .isInstanceOf(Invalid.class);
    }
}
