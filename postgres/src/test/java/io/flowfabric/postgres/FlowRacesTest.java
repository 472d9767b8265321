package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowExtension;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.FlowView;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.Member;
import io.flowfabric.core.flow.MemberView;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** What happens in a flow at the same time, and what a process that dies leaves behind. */
class FlowRacesTest {
    private static final int WIDE = 48;
    private static final Attribution ADA = new Attribution("ada", "to see who comes first");

    private final PostgresFixture fixture = new PostgresFixture();
    private final Store store = fixture.store();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Session session = Session.of("worker", "1", "default").ttl(Duration.ofHours(1));

    @AfterEach
    void close() {
        threads.close();
        fixture.close();
    }

    private static Submission work() {
        return Submission.of("work", Payload.EMPTY);
    }

    private static FlowSubmission joined(Join join) {
        var flow = FlowSubmission.of("joined");
        var names = new ArrayList<String>();
        for (int n = 0; n < WIDE; n++) {
            flow = flow.member("m" + n, work());
            names.add("m" + n);
        }
        return flow.member("end", work(), join, names.toArray(String[]::new));
    }

    private List<Lease> claim(int number) {
        return store.claims().claim(new Claim(session.id(), number, WIDE)).leases();
    }

    private FlowView view(FlowId id) {
        return store.flows().describe(List.of(id)).getFirst().orThrow();
    }

    private MemberView member(FlowId id, String name) {
        return store.flows().members(id, Cursor.START, 1000).items().stream()
                .filter(it -> it.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Ending complete(Lease lease) {
        return new Ending.Complete(lease.fence(), Payload.EMPTY);
    }

    @Test
    void members_that_end_at_the_same_time_in_several_calls_all_count() throws Exception {
        store.sessions().open(session);
        var flow = store.flows().submit(joined(Join.ALL_OF)).id();
        var calls = new ArrayList<Callable<List<Answer<?>>>>();
        for (Lease lease : claim(1)) {
            calls.add(() -> List.copyOf(store.leases().end(List.of(complete(lease)))));
        }

        for (var call : threads.invokeAll(calls)) {
            assertThat(call.get()).allMatch(Answer::isDone);
        }

        assertThat(member(flow, "end").met()).isEqualTo(WIDE);
        assertThat(view(flow).tally().succeeded()).isEqualTo(WIDE);
        store.leases().end(claim(2).stream().map(FlowRacesTest::complete).toList());
        assertThat(view(flow).state()).isEqualTo(FlowState.COMPLETED);
    }

    @Test
    void endings_operators_and_losers_of_one_flow_leave_it_settled() throws Exception {
        store.sessions().open(session);
        for (int round = 0; round < 5; round++) {
            var flow = store.flows().submit(joined(Join.quorum(WIDE / 2))).id();
            var calls = new ArrayList<Callable<Object>>();
            var leases = claim(round + 1);
            for (int n = 0; n < leases.size(); n++) {
                var lease = leases.get(n);
                calls.add(
                        n % 4 == 0
                                ? () ->
                                        store.operations()
                                                .act(
                                                        List.of(
                                                                new OperatorCommand.Cancel(
                                                                        lease.fence().execution())),
                                                        ADA)
                                : () -> store.leases().end(List.of(complete(lease))));
            }

            for (var call : threads.invokeAll(calls)) {
                call.get();
            }

            var tally = view(flow).tally();
            assertThat(view(flow).settled()).isTrue();
            assertThat(tally.succeeded() + tally.cancelled() + tally.skipped()).isEqualTo(WIDE);
            assertThat(member(flow, "end").state()).isEqualTo(PublicState.WAITING);
            store.operations()
                    .act(List.of(new OperatorCommand.Cancel(member(flow, "end").execution())), ADA);
            assertThat(view(flow).state()).isEqualTo(FlowState.FAILED);
        }
    }

    /** The end of a member waits for the flow together with a change of the graph. */
    @Test
    void what_was_changed_while_the_end_before_it_waited_starts_all_the_same() throws Exception {
        store.sessions().open(session);
        expectMembers();
        var flow =
                store.flows()
                        .submit(
                                FlowSubmission.of("two")
                                        .member("a", work())
                                        .member("b", work(), "a"))
                        .id();
        var lease = claim(3).getFirst();
        var next = member(flow, "b").execution();
        var server = TestServer.get();
        try (var holder =
                DriverManager.getConnection(server.url(), server.user(), server.password())) {
            holder.setAutoCommit(false);
            try (var statement = holder.createStatement()) {
                statement.execute(
                        "select from %s.flow where id = '%s' for update"
                                .formatted(fixture.schema().text(), flow.uuid()));
                statement.execute(
                        "update %s.execution set priority = priority + 1 where id = '%s'"
                                .formatted(fixture.schema().text(), next.uuid()));
            }
            var ended = threads.submit(() -> store.leases().end(List.of(complete(lease))));
            awaitWaiting(1, ended);
            holder.commit();

            assertThat(ended.get()).allMatch(Answer::isDone);
        }

        assertThat(member(flow, "b").state()).isEqualTo(PublicState.WAITING);
        assertThat(claim(4)).extracting(one -> one.fence().execution()).containsExactly(next);
    }

    @Test
    void an_end_that_waited_for_a_change_of_the_graph_tells_what_came_with_it() throws Exception {
        store.sessions().open(session);
        expectMembers();
        var flow =
                store.flows().submit(FlowSubmission.of("open").member("a", work()).leftOpen()).id();
        var lease = claim(3).getFirst();
        var server = TestServer.get();
        try (var holder =
                DriverManager.getConnection(server.url(), server.user(), server.password())) {
            holder.setAutoCommit(false);
            try (var statement = holder.createStatement()) {
                statement.execute(
                        "select from %s.flow where id = '%s' for update"
                                .formatted(fixture.schema().text(), flow.uuid()));
            }
            var extended =
                    threads.submit(
                            () ->
                                    store.flows()
                                            .extend(
                                                    List.of(
                                                            FlowExtension.of(flow, 1)
                                                                    .member(Member.of("b", work()))
                                                                    .edge(Edge.of("a", "b")))));
            awaitWaiting(1, extended);
            var ended = threads.submit(() -> store.leases().end(List.of(complete(lease))));
            awaitWaiting(2, ended);
            holder.rollback();

            assertThat(extended.get()).allMatch(Answer::isDone);
            assertThat(ended.get()).allMatch(Answer::isDone);
        }

        assertThat(member(flow, "b").state()).isEqualTo(PublicState.WAITING);
        assertThat(view(flow).tally().live()).isEqualTo(1);
    }

    /** Lets members end, so that the next endings are looked at for others, first of all. */
    private void expectMembers() {
        store.flows()
                .submit(FlowSubmission.of("first").member("a", work()).member("b", work(), "a"));
        for (int number = 1; number <= 2; number++) {
            store.leases().end(claim(number).stream().map(FlowRacesTest::complete).toList());
        }
    }

    /** Waits until so many statements of this store wait for locks, that of a call among them. */
    private void awaitWaiting(int many, Future<?> call) {
        var count =
                "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query"
                        + " like '%"
                        + fixture.schema().text()
                        + ".%'";
        while (fixture.number(count) < many) {
            assertThat(call.isDone()).isFalse();
        }
    }

    @Test
    void what_a_process_that_died_did_not_come_to_is_done_by_the_next_round_of_the_timers() {
        var late = work().policy(Policy.DEFAULT.deadline(Due.in(Duration.ofMinutes(1))));
        var flow =
                store.flows()
                        .submit(
                                FlowSubmission.of("left")
                                        .member("a", late)
                                        .member("b", work(), "a"))
                        .id();
        fixture.advance(Duration.ofMinutes(2));
        // As if the round had died before its end: its commit has told of the end of the member.
        fixture.execute(
                ("create function %1$s.die() returns trigger language plpgsql as"
                                + " 'begin raise exception ''dies''; end';"
                                + " create trigger dies before update on %1$s.flow"
                                + " for each row execute function %1$s.die()")
                        .formatted(fixture.schema().text()));
        assertThatThrownBy(() -> store.maintenance().tick(Chore.TIMERS, 100))
                .isInstanceOf(StoreFailure.class);
        assertThat(member(flow, "b").state()).isEqualTo(PublicState.WAITING_CHILDREN);
        fixture.execute(
                "drop trigger dies on %1$s.flow; drop function %1$s.die()"
                        .formatted(fixture.schema().text()));

        var other = fixture.another();
        assertThat(other.maintenance().nextDue(Duration.ofMinutes(1)).orElseThrow())
                .isLessThanOrEqualTo(Duration.ZERO);
        other.maintenance().tick(Chore.TIMERS, 100);

        assertThat(member(flow, "b").state()).isEqualTo(PublicState.SKIPPED);
        assertThat(view(flow).state()).isEqualTo(FlowState.FAILED);
        assertThat(other.maintenance().nextDue(Duration.ofMinutes(1))).isEmpty();
    }
}
