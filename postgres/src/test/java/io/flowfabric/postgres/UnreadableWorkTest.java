package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What becomes of work that this program cannot read (R21), and of inputs of any size (R1). */
class UnreadableWorkTest {
    private static final Attribution ADA = new Attribution("ada", "a test");

    private final PostgresFixture fixture = new PostgresFixture();
    private final Store store = fixture.store();
    private final Session session = Session.of("worker", "1", "default");
    private long number;

    @BeforeEach
    void open() {
        store.sessions().open(session);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void it_is_held_back_with_an_event_that_says_by_whom_and_why() {
        var policy = Policy.DEFAULT.attemptTimeout(Duration.ofSeconds(10));
        var id = submit(policy, 0);
        fixture.advance(Duration.ofSeconds(3));
        breakPolicy(id);

        assertThat(claim()).isEmpty();
        mend(id);

        var step = (Event.Step) store.queries().history(id).getLast();
        assertThat(step.transition()).isEqualTo(Transition.PAUSE);
        assertThat(step.at()).isEqualTo(fixture.now());
        assertThat(step.by().map(Attribution::actor)).hasValue(Attribution.ENGINE);
        assertThat(step.by().map(Attribution::reason))
                .hasValueSatisfying(why -> assertThat(why).contains("cannot be read"));
        assertThat(situation(id)).isEqualTo(Situation.HELD_BY_OPERATOR);
        // Its attempt is over, and times out no more.
        assertThat(store.maintenance().nextDue(Duration.ofDays(1)))
                .hasValueSatisfying(left -> assertThat(left).isGreaterThan(Duration.ofSeconds(10)));
    }

    @Test
    void it_gives_its_place_in_a_quota_back() {
        store.quotas().define(Quota.atOnce("customer", 1), ADA);
        var first = submit(Policy.DEFAULT.quota("customer", "x"), 0);
        var second = submit(Policy.DEFAULT.quota("customer", "x"), 0);
        breakPolicy(first);

        assertThat(claim()).containsExactly(second);
    }

    @Test
    void what_a_newer_program_wrote_is_left_to_newer_programs() {
        var plain = submit(Policy.DEFAULT, 0);
        store.quotas().define(Quota.atOnce("customer", 1), ADA);
        var counted = submit(Policy.DEFAULT.quota("customer", "x"), 0);
        var timed = submit(Policy.DEFAULT.attemptTimeout(Duration.ofMinutes(1)), 0);
        fixture.execute("update %s.gate set format = 2".formatted(schema()));

        assertThat(claim()).isEmpty();
        for (var id : List.of(plain, counted, timed)) {
            assertThat(situation(id)).isEqualTo(Situation.READY);
        }

        fixture.execute("update %s.gate set format = 1".formatted(schema()));
        assertThat(claim()).containsExactlyInAnyOrder(plain, counted, timed);
    }

    @Test
    void inputs_of_any_size_come_with_their_leases_in_their_order() {
        var sizes = List.of(0, 256, 257, 4096, 4097, 1 << 20, 10);
        var ids = sizes.stream().map(size -> submit(Policy.DEFAULT, size)).toList();

        var claim = new Claim(session.id(), ++number, 10);
        var leases = store.claims().claim(claim).leases();

        assertThat(leases).extracting(lease -> lease.fence().execution()).isEqualTo(ids);
        assertThat(leases).extracting(lease -> lease.input().size()).isEqualTo(sizes);
        assertThat(store.claims().claim(claim.again()).leases()).isEqualTo(leases);
    }

    @Test
    void the_attempt_of_work_with_a_damaged_step_times_out_no_more() {
        var id = submit(Policy.DEFAULT.attemptTimeout(Duration.ofSeconds(10)), 0);
        var lease = store.claims().claim(new Claim(session.id(), ++number, 1)).leases().getFirst();
        var checkpoint = new Checkpoint(lease.fence(), "pay", Payload.text("paid"));
        store.leases().checkpoint(List.of(checkpoint)).getFirst().orThrow();
        store.leases().end(List.of(new Ending.Release(lease.fence()))).getFirst().orThrow();
        fixture.execute(
                "update %s.step set name = '' where execution = '%s'"
                        .formatted(schema(), id.uuid()));

        assertThat(claim()).isEmpty();

        assertThat(situation(id)).isEqualTo(Situation.HELD_BY_OPERATOR);
        assertThat(store.maintenance().nextDue(Duration.ofSeconds(10))).isEmpty();
    }

    @Test
    void a_damaged_step_holds_its_own_work_back_and_no_other() {
        var damaged = submit(Policy.DEFAULT, 0);
        var other = submit(Policy.DEFAULT, 0);
        for (var lease : store.claims().claim(new Claim(session.id(), ++number, 10)).leases()) {
            var checkpoint = new Checkpoint(lease.fence(), "pay", Payload.text("paid"));
            store.leases().checkpoint(List.of(checkpoint)).getFirst().orThrow();
            store.leases().end(List.of(new Ending.Release(lease.fence()))).getFirst().orThrow();
        }
        fixture.execute(
                "update %s.step set name = '' where execution = '%s'"
                        .formatted(schema(), damaged.uuid()));

        assertThat(claim()).containsExactly(other);

        assertThat(situation(damaged)).isEqualTo(Situation.HELD_BY_OPERATOR);
        assertThat(store.queries().allSteps(other)).hasSize(1);
        assertThatExceptionOfType(StoreFailure.class)
                .isThrownBy(() -> store.queries().allSteps(damaged));
    }

    @Test
    void an_operator_who_claims_gets_a_large_input_too() {
        var id = submit(Policy.DEFAULT, 100_000);

        var lease = store.operations().claim(id, session.id(), ADA);

        assertThat(lease.input().size()).isEqualTo(100_000);
    }

    @Test
    void a_lost_input_is_held_back_and_the_others_are_claimed() {
        var lost = submit(Policy.DEFAULT, 100_000);
        var whole = submit(Policy.DEFAULT, 100_000);
        fixture.execute("delete from %s.payload where id = '%s'".formatted(schema(), lost.uuid()));

        assertThat(claim()).containsExactly(whole);
        assertThat(situation(lost)).isEqualTo(Situation.HELD_BY_OPERATOR);
        store.maintenance().tick(Chore.TIMERS, 10);
    }

    private List<ExecutionId> claim() {
        return store.claims().claim(new Claim(session.id(), ++number, 10)).leases().stream()
                .map(Lease::fence)
                .map(fence -> fence.execution())
                .toList();
    }

    private ExecutionId submit(Policy policy, int size) {
        var input = Payload.of(new byte[size], "application/octet-stream");
        var work = Submission.of("work", input).policy(policy);
        store.submissions().submit(List.of(work)).forEach(Answer::orThrow);
        return work.id();
    }

    private Optional<Integer> policy = Optional.empty();

    private void breakPolicy(ExecutionId id) {
        policy =
                Optional.of(
                        (int)
                                fixture.number(
                                        "select policy from %s.execution where id = '%s'"
                                                .formatted(schema(), id.uuid())));
        fixture.poison(id);
    }

    private void mend(ExecutionId id) {
        fixture.execute(
                "update %s.execution set policy = %d where id = '%s'"
                        .formatted(schema(), policy.orElseThrow(), id.uuid()));
    }

    private Situation situation(ExecutionId id) {
        return store.queries().describe(List.of(id)).getFirst().orThrow().state().situation();
    }

    private String schema() {
        return fixture.schema().text();
    }
}
