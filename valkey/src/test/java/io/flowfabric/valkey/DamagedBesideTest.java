package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
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
import io.flowfabric.core.signal.OpenWaitpoint;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What is damaged of the waits, streams and steps of some work is in the way of no other. */
class DamagedBesideTest {
    private static final Attribution ADA = new Attribution("ada", "a test");
    private static final Duration HOUR = Duration.ofHours(1);

    /** How the stream of the first attempt stands. */
    private static final String STANDING = "\0\0\0\0m";

    private final ValkeyFixture fixture = ValkeyFixture.onOneNode();
    private final Store store = fixture.store();
    private final Session session = Session.of("worker", "instance", "default").ttl(HOUR);
    private final List<Lease> leases = new ArrayList<>();

    @BeforeEach
    void begin() {
        store.sessions().open(session);
        for (int n = 1; n <= 3; n++) {
            var work = Submission.of("work", Payload.EMPTY).policy(Policy.DEFAULT.retention(HOUR));
            store.submissions().submit(List.of(work)).getFirst().orThrow();
            leases.addAll(store.claims().claim(new Claim(session.id(), n, 1)).leases());
        }
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private void damage(String hash, String letter) {
        fixture.damage(leases.get(1).fence().execution(), hash, letter);
    }

    private static Ending complete(Lease lease) {
        return new Ending.Complete(lease.fence(), Payload.EMPTY);
    }

    private void assertAllEndAndAreForgotten() {
        var ended = store.leases().end(leases.stream().map(DamagedBesideTest::complete).toList());
        assertThat(ended).allMatch(Answer::isDone);
        assertAllAreForgotten();
    }

    private void assertAllAreForgotten() {
        fixture.pass(HOUR.multipliedBy(2));
        assertThat(fixture.size(Namespace.DEFAULT, "execution")).isZero();
    }

    /** Opens a waitpoint of each, and sends a signal to it. */
    private void open() {
        var opened =
                leases.stream().map(lease -> new OpenWaitpoint(lease.fence(), "boss")).toList();
        store.leases().open(opened).forEach(Answer::orThrow);
        leases.forEach(lease -> send(lease, "a").orThrow());
    }

    private Answer<?> send(Lease lease, String key) {
        var at = new Waitpoint(lease.fence().execution(), "boss");
        var signal = Signal.of(at, "approved", Payload.text("go"), ADA).key(key);
        return store.signals().send(List.of(signal)).getFirst();
    }

    @Test
    void what_is_remembered_of_waits() {
        open();
        damage("detail", "a");

        assertAllEndAndAreForgotten();
    }

    @Test
    void what_is_remembered_of_waits_when_all_are_cancelled() {
        open();
        damage("detail", "a");

        var commands =
                leases.stream()
                        .<OperatorCommand>map(
                                lease -> new OperatorCommand.Cancel(lease.fence().execution()))
                        .toList();
        assertThat(store.operations().act(commands, ADA))
                .extracting(Answer::isDone)
                .containsExactly(true, false, true);
    }

    @Test
    void a_signal() {
        open();
        damage("detail", "h\0\1");

        assertAllEndAndAreForgotten();
    }

    @Test
    void a_recorded_step() {
        store.leases()
                .checkpoint(
                        leases.stream()
                                .map(it -> new Checkpoint(it.fence(), "step", Payload.EMPTY))
                                .toList())
                .forEach(Answer::orThrow);
        damage("detail", "c\0\1");

        assertAllEndAndAreForgotten();
    }

    @Test
    void how_a_stream_stands() {
        append(0).forEach(Answer::orThrow);
        damage("frame", STANDING);

        var answers = append(1);

        assertThat(answers.get(0).isDone()).isTrue();
        assertThat(answers.get(1))
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused -> assertThat(refused.error()).isInstanceOf(StoreFailure.class));
        assertThat(answers.get(2).isDone()).isTrue();
        assertAllEndAndAreForgotten();
        assertThat(fixture.size(Namespace.DEFAULT, "stream")).isZero();
        assertThat(fixture.size(Namespace.DEFAULT, "frame")).isZero();
    }

    @Test
    void how_the_stream_of_an_earlier_attempt_stands() {
        append(0).forEach(Answer::orThrow);
        store.leases()
                .end(leases.stream().map(DamagedBesideTest::complete).toList())
                .forEach(Answer::orThrow);
        var replays =
                leases.stream()
                        .<OperatorCommand>map(
                                it -> new OperatorCommand.Replay(it.fence().execution(), false))
                        .toList();
        store.operations().act(replays, ADA).forEach(Answer::orThrow);
        leases.clear();
        leases.addAll(store.claims().claim(new Claim(session.id(), 4, 3)).leases());
        append(0).forEach(Answer::orThrow);
        damage("frame", "\0\0\0\1m");

        assertAllEndAndAreForgotten();
        assertThat(fixture.size(Namespace.DEFAULT, "stream")).isZero();
        assertThat(fixture.size(Namespace.DEFAULT, "frame")).isZero();
    }

    private List<Answer<Long>> append(long position) {
        return store.leases()
                .append(
                        leases.stream()
                                .map(
                                        it ->
                                                Append.durable(
                                                        it.fence(),
                                                        position,
                                                        "said",
                                                        Payload.EMPTY))
                                .toList());
    }
}
