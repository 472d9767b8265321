package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.postgres.PostgresStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Wake-ups between processes come back by themselves, whatever became of their connections. */
class WakeupConnectionTest {
    private final FaultScenario world = new FaultScenario();
    private final Set<Lane> heard = ConcurrentHashMap.newKeySet();
    private int lanes;

    @AfterEach
    void close() {
        world.close();
    }

    /** As after a takeover by another server: nothing says that the connection is dead. */
    @Test
    void a_process_hears_of_work_again_after_its_connection_fell_silent() {
        try (var proxy = new SilentProxy(Servers.shared().port())) {
            var silenced = wakesThrough(proxy);
            silenced.wakeups().listen(heard::add);
            Waiting.until("it listens", () -> isHeardFrom(world.store()));

            assertThat(proxy.silence()).as("connections").isPositive();

            Waiting.until("it listens again", () -> isHeardFrom(world.store()));
        }
    }

    @Test
    void work_is_announced_although_the_connection_fell_silent_just_then() {
        try (var proxy = new SilentProxy(Servers.shared().port())) {
            var silenced = wakesThrough(proxy);
            world.store().wakeups().listen(heard::add);
            Waiting.until("it announces", () -> isHeardFrom(silenced));

            assertThat(proxy.silence()).as("connections").isPositive();
            var lane = submit(silenced);

            Waiting.until("that very work is announced", () -> heard.contains(lane));
        }
    }

    @Test
    void an_error_of_a_listener_does_not_end_the_listening() {
        var failing = new AtomicBoolean();
        var listening = world.another(world.options());
        listening
                .wakeups()
                .listen(
                        lane -> {
                            if (failing.getAndSet(false)) {
                                throw new OutOfMemoryError("made up");
                            }
                            heard.add(lane);
                        });
        Waiting.until("it listens", () -> isHeardFrom(world.store()));

        failing.set(true);
        submit(world.store());
        Waiting.until("it fails", () -> !failing.get());

        Waiting.until("it listens again", () -> isHeardFrom(world.store()));
    }

    /** Only the connections for wake-ups go through the proxy. */
    private PostgresStore wakesThrough(SilentProxy proxy) {
        var direct = world.options().url();
        var url =
                direct.replace("127.0.0.1:" + Servers.shared().port(), "127.0.0.1:" + proxy.port());
        assertThat(url).isNotEqualTo(direct);
        return world.another(world.options().withDirectUrl(url));
    }

    /** Whether work that becomes ready now is heard of within a second. */
    private boolean isHeardFrom(Store store) {
        var lane = submit(store);
        try {
            Waiting.until("it is heard of", Duration.ofSeconds(1), () -> heard.contains(lane));
            return true;
        } catch (AssertionError unheard) {
            return false;
        }
    }

    private Lane submit(Store store) {
        var work = Submission.of("work", Payload.EMPTY).lane("lane-" + ++lanes);
        store.submissions().submit(List.of(work)).getFirst().orThrow();
        return work.lane();
    }
}
