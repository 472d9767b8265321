package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.Keys.Rotation;
import io.flowfabric.core.signal.OpenWaitpoint;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.Signals.Wanted;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One wait, signal or stream that this program cannot read is a matter of its execution alone. */
class UnreadableWaitsTest {
    private static final Attribution ADA = new Attribution("ada", "a test");

    private final PostgresFixture fixture = new PostgresFixture();
    private final Store store = fixture.store();
    private final Session session = Session.of("worker", "1", "default").ttl(Duration.ofHours(1));
    private Fence damaged = new Fence(Submission.of("none", Payload.EMPTY).id(), 0, 1);
    private Fence sound = damaged;

    @BeforeEach
    void open() {
        store.sessions().open(session);
        store.submissions()
                .submit(
                        List.of(
                                Submission.of("work", Payload.EMPTY),
                                Submission.of("work", Payload.EMPTY)))
                .forEach(Answer::orThrow);
        var leases = store.claims().claim(new Claim(session.id(), 1, 2)).leases();
        damaged = leases.getFirst().fence();
        sound = leases.getLast().fence();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void a_token_is_refused_where_waits_are_damaged_and_given_elsewhere() {
        store.keys().rotate(Rotation.after(Duration.ZERO), ADA);
        openBoth();
        damageWaits();

        var tokens =
                store.signals()
                        .tokens(
                                List.of(
                                        new Wanted(at(damaged), Duration.ofHours(1)),
                                        new Wanted(at(sound), Duration.ofHours(1))));

        assertUnreadable(tokens.getFirst());
        assertThat(tokens.getLast()).isInstanceOf(Answer.Done.class);
        assertThatExceptionOfType(StoreFailure.class)
                .isThrownBy(() -> store.signals().waitpoints(damaged.execution()))
                .matches(StoreFailure::isUnreadable);
        assertThat(
                        store.signals()
                                .waitpoints(Lane.DEFAULT, Optional.empty(), Cursor.START, 10)
                                .items())
                .extracting(view -> view.at().execution())
                .containsExactly(sound.execution());
    }

    @Test
    void a_worker_whose_waits_cannot_be_read_still_has_its_lease() {
        openBoth();
        damageWaits();

        var opened =
                store.leases()
                        .open(
                                List.of(
                                        new OpenWaitpoint(damaged, "window"),
                                        new OpenWaitpoint(sound, "window")));
        assertUnreadable(opened.getFirst());
        assertThat(opened.getLast()).isInstanceOf(Answer.Done.class);

        var ended =
                store.leases()
                        .end(
                                List.of(
                                        new Ending.Suspend(damaged, Suspension.untilResumed("x")),
                                        new Ending.Suspend(sound, Suspension.untilResumed("x"))));
        assertUnreadable(ended.getFirst());
        assertThat(ended.getLast()).isInstanceOf(Answer.Done.class);
    }

    @Test
    void a_signal_of_a_newer_program_refuses_its_own_repeat_only() {
        var both = List.of(knock(damaged), knock(sound));
        store.signals().send(both).forEach(Answer::orThrow);
        execute("update %s.signal set effect = 'newer' where execution = '%s'");

        var again = store.signals().send(both);

        assertUnreadable(again.getFirst());
        assertThat(again.getLast()).isInstanceOf(Answer.Done.class);
        assertThatExceptionOfType(StoreFailure.class)
                .isThrownBy(() -> store.signals().received(damaged.execution(), Cursor.START, 10))
                .matches(StoreFailure::isUnreadable);
    }

    @Test
    void a_damaged_frame_refuses_repeats_to_its_own_stream_only() {
        var both =
                List.of(
                        Append.durable(damaged, 0, "said", Payload.EMPTY),
                        Append.durable(sound, 0, "said", Payload.EMPTY));
        store.leases().append(both).forEach(Answer::orThrow);
        execute("update %s.frame set type = '' where execution = '%s'");

        var again = store.leases().append(both);

        assertUnreadable(again.getFirst());
        assertThat(again.getLast()).isInstanceOf(Answer.Done.class);
    }

    @Test
    void a_damaged_summary_refuses_its_own_patches_only() {
        store.leases()
                .append(
                        List.of(
                                Append.summary(damaged, 0, "sum", "{}"),
                                Append.summary(sound, 0, "sum", "{}")))
                .forEach(Answer::orThrow);
        execute("update %s.stream set document = 'oops' where execution = '%s'");

        var again =
                store.leases()
                        .append(
                                List.of(
                                        Append.summary(damaged, 1, "sum", "{}"),
                                        Append.summary(sound, 1, "sum", "{}")));

        assertUnreadable(again.getFirst());
        assertThat(again.getLast()).isInstanceOf(Answer.Done.class);
    }

    private static void assertUnreadable(Answer<?> answer) {
        assertThat(answer)
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused ->
                                assertThat(refused.error())
                                        .isInstanceOfSatisfying(
                                                StoreFailure.class,
                                                failure ->
                                                        assertThat(failure.isUnreadable())
                                                                .isTrue()));
    }

    private void openBoth() {
        store.leases()
                .open(List.of(new OpenWaitpoint(damaged, "door"), new OpenWaitpoint(sound, "door")))
                .forEach(Answer::orThrow);
    }

    private void damageWaits() {
        execute("update %s.awaiting set body = 'oops' where id = '%s'");
    }

    private static Waitpoint at(Fence fence) {
        return new Waitpoint(fence.execution(), "door");
    }

    private static Signal knock(Fence fence) {
        return Signal.of(at(fence), "knock", Payload.EMPTY, ADA).key("once");
    }

    private void execute(String sql) {
        fixture.execute(sql.formatted(fixture.schema().text(), damaged.execution().uuid()));
    }
}
