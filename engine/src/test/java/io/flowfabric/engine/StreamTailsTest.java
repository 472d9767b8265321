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
import io.flowfabric.core.store.Store;
import io.flowfabric.core.store.Wakeups;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.stream.StreamEnd;
import io.flowfabric.core.stream.StreamPage;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.fault.HookedStore;
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
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/** A reader waits for frames, and for nothing longer than it has to. */
@Timeout(60)
class StreamTailsTest {
    private static final Session SESSION = Session.of("worker", "one", "default");
    private static final Duration LONG = Duration.ofHours(1);

    private final ManualTime time = new ManualTime();
    private final AtomicReference<Thread> reader = new AtomicReference<>(Thread.currentThread());
    private final AtomicBoolean deaf = new AtomicBoolean();
    private final MemoryStore memory = new MemoryStore(time);
    private final Store store =
            HookedStore.over(
                    memory,
                    (call, real) ->
                            call.equals("listenForStreams") && deaf.get()
                                    ? (Wakeups.Listening) () -> {}
                                    : real.call());
    private final ThreadFactory threads =
            task -> {
                var thread = Thread.ofVirtual().name("reader").unstarted(task);
                reader.set(thread);
                return thread;
            };
    private final ExecutorService readers = Executors.newThreadPerTaskExecutor(threads);
    private StreamTails tails = new StreamTails(store, EngineOptions.DEFAULT, time);

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
    void without_a_word_frames_are_found_by_a_look_a_second_after_the_last_one() throws Exception {
        deaf.set(true);
        tails.stop();
        tails = new StreamTails(store, EngineOptions.DEFAULT, time);
        tails.start();
        var lease = lease();
        var page = reading(lease, 0);
        say(lease, 0);
        time.pass(Duration.ofMillis(600));
        int before = time.waits("reader");
        LockSupport.unpark(reader.get());
        eventually("it waits for the rest", () -> time.waits("reader") > before);

        time.pass(Duration.ofMillis(399));
        assertThat(page.isDone()).isFalse();
        time.pass(Duration.ofMillis(1));

        eventually("it has read", page::isDone);
        assertThat(page.get().frames()).hasSize(1);
    }

    @Test
    void an_engine_reads_them_while_it_runs() throws Exception {
        var lease = lease();
        say(lease, 0);
        var engine = new Engine(store, EngineOptions.DEFAULT, EngineMetrics.NONE, time);
        var execution = lease.fence().execution();
        assertThatExceptionOfType(Unavailable.class)
                .isThrownBy(() -> engine.tail(execution, 0, 0, 1, LONG));

        engine.start();

        assertThat(engine.tail(execution, 0, 0, 1, LONG).frames()).hasSize(1);
        engine.stop();
        assertThatExceptionOfType(Unavailable.class)
                .isThrownBy(() -> engine.tail(execution, 0, 0, 1, LONG));
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
        long before = time.waiting("reader");
        var page = readers.submit(() -> tails.tail(lease.fence().execution(), 0, from, 10, wait));
        eventually("it waits", () -> time.waiting("reader") > before);
        return page;
    }

    private void say(Lease lease, long position) {
        store.leases()
                .append(List.of(Append.durable(lease.fence(), position, "said", Payload.EMPTY)))
                .getFirst()
                .orThrow();
    }

    private Lease lease() {
        memory.submit(Submission.of("job", Payload.EMPTY));
        return store.claims().claim(new Claim(SESSION.id(), 1, 1)).leases().getFirst();
    }
}
