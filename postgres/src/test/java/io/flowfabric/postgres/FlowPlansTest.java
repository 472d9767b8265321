package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.Member;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.query.Fact.PendingUpstreams;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** How members end beside many flows, of which one is large. */
class FlowPlansTest extends BacklogPlans {
    private static final Lane LANE = apart("graphs");
    private static final int LARGE = 5_000;
    private static final int FLOWS = 50;

    FlowPlansTest(Backlog backlog) {
        super(backlog);
    }

    private static Submission work() {
        return Submission.of("work", Payload.EMPTY).lane(LANE);
    }

    private static FlowSubmission chain(Join join) {
        return FlowSubmission.of(LANE.namespace(), "chain")
                .member("a", work())
                .member("b", work())
                .member("c", work(), join, "a", "b")
                .member("d", work(), "c");
    }

    /** A flow in which everything comes after one member. */
    private static FlowSubmission star() {
        var members = new ArrayList<Member>();
        var edges = new ArrayList<Edge>();
        members.add(Member.of("hub", work().lane(apart("nowhere"))));
        for (int n = 0; n < LARGE; n++) {
            members.add(Member.of("m" + n, work()));
            edges.add(Edge.of("hub", "m" + n));
        }
        return FlowSubmission.of(LANE.namespace(), "star").graph(members, edges);
    }

    private List<Lease> claim(Session worker, int number) {
        return store.claims().claim(new Claim(worker.id(), number, FLOWS)).leases();
    }

    private void complete(List<Lease> leases) {
        assertThat(leases).isNotEmpty();
        store.leases()
                .end(
                        leases.stream()
                                .<Ending>map(it -> new Ending.Complete(it.fence(), Payload.EMPTY))
                                .toList())
                .forEach(Answer::orThrow);
    }

    @Test
    void an_end_of_members_touches_what_comes_after_them() {
        var worker = open("graphs", LANE);
        store.flows().submit(star());
        for (int n = 0; n < FLOWS; n++) {
            store.flows().submit(chain(n % 2 == 0 ? Join.ALL_OF : Join.anyOf()));
        }
        complete(claim(worker, 1));
        startLogging();
        complete(claim(worker, 2));

        int rows = 4 * FLOWS;
        for (var statement :
                List.of(
                        "lock_flows_of",
                        "end",
                        "take_ended",
                        "edges_from",
                        "edges_into",
                        "needed_members",
                        "change_flows",
                        "step")) {
            check(statement, rows);
            assertThat(plans(statement))
                    .allSatisfy(
                            plan ->
                                    assertThat(plan.text())
                                            .doesNotContainPattern(
                                                    "Seq Scan on (flow_member|flow_edge)\\b"));
        }
    }

    /** A flow in which one member comes after everything else. */
    private static FlowSubmission fan(Submission end) {
        var members = new ArrayList<Member>();
        var edges = new ArrayList<Edge>();
        for (int n = 0; n < LARGE; n++) {
            members.add(Member.of("m" + n, work().lane(apart("nowhere"))));
            edges.add(Edge.of("m" + n, "end"));
        }
        members.add(Member.of("end", end));
        return FlowSubmission.of(LANE.namespace(), "fan").graph(members, edges);
    }

    @Test
    void an_explanation_reads_no_more_upstreams_than_it_names() {
        var end = work();
        store.flows().submit(fan(end));
        startLogging();

        assertThat(store.queries().explain(end.id()).words()).endsWith(" and 4,980 more");

        check("circumstances", 6);
        check("pending_upstreams", 3 * PendingUpstreams.MOST + 1);
    }

    @Test
    void an_explanation_of_what_is_in_no_flow_asks_for_none() {
        var alone = work();
        store.submissions().submit(List.of(alone)).getFirst().orThrow();
        startLogging();

        assertThat(store.queries().explain(alone.id()).words()).startsWith("ready");

        assertThat(plans("circumstances")).hasSize(1);
        assertThat(plans("pending_upstreams")).isEmpty();
    }
}
