package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Lane;
import io.flowfabric.core.LeaseLost;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.signal.Condition;
import io.flowfabric.core.signal.Condition.Distinct;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.signal.Delivery.Effect;
import io.flowfabric.core.signal.OpenWaitpoint;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.signal.Suspension.Behaviour;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.core.signal.WaitpointView;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/**
 * What is stored of waits: it is whole however many write it, goes with its work, and is in
 * nobody's way.
 */
class WaitsTest {
    private static final Attribution ADA = new Attribution("ada", "looks good");
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Suspension UNTIL_APPROVED =
            Suspension.until("approval", Condition.signal("boss"));

    private final ValkeyFixture fixture = ValkeyFixture.onOneNode();
    private final Store store = fixture.store();
    private final Session session = Session.of("worker", "instance", "default").ttl(HOUR);
    private int claims;

    @BeforeEach
    void open() {
        store.sessions().open(session);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private Lease begun(Policy policy) {
        store.submissions()
                .submit(List.of(Submission.of("work", Payload.EMPTY).policy(policy)))
                .getFirst()
                .orThrow();
        return claim();
    }

    private Lease claim() {
        return store.claims().claim(new Claim(session.id(), ++claims, 1)).leases().getFirst();
    }

    private void suspend(Lease lease, Suspension suspension) {
        end(new Ending.Suspend(lease.fence(), suspension));
    }

    private void end(Ending ending) {
        store.leases().end(List.of(ending)).getFirst().orThrow();
    }

    private static Signal signal(Lease lease, String waitpoint, String key) {
        return Signal.of(
                        new Waitpoint(lease.fence().execution(), waitpoint),
                        "approved",
                        Payload.text("go"),
                        ADA)
                .key(key);
    }

    private Answer<Delivery> send(Signal signal) {
        return store.signals().send(List.of(signal)).getFirst();
    }

    private List<WaitpointView> listed() {
        return store.signals()
                .waitpoints(Lane.DEFAULT, Optional.empty(), Cursor.START, 100)
                .items();
    }

    private void act(OperatorCommand command) {
        store.operations().act(List.of(command), ADA).getFirst().orThrow();
    }

    /** Work that has opened waitpoints, was told something, has waited, and waits again. */
    private Lease waitsAgain(Policy policy) {
        var lease = begun(policy);
        store.leases()
                .open(List.of(new OpenWaitpoint(lease.fence(), "early")))
                .getFirst()
                .orThrow();
        send(signal(lease, "early", "a")).orThrow();
        send(signal(lease, "unheard-of", "a")).orThrow();
        suspend(lease, UNTIL_APPROVED);
        send(signal(lease, "boss", "a")).orThrow();
        suspend(
                claim(),
                Suspension.until("payment", Condition.signal("bank"))
                        .timeout(HOUR.multipliedBy(10), Behaviour.FAIL));
        return lease;
    }

    private void assertNothingLeft(String... names) {
        for (var name : names) {
            assertThat(fixture.size(Namespace.DEFAULT, name)).as(name).isZero();
        }
    }

    @Test
    void what_waited_and_was_erased_leaves_nothing() {
        var lease = waitsAgain(Policy.DEFAULT);
        assertThat(fixture.size(Namespace.DEFAULT, "waitpoint")).isEqualTo(3);
        assertThat(fixture.size(Namespace.DEFAULT, "suspension")).isOne();
        var id = lease.fence().execution();
        act(new OperatorCommand.Cancel(id));
        assertNothingLeft("waitpoint", "suspension");

        store.operations().erase(List.of(id), ADA).getFirst().orThrow();

        assertNothingLeft("execution", "detail");
    }

    @Test
    void what_waited_and_was_forgotten_leaves_nothing() {
        waitsAgain(Policy.DEFAULT.retention(HOUR));
        fixture.pass(HOUR.multipliedBy(10));
        fixture.pass(HOUR);
        fixture.pass(Duration.ofDays(20));

        assertNothingLeft("execution", "detail", "waitpoint", "suspension", "log", "told");
    }

    @Test
    void an_ending_takes_what_is_open_off_the_list_and_a_replay_may_open_it_again_at_once() {
        var lease = begun(Policy.DEFAULT);
        store.leases().open(List.of(new OpenWaitpoint(lease.fence(), "boss"))).getFirst().orThrow();
        assertThat(listed()).hasSize(1);
        end(new Ending.Complete(lease.fence(), Payload.EMPTY));
        assertNothingLeft("waitpoint");

        act(new OperatorCommand.Replay(lease.fence().execution(), false));
        assertThat(listed()).isEmpty();
        var again = claim();
        store.leases().open(List.of(new OpenWaitpoint(again.fence(), "boss"))).getFirst().orThrow();

        assertThat(listed()).extracting(WaitpointView::number).containsExactly(2L);
    }

    @Test
    void signals_that_are_sent_at_once_all_arrive_and_one_of_them_is_the_last() throws Exception {
        var lease = begun(Policy.DEFAULT);
        suspend(lease, Suspension.until("many", Condition.atLeast(40, Distinct.SIGNALS, "boss")));
        var sent = new ArrayList<Delivery>();
        try (var threads = Executors.newFixedThreadPool(4)) {
            var senders =
                    IntStream.range(0, 4)
                            .<Callable<List<Answer<Delivery>>>>mapToObj(
                                    thread ->
                                            () ->
                                                    IntStream.range(0, 10)
                                                            .mapToObj(n -> send(thread, n, lease))
                                                            .toList())
                            .toList();
            for (var answers : threads.invokeAll(senders)) {
                answers.get().forEach(answer -> sent.add(answer.orThrow()));
            }
        }

        assertThat(sent)
                .extracting(Delivery::number)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.rangeClosed(1, 40).mapToObj(Long::valueOf).toList());
        assertThat(sent).filteredOn(one -> one.effect() == Effect.RESUMED).hasSize(1);
        assertThat(store.signals().received(lease.fence().execution(), Cursor.START, 100).items())
                .hasSize(40);
    }

    private Answer<Delivery> send(int thread, int n, Lease lease) {
        return send(signal(lease, "boss", thread + "/" + n));
    }

    @Test
    void a_session_whose_time_is_over_opens_nothing_and_suspends_nothing() {
        var lease = begun(Policy.DEFAULT);
        var checkpoint = new Checkpoint(lease.fence(), "approval", Payload.EMPTY);
        store.leases().checkpoint(List.of(checkpoint)).getFirst().orThrow();
        fixture.advance(HOUR);
        var waitpoint = new OpenWaitpoint(lease.fence(), "boss");
        var other = Suspension.until("other", Condition.signal("boss"));

        assertLost(store.leases().open(List.of(waitpoint)).getFirst());
        assertLost(
                store.leases().end(List.of(new Ending.Suspend(lease.fence(), other))).getFirst());
        // Who has no lease is told so before anything else.
        assertLost(
                store.leases()
                        .end(List.of(new Ending.Suspend(lease.fence(), UNTIL_APPROVED)))
                        .getFirst());
        assertNothingLeft("waitpoint");
    }

    private static void assertLost(Answer<?> answer) {
        assertThat(answer)
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused -> assertThat(refused.error()).isInstanceOf(LeaseLost.class));
    }

    @Test
    void more_waitpoints_than_one_call_tells_of_are_listed_over_pages_of_any_size() {
        var lease = begun(Policy.DEFAULT);
        var names = IntStream.range(1000, 1300).mapToObj(n -> "waitpoint-" + n).toList();
        store.leases()
                .open(names.stream().map(name -> new OpenWaitpoint(lease.fence(), name)).toList())
                .forEach(Answer::orThrow);

        for (int max : new int[] {7, 100, 256, 1000}) {
            var found = new ArrayList<String>();
            var after = Cursor.START;
            while (!after.equals(Cursor.END)) {
                var page = store.signals().waitpoints(Lane.DEFAULT, Optional.empty(), after, max);
                page.items().forEach(view -> found.add(view.at().name()));
                after = page.next();
            }
            assertThat(found).isEqualTo(names);
        }
    }

    @Test
    void waits_that_cannot_be_read_are_refused_and_hide_no_others() {
        var damaged = begun(Policy.DEFAULT);
        suspend(damaged, UNTIL_APPROVED);
        var sound = begun(Policy.DEFAULT);
        suspend(sound, UNTIL_APPROVED);
        fixture.damage(damaged.fence().execution(), "detail", "a");

        assertThat(send(signal(damaged, "boss", "a")))
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused -> assertThat(refused.error()).isInstanceOf(StoreFailure.class));
        assertThat(listed())
                .extracting(view -> view.at().execution())
                .containsExactly(sound.fence().execution());
        assertThat(send(signal(sound, "boss", "a")).isDone()).isTrue();
    }
}
