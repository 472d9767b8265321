package io.flowfabric.engine;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flowfabric.core.Payload;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.stream.StreamEnd;
import io.flowfabric.core.stream.StreamPage;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A reader waits for frames, and for nothing longer than it has to. */
@Timeout(60)
class StreamTailsTest {
    private static final Session SESSION = Session.of("worker", "one", "default");
    private static final Duration LONG = Duration.ofHours(1);

    private final ManualTime time = new ManualTime();
    private final MemoryStore store = new MemoryStore(time);
    private final StreamTails tails = new StreamTails(store, EngineOptions.DEFAULT, time);
    private final ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor();

    @BeforeEach
    void start() {
        tails.start();
        store.sessions().open(SESSION);
    }

    @AfterEach
    void stop() {
        tails.stop();
        readers.shutdownNow();
    }

    @Test
    void what_is_there_is_read_at_once() throws Exception {
        var lease = lease();
        say(lease, 0);

        var page = tails.tail(lease.fence().execution(), 0, 0, 10, Duration.ZERO);

        assertThat(page.frames()).hasSize(1);
        assertThat(tails.waiting()).isZero();
    }

    @Test
    void a_reader_is_woken_by_a_frame_although_no_time_passes() throws Exception {
        var lease = lease();
        var page = reading(lease, 0);

        say(lease, 0);

        assertThat(page.get().frames()).hasSize(1);
        assertThat(page.get().next()).isEqualTo(1);
    }

    @Test
    void all_readers_are_woken_by_the_end_and_learn_why() throws Exception {
        var lease = lease();
        say(lease, 0);
        var one = reading(lease, 1);
        var other = reading(lease, 1);

        store.leases().end(List.of(new Ending.Complete(lease.fence(), Payload.EMPTY)));

        assertThat(one.get().closed()).contains(StreamEnd.COMPLETED);
        assertThat(other.get().last()).isTrue();
        eventually("nobody is left", () -> tails.waiting() == 0);
    }

    @Test
    void a_wait_without_frames_ends_when_it_is_over() throws Exception {
        var lease = lease();
        var page = reading(lease, 0, Duration.ofSeconds(3));

        eventually(time, "it is over", page::isDone);

        assertThat(page.get().frames()).isEmpty();
        assertThat(page.get().closed()).isEmpty();
    }

    @Test
    void an_engine_that_stops_lets_its_readers_go_and_takes_no_others() throws Exception {
        var lease = lease();
        var page = reading(lease, 0);

        tails.stop();

        assertThat(page.get().frames()).isEmpty();
        assertThatExceptionOfType(Unavailable.class)
                .isThrownBy(() -> tails.tail(lease.fence().execution(), 0, 0, 1, LONG));
    }

    @Test
    void a_reader_that_is_interrupted_says_so() {
        var lease = lease();
        var page = reading(lease, 0);

        readers.shutdownNow();

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(page::get)
                .withCauseInstanceOf(InterruptedException.class);
    }

    private Future<StreamPage> reading(Lease lease, long from) {
        return reading(lease, from, LONG);
    }

    private Future<StreamPage> reading(Lease lease, long from, Duration wait) {
        int before = tails.waiting();
        var page = readers.submit(() -> tails.tail(lease.fence().execution(), 0, from, 10, wait));
        eventually("it waits", () -> tails.waiting() > before);
        return page;
    }

    private void say(Lease lease, long position) {
        store.leases()
                .append(List.of(Append.durable(lease.fence(), position, "said", Payload.EMPTY)))
                .getFirst()
                .orThrow();
    }

    private Lease lease() {
        store.submit(Submission.of("job", Payload.EMPTY));
        return store.claims().claim(new Claim(SESSION.id(), 1, 1)).leases().getFirst();
    }
}
