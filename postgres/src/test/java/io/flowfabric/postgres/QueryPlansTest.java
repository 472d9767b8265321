package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.Workers.Scope;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.Test;

import java.util.List;

/** How looks at executions, lanes and workers are run. */
class QueryPlansTest extends BacklogPlans {
    QueryPlansTest(Backlog backlog) {
        super(backlog);
    }

    @Test
    void a_look_at_ready_work_asks_once_who_could_take_it() {
        var ids = backlog.submit(BATCH, i -> Submission.of("work", Payload.EMPTY));
        startLogging();
        store.queries().describe(ids);

        assertThat(plans("alive_in")).hasSize(1);
        check("alive_in", 6);
        check("describe", BATCH);
    }

    @Test
    void a_look_at_the_workers_touches_what_they_were_given() {
        var busy = open("4", Lane.DEFAULT);
        store.claims().claim(new Claim(busy.id(), 1, BATCH));
        startLogging();
        store.workers().describe(busy.id());
        store.workers().markDead(busy.id(), new Attribution("ada", "it does not answer"));

        check("workers", BATCH);
        check("mark_dead", 6);

        // The others that it lists hold what they hold.
        store.workers().list(Namespace.DEFAULT, Scope.ALL, Cursor.START, 1);
        check("list_sessions", 6);
    }

    @Test
    void a_page_of_a_search_touches_what_is_on_it() {
        startLogging();
        var search = Search.in(Namespace.DEFAULT).kind("work").states(PublicState.WAITING);
        var first = store.queries().search(search, Cursor.START, BATCH);
        store.queries().search(search, first.next(), BATCH);
        store.queries().search(search.newestFirst(), Cursor.START, BATCH);

        assertThat(first.items()).hasSize(BATCH);
        check("search", BATCH + 1);
    }

    @Test
    void what_is_rare_is_found_without_looking_at_what_is_not() {
        startLogging();
        var all = Search.in(Namespace.DEFAULT);
        for (var rare : List.of(PublicState.FAILED, PublicState.ACTIVE, PublicState.DELAYED)) {
            store.queries().search(all.states(rare), Cursor.START, BATCH);
            store.queries().search(all.states(rare).newestFirst(), Cursor.START, BATCH);
        }
        store.queries().search(all.tag("colour", "red"), Cursor.START, BATCH);
        store.queries().search(all.worker("nobody"), Cursor.START, BATCH);

        // Of what runs there is as much as was claimed and not yet acknowledged.
        check("search", Backlog.OPEN + BATCH);
    }

    @Test
    void a_page_costs_no_more_than_a_page_may() {
        startLogging();
        var page =
                store.queries().search(Search.in(Namespace.DEFAULT).creator("x"), Cursor.START, 1);

        assertThat(page.items()).isEmpty();
        assertThat(page.next()).isNotEqualTo(Cursor.END);
        check("search", 2_000);
    }

    @Test
    void an_explanation_touches_what_it_counts_and_counts_no_further_than_it_tells() {
        var last = backlog.submit(1, i -> Submission.of("work", Payload.EMPTY)).getFirst();
        startLogging();
        var explanation = store.queries().explain(last);

        assertThat(explanation.facts()).contains(new Fact.Ahead(Fact.Ahead.MOST, true));
        check("circumstances", 6);
        check("lane_changed_by", 6);
        check("gates_of_lane", Backlog.SHUT_GATES + COMPARING_GATES);
        assertThat(plans("workers")).hasSize(1);
        check("ahead", Fact.Ahead.MOST + 1);
    }

    @Test
    void an_explanation_of_a_closed_lane_finds_who_closed_it_by_its_row() {
        var lane = apart("closed");
        var work = Submission.of("work", Payload.EMPTY).lane(lane);
        backlog.submit(1, i -> work);
        var ada = new Attribution("ada", "the press is down");
        store.lanes().configure(lane, LaneSettings.DEFAULT.state(LaneSettings.State.PAUSED), ada);
        startLogging();

        assertThat(store.queries().explain(work.id()).words())
                .endsWith(", by ada: the press is down");
        check("circumstances", 6);
        check("lane_changed_by", 6);
    }

    @Test
    void an_explanation_of_a_lane_touches_what_lives_in_it() {
        startLogging();
        var explanation = store.queries().explain(Lane.DEFAULT);

        assertThat(explanation.in(Situation.WITHOUT_WORKER)).isGreaterThanOrEqualTo(Backlog.SHUT);
        // Of what has ended there may be any number; of what lives it reads the entries, in an
        // index.
        check(
                "waiting_in",
                Backlog.SHUT + Backlog.WITHOUT_BUDGET + Backlog.OPEN + COMPARING_GATES * BATCH);
        assertThat(plans("waiting_in"))
                .allSatisfy(
                        plan -> assertThat(plan.text()).contains("Index Only Scan using ready"));
    }
}
