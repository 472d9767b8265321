package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idOf;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.stream.StreamEnd;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Who follows a stream is told when it goes on or is closed, and misses nothing. */
abstract class TailRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    TailRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void readers_are_told_of_frames() {
        var lease = world.begun();

        isTold(lease, () -> world.say(lease, 0, "a").orThrow());
        isTold(lease, () -> world.say(lease, 1, "b").orThrow());
    }

    @Test
    void readers_are_told_when_a_stream_is_closed_whatever_closes_it() {
        var completed = said(Policy.DEFAULT);
        isTold(completed, () -> world.end(complete(completed)).orThrow());
        var retried = said(Policy.DEFAULT);
        isTold(retried, () -> world.end(retry(retried, MINUTE)).orThrow());
        var cancelled = said(Policy.DEFAULT);
        isTold(cancelled, () -> world.cancel(idOf(cancelled)));
        var late = said(Policy.DEFAULT.attemptTimeout(MINUTE));
        isTold(late, () -> world.pass(MINUTE));
    }

    @Test
    void nobody_is_told_of_work_without_a_stream() {
        var lease = world.begun();
        var heard = new ConcurrentLinkedQueue<UUID>();
        try (var listening = world.store().wakeups().listenForStreams(heard::add)) {
            assertThat(listening).isNotNull();
            world.report(lease, 50).orThrow();
            world.end(complete(lease)).orThrow();
        }

        assertThat(heard).isEmpty();
    }

    @Test
    void ten_readers_follow_ten_megabytes_in_order_and_miss_nothing() throws Exception {
        int frames = 10 << 10;
        var lease = world.begun();
        var id = idOf(lease);
        try (var readers = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<Long> reader = () -> follow(id, frames);
            var reading = IntStream.range(0, 10).mapToObj(n -> readers.submit(reader)).toList();
            int batch = 256;
            for (int from = 0; from < frames; from += batch) {
                var appends =
                        LongStream.range(from, from + batch)
                                .mapToObj(n -> Append.durable(lease.fence(), n, "said", kilo(n)))
                                .toList();
                assertThat(world.store().leases().append(appends))
                        .allMatch(answer -> answer.isDone());
            }
            world.end(complete(lease)).orThrow();

            for (var one : reading) {
                assertThat(one.get(100, TimeUnit.SECONDS)).isEqualTo((long) frames << 10);
            }
        }
    }

    /** Reads to the end, holding one page at a time. Answers how many bytes there were. */
    private long follow(ExecutionId id, int frames) throws InterruptedException {
        var streams = world.store().streams();
        var news = new Semaphore(0);
        long next = 0;
        long bytes = 0;
        try (var listening =
                world.store().wakeups().listenForStreams(told -> release(news, told, id))) {
            assertThat(listening).isNotNull();
            while (true) {
                var page = streams.tail(id, 0, next, 500);
                for (var frame : page.frames()) {
                    assertThat(frame.position()).isEqualTo(next++);
                    assertThat(frame.payload()).isEqualTo(kilo(frame.position()));
                    bytes += frame.payload().size();
                }
                if (page.last()) {
                    assertThat(next).isEqualTo(frames);
                    assertThat(page.closed()).contains(StreamEnd.COMPLETED);
                    return bytes;
                }
                if (!page.more()) {
                    assertThat(news.tryAcquire(1, TimeUnit.MINUTES)).as("it is told").isTrue();
                    news.drainPermits();
                }
            }
        }
    }

    private static void release(Semaphore news, UUID told, ExecutionId wanted) {
        if (told.equals(wanted.uuid())) {
            news.release();
        }
    }

    private static Payload kilo(long number) {
        var bytes = ByteBuffer.allocate(1 << 10).putLong(number);
        return Payload.of(bytes.array(), "application/octet-stream");
    }

    private Lease said(Policy policy) {
        var lease = world.begun(policy);
        world.say(lease, 0, "a").orThrow();
        return lease;
    }

    private void isTold(Lease lease, Runnable happening) {
        var heard = new ConcurrentLinkedQueue<UUID>();
        try (var listening = world.store().wakeups().listenForStreams(heard::add)) {
            assertThat(listening).isNotNull();
            happening.run();
        }
        assertThat(List.copyOf(heard)).contains(idOf(lease).uuid());
    }
}
