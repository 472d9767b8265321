package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** A process that has used up its threads can be stopped all the same. */
class JointStopTest {
    private final Queue<Thread> stoppers = new ConcurrentLinkedQueue<>();

    /** What happens when a service ends. */
    private static Service service(Runnable ending) {
        var service =
                new Service() {
                    @Override
                    protected void begin() {}

                    @Override
                    protected void end() {
                        ending.run();
                    }
                };
        service.start();
        return service;
    }

    private Service noting() {
        return service(() -> stoppers.add(Thread.currentThread()));
    }

    private static Service failing() {
        return service(
                () -> {
                    throw new LinkageError("by a test");
                });
    }

    @Test
    void services_without_a_thread_for_it_are_stopped_by_the_caller() {
        var asked = new AtomicInteger();
        ThreadFactory scarce =
                task -> {
                    if (asked.incrementAndGet() > 1) {
                        throw new OutOfMemoryError("no thread, by a test");
                    }
                    return new Thread(task);
                };

        JointStop.stop(List.of(noting(), failing(), noting(), noting()), scarce);

        assertThat(stoppers).hasSize(3);
        assertThat(stoppers).filteredOn(Thread.currentThread()::equals).hasSize(2);
    }

    @Test
    void they_are_stopped_at_the_same_time() {
        var both = new CountDownLatch(2);
        Runnable together =
                () -> {
                    both.countDown();
                    try {
                        both.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                };

        JointStop.stop(List.of(service(together), service(together)), Thread::new);

        assertThat(both.getCount()).isZero();
    }

    @Test
    void one_that_fails_to_stop_does_not_keep_those_after_it() {
        var services = List.of(failing(), noting());

        assertThatThrownBy(() -> Service.stopAll(services)).isInstanceOf(LinkageError.class);

        assertThat(stoppers).hasSize(1);
    }
}
