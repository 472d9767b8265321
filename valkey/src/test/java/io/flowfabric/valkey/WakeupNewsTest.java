package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.valkey.internal.wire.KeySpace;
import io.flowfabric.valkey.internal.wire.Wire;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What processes tell each other of work: soon, not too often, and never at the cost of a call. */
class WakeupNewsTest {
    private final TestRedis redis = TestRedis.oneNode();
    private final String name = "news-" + UUID.randomUUID();
    private final KeySpace keys = TestRedis.keys(name);
    private final Counting wire = new Counting(redis.wire(keys));
    private final ValkeyStore store = new ValkeyStore(wire, Optional.empty(), Optional.empty());
    private final ValkeyStore other =
            new ValkeyStore(redis.wire(keys), Optional.empty(), Optional.empty());

    /** Counts what is told. */
    private static final class Counting extends PassedOnWire {
        private final AtomicInteger told = new AtomicInteger();

        Counting(Wire real) {
            super(real);
        }

        @Override
        public void publish(byte[] message) {
            told.incrementAndGet();
            super.publish(message);
        }
    }

    @AfterEach
    void close() {
        store.close();
        other.close();
        redis.forget(name);
    }

    @Test
    void a_call_is_done_though_a_listener_fails() {
        var listening =
                store.wakeups()
                        .listen(
                                lane -> {
                                    throw new IllegalStateException("a bug of a listener");
                                });

        assertThat(submit().isDone()).isTrue();
        listening.close();
    }

    @Test
    void a_lane_is_told_of_now_and_then_and_at_last() throws InterruptedException {
        var heard = new Semaphore(0);
        var listening = other.wakeups().listen(lane -> heard.release());
        submit();
        // What is heard after this is news of what comes after it.
        assertThat(heard.tryAcquire(5, TimeUnit.SECONDS)).isTrue();
        int before = wire.told.get();
        long began = System.nanoTime();
        var lane = Lane.of("default");
        for (int n = 0; n < 2000; n++) {
            store.wakeups().pass(lane, nobody -> {});
        }
        long pauses = Duration.ofNanos(System.nanoTime() - began).toMillis() / 10;
        heard.drainPermits();
        // What comes within a pause is told when it is over.
        store.wakeups().pass(lane, nobody -> {});
        assertThat(heard.tryAcquire(5, TimeUnit.SECONDS)).isTrue();

        assertThat((long) wire.told.get() - before).isBetween(1L, pauses + 3);
        listening.close();
    }

    @Test
    void a_stream_that_goes_on_or_is_closed_is_told_to_other_processes()
            throws InterruptedException {
        var session = Session.of("worker", "one", "default");
        store.sessions().open(session);
        submit();
        var lease = store.claims().claim(new Claim(session.id(), 1, 1)).leases().getFirst();
        var fence = lease.fence();
        var heard = new Semaphore(0);
        var listening =
                other.wakeups()
                        .listenForStreams(
                                id -> heard.release(id.equals(fence.execution().uuid()) ? 1 : 0));

        store.leases().append(List.of(Append.durable(fence, 0, "said", Payload.EMPTY)));
        assertThat(heard.tryAcquire(5, TimeUnit.SECONDS)).isTrue();
        assertThat(other.streams().tail(fence.execution(), 0, 0, 1).end()).isEqualTo(1);

        store.leases().end(List.of(new Ending.Complete(fence, Payload.EMPTY)));
        assertThat(heard.tryAcquire(5, TimeUnit.SECONDS)).isTrue();
        assertThat(other.streams().tail(fence.execution(), 0, 1, 1).last()).isTrue();
        listening.close();
    }

    private Answer<?> submit() {
        return store.submissions().submit(List.of(Submission.of("job", Payload.EMPTY))).getFirst();
    }
}
