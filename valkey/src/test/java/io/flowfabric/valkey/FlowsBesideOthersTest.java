package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowCancellation;
import io.flowfabric.core.flow.FlowExtension;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.FlowView;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.Member;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.valkey.internal.wire.Packer;
import io.flowfabric.valkey.internal.wire.Wire;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** Flows, while others work in them and processes die over them. */
class FlowsBesideOthersTest {
    private static final Attribution OLGA = new Attribution("olga", "a test");

    private static Submission work() {
        return Submission.of("flow", Payload.EMPTY).lane(Lane.of("flows"));
    }

    private static FlowView view(ValkeyStore store, FlowSubmission flow) {
        return store.flows().describe(List.of(flow.id())).getFirst().orThrow();
    }

    /** The wire of a process that dies as soon as it has written steps. */
    private static final class DyingWire extends PassedOnWire {
        private boolean dead;

        DyingWire(Wire real) {
            super(real);
        }

        @Override
        public byte[] call(String function, Partition partition, byte[] request) {
            if (dead) {
                throw new StoreFailure("It is dead.", false, new IllegalStateException("a test"));
            }
            dead = function.endsWith("step");
            return super.call(function, partition, request);
        }
    }

    @Test
    void an_end_beside_an_extension_is_not_lost() {
        var redis = TestRedis.oneNode();
        var keys = TestRedis.keys("ends-beside-extensions");
        var clock = new VirtualClock();
        var flow = FlowSubmission.of("f").member("a", work()).member("b", work(), "a").leftOpen();
        var cancel = new OperatorCommand.Cancel(flow.members().getFirst().work().id());
        try (var dying = new ValkeyStore(new DyingWire(redis.wire(keys)), Optional.of(clock));
                var extending =
                        new ValkeyStore(
                                new PassedOnWire(redis.wire(keys)) {
                                    private boolean settled;
                                    private boolean ended;

                                    @Override
                                    public byte[] read(
                                            String function, Partition partition, byte[] request) {
                                        if (settled && !ended && function.endsWith("read")) {
                                            // Everything was settled, and nothing is read since.
                                            ended = true;
                                            dying.operations().act(List.of(cancel), OLGA);
                                        }
                                        settled |= function.endsWith("around");
                                        return super.read(function, partition, request);
                                    }
                                },
                                Optional.of(clock))) {
            extending.flows().submit(flow);

            var change =
                    FlowExtension.of(flow.id(), view(extending, flow).revision())
                            .member(Member.of("c", work()));
            var extended = extending.flows().extend(List.of(change)).getFirst().orThrow();

            assertThat(extended.id()).isEqualTo(flow.id());
            assertThat(view(extending, flow).settled()).isTrue();
            assertThat(view(extending, flow).tally().cancelled()).isEqualTo(1);
            assertThat(view(extending, flow).tally().skipped()).isEqualTo(1);
        }
    }

    @Test
    void flows_in_which_nothing_is_left_do_not_keep_the_sweep_from_others() {
        // As many as one look tells of.
        int many = 100;
        var redis = TestRedis.oneNode();
        var keys = TestRedis.keys("settled-before-others");
        var clock = new VirtualClock();
        var settled = Stream.generate(() -> FlowSubmission.of("s").member("a", work()));
        var before = settled.limit(many).toList();
        var flow = FlowSubmission.of("f").member("a", work()).member("b", work(), "a");
        var wire = redis.wire(keys);
        try (var dying = new ValkeyStore(new DyingWire(redis.wire(keys)), Optional.of(clock));
                var other = new ValkeyStore(wire, Optional.of(clock))) {
            other.flows().submit(before).forEach(Answer::orThrow);
            other.flows().submit(flow);
            // A process that could not settle them notes that, after others have.
            before.forEach(it -> putOff(wire, it.id(), clock));
            clock.advance(Duration.ofMillis(10));
            var a = flow.members().getFirst().work().id();
            dying.operations().act(List.of(new OperatorCommand.Cancel(a)), OLGA);
            clock.advance(Duration.ofSeconds(2));

            var first = other.maintenance().tick(Chore.TIMERS, 100);
            var second = other.maintenance().tick(Chore.TIMERS, 100);

            assertThat(first.errors() + second.errors()).isZero();
            assertThat(view(other, flow).settled()).isTrue();
            assertThat(view(other, flow).tally().skipped()).isEqualTo(1);
        }
    }

    private static void putOff(Wire wire, FlowId flow, VirtualClock clock) {
        var request = new Packer().list(3).number(clock.instant().toEpochMilli()).number(0);
        var unused =
                wire.call("put_off", flow.partition(), request.list(1).uuid(flow.uuid()).done());
    }

    @Test
    void what_a_process_left_to_be_done_is_done_by_another_one() {
        var redis = TestRedis.oneNode();
        var keys = TestRedis.keys("left-in-flows");
        var clock = new VirtualClock();
        var flow =
                FlowSubmission.of("f")
                        .member("a", work())
                        .member("b", work(), "a")
                        .member("always", work(), Join.quorum(1), "b");
        try (var dying = new ValkeyStore(new DyingWire(redis.wire(keys)), Optional.of(clock));
                var other = new ValkeyStore(redis.wire(keys), Optional.of(clock))) {
            other.flows().submit(flow);
            var a = flow.members().getFirst().work().id();

            dying.operations().act(List.of(new OperatorCommand.Cancel(a)), OLGA);

            assertThat(view(other, flow).settled()).isFalse();
            clock.advance(Duration.ofSeconds(1));
            assertThat(other.maintenance().nextDue(Duration.ofDays(1))).contains(Duration.ZERO);
            var unused = other.maintenance().tick(Chore.TIMERS, 100);
            assertThat(view(other, flow).settled()).isTrue();
            assertThat(view(other, flow).state()).isEqualTo(FlowState.FAILED);
            assertThat(view(other, flow).tally().skipped()).isEqualTo(2);
        }
    }

    /** A wire that counts what is asked, and lets something happen before flows are changed. */
    private static final class CountingWire extends PassedOnWire {
        private final Runnable meanwhile;
        private final List<String> asked = new ArrayList<>();
        private boolean happened;

        CountingWire(Wire real, Runnable meanwhile) {
            super(real);
            this.meanwhile = meanwhile;
        }

        @Override
        public byte[] call(String function, Partition partition, byte[] request) {
            asked.add(function);
            if (function.endsWith("change_flows") && !happened) {
                happened = true;
                meanwhile.run();
            }
            return super.call(function, partition, request);
        }

        @Override
        public byte[] read(String function, Partition partition, byte[] request) {
            asked.add(function);
            return super.read(function, partition, request);
        }
    }

    private static List<Ending> completed(List<Lease> leases) {
        return leases.stream()
                .<Ending>map(lease -> new Ending.Complete(lease.fence(), Payload.EMPTY))
                .toList();
    }

    private static List<FlowSubmission> chains(int many) {
        return Stream.generate(
                        () -> FlowSubmission.of("f").member("a", work()).member("b", work(), "a"))
                .limit(many)
                .toList();
    }

    @Test
    void ends_in_many_flows_take_as_many_calls_as_ends_in_one() {
        int many = 100;
        var wire =
                new CountingWire(TestRedis.oneNode().wire(TestRedis.keys("many-flows")), () -> {});
        try (var store = new ValkeyStore(wire, Optional.empty())) {
            var flows = chains(many);
            store.flows().submit(flows).forEach(Answer::orThrow);
            var session = Session.of("worker", "instance", "flows");
            store.sessions().open(session);
            var leases = store.claims().claim(new Claim(session.id(), 1, many)).leases();
            assertThat(leases).hasSize(many);
            wire.asked.clear();

            store.leases().end(completed(leases)).forEach(Answer::orThrow);

            assertThat(wire.asked).containsExactly("end", "change_flows");
            assertThat(store.claims().claim(new Claim(session.id(), 2, many)).leases())
                    .hasSize(many);
        }
    }

    @Test
    void a_flow_that_was_changed_meanwhile_is_decided_anew_without_the_others() {
        int many = 10;
        var redis = TestRedis.oneNode();
        var keys = TestRedis.keys("changed-meanwhile");
        var flows = chains(many);
        try (var other = new ValkeyStore(redis.wire(keys), Optional.empty())) {
            var cancelled = flows.get(3);
            var wire =
                    new CountingWire(
                            redis.wire(keys),
                            () -> {
                                var unused =
                                        other.flows()
                                                .cancel(
                                                        List.of(cancelled.id()),
                                                        FlowCancellation.Mode.RECORD,
                                                        OLGA);
                            });
            try (var store = new ValkeyStore(wire, Optional.empty())) {
                store.flows().submit(flows).forEach(Answer::orThrow);
                var session = Session.of("worker", "instance", "flows");
                store.sessions().open(session);
                var leases = store.claims().claim(new Claim(session.id(), 1, many)).leases();
                wire.asked.clear();

                store.leases().end(completed(leases)).forEach(Answer::orThrow);

                assertThat(wire.asked)
                        .containsExactly("end", "change_flows", "read", "around", "change_flows");
                assertThat(flows)
                        .allSatisfy(
                                flow ->
                                        assertThat(view(store, flow).tally().succeeded())
                                                .isEqualTo(1));
                assertThat(store.claims().claim(new Claim(session.id(), 2, many)).leases())
                        .hasSize(many);
            }
        }
    }

    @Test
    void flows_that_share_a_member_are_not_both_submitted() {
        try (var store =
                new ValkeyStore(
                        TestRedis.oneNode().wire(TestRedis.keys("shared-members")),
                        Optional.empty())) {
            var shared = work();
            var first = FlowSubmission.of("f").member("a", shared);
            var second = FlowSubmission.of("f").member("a", shared);

            var answers = store.flows().submit(List.of(first, second, first));

            assertThat(answers.get(0).orThrow().created()).isTrue();
            assertThatThrownBy(() -> answers.get(1).orThrow())
                    .isInstanceOfSatisfying(
                            Conflict.class,
                            conflict ->
                                    assertThat(conflict.code()).isEqualTo(Conflict.Code.ID_TAKEN));
            assertThat(answers.get(2).orThrow().created()).isFalse();
        }
    }

    @Test
    void members_that_end_at_the_same_time_are_all_counted() throws Exception {
        int many = 64;
        var members = new ArrayList<Member>();
        var edges = new ArrayList<Edge>();
        for (int n = 0; n < many; n++) {
            members.add(Member.of("m" + n, work()));
            edges.add(Edge.of("m" + n, "end"));
        }
        members.add(Member.of("end", work()));
        var flow = FlowSubmission.of("wide").graph(members, edges);
        try (var store =
                        new ValkeyStore(
                                TestRedis.oneNode().wire(TestRedis.keys("wide-flows")),
                                Optional.empty());
                var threads = Executors.newFixedThreadPool(16)) {
            store.flows().submit(flow);
            var session = Session.of("worker", "instance", "flows");
            store.sessions().open(session);
            var leases = store.claims().claim(new Claim(session.id(), 1, many)).leases();
            assertThat(leases).hasSize(many);

            var ends = new ArrayList<Future<Answer<?>>>();
            for (var lease : leases) {
                ends.add(
                        threads.submit(
                                () ->
                                        store.leases()
                                                .end(
                                                        List.of(
                                                                new Ending.Complete(
                                                                        lease.fence(),
                                                                        Payload.EMPTY)))
                                                .getFirst()));
            }
            for (var end : ends) {
                assertThat(end.get().isDone()).isTrue();
            }

            assertThat(view(store, flow).tally().succeeded()).isEqualTo(many);
            assertThat(store.claims().claim(new Claim(session.id(), 2, 10)).leases()).hasSize(1);
        }
    }
}
