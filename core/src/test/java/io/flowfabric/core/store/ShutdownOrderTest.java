package io.flowfabric.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

class ShutdownOrderTest {
    /** A server that was started for a process must not outlive it, whatever its users do. */
    @Test
    void what_cannot_be_ended_keeps_neither_the_others_nor_the_servers() {
        var ended = new AtomicInteger();
        List<Runnable> users =
                List.of(
                        ended::incrementAndGet,
                        () -> {
                            throw new IllegalStateException("by a test");
                        },
                        () -> {
                            throw new LinkageError("by a test");
                        },
                        ended::incrementAndGet);
        users.forEach(ShutdownOrder::beforeServers);
        try {
            ShutdownOrder.endUsersOfServers();
        } finally {
            users.forEach(ShutdownOrder::forget);
        }

        assertThat(ended).hasValue(2);
    }
}
