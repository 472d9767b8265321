package io.flowfabric.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What a store tells those who listen to it: that there may be work, or that work was lost. */
final class Hints {
    private Hints() {}

    /** A listener hears of the lane after this, and finds work there. */
    static void isWoken(Scenario world, Lane lane, Runnable cause) {
        var heard = new LinkedBlockingQueue<Lane>();
        var listening = world.store().wakeups().listen(heard::add);
        try (listening) {
            cause.run();
            await(lane, heard);
        }
        assertThat(world.worker(lane).claim(1)).hasSize(1);
    }

    static <T> void await(T expected, BlockingQueue<T> heard) {
        try {
            T next;
            do {
                next = heard.poll(10, TimeUnit.SECONDS);
                assertThat(next).as("a hint about %s", expected).isNotNull();
            } while (!expected.equals(next));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError("no hint in time", interrupted);
        }
    }
}
