package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idIn;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.operate.Workers;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Rule 20: what was accepted can be found, on pages that miss nothing. */
abstract class SearchingRules extends Rules {
    private static final Search ALL = Search.in(Namespace.DEFAULT);

    SearchingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    @BatchAnswers({"P78", "W43"})
    void pages_of_any_size_show_everything_once_in_the_order_of_submission() {
        var works = scattered(11);

        for (int size = 1; size <= 12; size++) {
            assertThat(world.find(ALL, size)).isEqualTo(works);
        }
    }

    @Test
    @BatchAnswers({"P78", "W43"})
    void pages_of_any_size_show_everything_once_against_the_order_of_submission() {
        var works = scattered(11);

        for (int size = 1; size <= 12; size++) {
            assertThat(world.find(ALL.newestFirst(), size)).isEqualTo(works.reversed());
        }
    }

    @Test
    @BatchAnswers("W43")
    void a_page_is_not_the_last_because_nothing_on_it_fits() {
        var works = scattered(40);
        var first = works.getFirst();
        var last = works.getLast();
        world.cancel(first);
        world.cancel(last);

        var cancelled = ALL.states(PublicState.CANCELLED);

        assertThat(world.find(cancelled, 1)).containsExactly(first, last);
        assertThat(world.find(cancelled.newestFirst(), 1)).containsExactly(last, first);
    }

    @Test
    void a_page_is_full_when_there_is_enough() {
        scattered(5);

        var page = world.store().queries().search(ALL, Cursor.START, 3);

        assertThat(page.items()).hasSize(3);
        assertThat(page.next()).isNotEqualTo(Cursor.END);
    }

    @Test
    void the_last_page_says_so() {
        scattered(3);

        assertThat(world.store().queries().search(ALL, Cursor.START, 3).next())
                .isEqualTo(Cursor.END);
        assertThat(world.store().queries().search(ALL, Cursor.START, 4).next())
                .isEqualTo(Cursor.END);
    }

    @Test
    void pages_stay_in_step_while_work_comes_and_changes() {
        var works = scattered(6);
        var oldest = world.store().queries().search(ALL, Cursor.START, 2);
        var newest = world.store().queries().search(ALL.newestFirst(), Cursor.START, 2);

        var later = world.submit();
        world.worker().claim(6).forEach(lease -> world.end(complete(lease)).orThrow());

        assertThat(idsAfter(ALL, oldest.next())).isEqualTo(plus(works.subList(2, 6), later));
        assertThat(idsAfter(ALL.newestFirst(), newest.next()))
                .isEqualTo(works.subList(0, 4).reversed());
    }

    @Test
    void a_search_can_be_narrowed_in_every_way() {
        var lane = world.newLane();
        var plain = world.submit();
        var other = world.submit(work().lane(lane));
        var kind = world.submit(Submission.of("paint", Payload.EMPTY));
        var red = world.submit(work().tag("colour", "red"));
        var redXl = world.submit(work().lane(lane).tag("colour", "red").tag("size", "xl"));
        var elsewhere = world.submit(work().lane(new Lane(Scenario.ELSEWHERE, "default")));

        assertThat(world.find(ALL)).containsExactly(plain, other, kind, red, redXl);
        assertThat(world.find(Search.in(Scenario.ELSEWHERE))).containsExactly(elsewhere);
        assertThat(world.find(ALL.lane(lane.name()))).containsExactly(other, redXl);
        assertThat(world.find(ALL.kind("paint"))).containsExactly(kind);
        assertThat(world.find(ALL.tag("colour", "red"))).containsExactly(red, redXl);
        assertThat(world.find(ALL.tag("colour", "red").tag("size", "xl"))).containsExactly(redXl);
        assertThat(world.find(ALL.tag("colour", "red").lane(lane.name()))).containsExactly(redXl);
        assertThat(world.find(ALL.tag("colour", "r"))).isEmpty();
        assertThat(world.find(ALL.tag("size", ""))).isEmpty();
    }

    @Test
    void a_search_can_ask_for_several_states() {
        var works = scattered(4);
        world.cancel(works.get(1));
        world.end(complete(world.worker().claimOne())).orThrow();

        assertThat(world.find(ALL.states(PublicState.CANCELLED, PublicState.COMPLETED)))
                .containsExactly(works.get(0), works.get(1));
        assertThat(world.find(ALL.states(PublicState.WAITING)))
                .containsExactly(works.get(2), works.get(3));
    }

    @Test
    void what_a_search_shows_is_what_a_description_shows() {
        var lease = world.begun();
        world.report(lease, 50).orThrow();

        assertThat(world.store().queries().search(ALL, Cursor.START, 10).items())
                .containsExactly(world.view(lease));
    }

    @Test
    void a_search_refuses_what_is_no_place_and_no_size() {
        scattered(3);
        var queries = world.store().queries();
        var feed = world.store().feeds().beginning();
        var garbage = Cursor.at(Cursor.Purpose.LISTING, "garbage".getBytes(StandardCharsets.UTF_8));

        for (var cursor : List.of(feed, garbage)) {
            assertThat(asked(() -> queries.search(ALL, cursor, 10)))
                    .isInvalid(Invalid.Code.MALFORMED_CURSOR);
        }
        for (int max : new int[] {-1, 0, 1001}) {
            assertThat(asked(() -> queries.search(ALL, Cursor.START, max)))
                    .isInvalid(Invalid.Code.OUT_OF_RANGE);
        }
    }

    @Test
    void no_listing_goes_on_from_its_end_from_now_or_from_a_place_in_a_feed() {
        var store = world.store();
        var here = Namespace.DEFAULT;
        var listings =
                List.<Function<Cursor, Page<?>>>of(
                        after -> store.queries().search(ALL, after, 1),
                        after -> store.namespaces().list(after, 1),
                        after -> store.lanes().list(here, after, 1),
                        after -> store.quotas().list(here, after, 1),
                        after -> store.budgets().list(here, after, 1),
                        after -> store.workers().list(here, Workers.Scope.ALL, after, 1));

        for (var listing : listings) {
            assertThat(listing.apply(Cursor.START).next()).isEqualTo(Cursor.END);
            for (var cursor : List.of(Cursor.END, Cursor.NOW, store.feeds().beginning())) {
                assertThat(asked(() -> listing.apply(cursor)))
                        .isInvalid(Invalid.Code.MALFORMED_CURSOR);
            }
        }
    }

    /** Work in many partitions, all submitted at the same moment. */
    private List<ExecutionId> scattered(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> world.submit(work().id(idIn((i * 97) % 256))))
                .toList();
    }

    private List<ExecutionId> idsAfter(Search search, Cursor after) {
        return world.store().queries().search(search, after, 100).items().stream()
                .map(view -> view.id())
                .toList();
    }

    private static List<ExecutionId> plus(List<ExecutionId> works, ExecutionId another) {
        var all = new ArrayList<>(works);
        all.add(another);
        return all;
    }
}
