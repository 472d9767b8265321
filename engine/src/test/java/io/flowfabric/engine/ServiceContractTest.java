package io.flowfabric.engine;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Fence;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.store.Store;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** The one life of every background service of an engine. */
class ServiceContractTest {
    private static final EngineOptions QUICK =
            EngineOptions.DEFAULT.sweepEvery(Duration.ofMillis(10));

    enum Kind {
        LOOP {
            @Override
            Service make(Store store, Engine engine) {
                return new Loop(
                        "a loop",
                        Time.SYSTEM,
                        () -> {
                            store.maintenance().nextDue(Duration.ofSeconds(1));
                            return 1_000_000;
                        },
                        Backoff.DEFAULT,
                        trouble -> {});
            }
        },
        SWEEPS {
            @Override
            Service make(Store store, Engine engine) {
                return new Sweeps(store.maintenance(), QUICK, EngineMetrics.NONE, Time.SYSTEM);
            }
        },
        PARKING {
            @Override
            Service make(Store store, Engine engine) {
                return new ClaimParking(store.wakeups(), QUICK, EngineMetrics.NONE, Time.SYSTEM);
            }
        },
        SESSION {
            @Override
            Service make(Store store, Engine engine) {
                return engine.session(
                        Session.of("worker", "one", "lane").ttl(Duration.ofMillis(100)),
                        new HoldsNothing());
            }
        },
        FOLLOWER {
            @Override
            Service make(Store store, Engine engine) {
                return new Follower(
                        store.feeds(),
                        FeedFilter.of(FeedFilter.Topic.EVERYTHING),
                        Cursor.NOW,
                        EngineMetrics.NONE,
                        Time.SYSTEM);
            }
        },
        ENGINE {
            @Override
            Service make(Store store, Engine engine) {
                return new Engine(store, QUICK, EngineMetrics.NONE);
            }
        };

        abstract Service make(Store store, Engine engine);

        /** Whether it calls the store although nobody asks it to. */
        boolean busy() {
            return this != PARKING && this != FOLLOWER;
        }
    }

    private static final class HoldsNothing implements EngineSession.Holder {
        @Override
        public Set<Fence> held() {
            return Set.of();
        }

        @Override
        public int lost(Set<Fence> fences) {
            return 0;
        }

        @Override
        public void died() {}
    }

    private final MemoryStore memory = new MemoryStore(InstantSource.system());
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger callsOfTheEngine = new AtomicInteger();
    private volatile boolean broken;
    private final Store store = counting(calls);
    private final Engine engine =
            new Engine(counting(callsOfTheEngine), EngineOptions.DEFAULT, EngineMetrics.NONE);

    private Store counting(AtomicInteger counter) {
        return HookedStore.over(
                memory,
                (call, real) -> {
                    counter.incrementAndGet();
                    if (broken) {
                        throw new IllegalStateException("broken by a test");
                    }
                    return real.call();
                });
    }

    /** How often a service called the store. A session does it through the engine. */
    private int calls(Kind kind) {
        return kind == Kind.SESSION ? callsOfTheEngine.get() : calls.get();
    }

    ServiceContractTest() {
        engine.start();
    }

    @AfterEach
    void stop() {
        engine.stop();
    }

    @ParameterizedTest
    @EnumSource
    void start_returns_when_it_is_running(Kind kind) {
        var service = kind.make(store, engine);
        assertThat(service.running()).isFalse();

        service.start();

        assertThat(service.running()).isTrue();
        service.stop();
        assertThat(service.running()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void nothing_happens_any_more_once_stop_has_returned(Kind kind) {
        var service = kind.make(store, engine);
        service.start();
        int before = calls(kind);
        if (kind.busy()) {
            eventually("it does something", () -> calls(kind) > before);
        }

        service.stop();
        engine.stop();

        int after = calls(kind);
        var quiet = System.nanoTime() + Duration.ofMillis(50).toNanos();
        eventually("some time passes", () -> System.nanoTime() > quiet);
        assertThat(calls(kind)).isEqualTo(after);
    }

    @ParameterizedTest
    @EnumSource
    void stopping_again_does_nothing(Kind kind) {
        var service = kind.make(store, engine);
        service.start();

        service.stop();
        service.stop();
        service.close();

        assertThat(service.running()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void stopping_what_never_started_does_nothing(Kind kind) {
        var service = kind.make(store, engine);
        int before = calls(kind);

        service.stop();

        assertThat(service.running()).isFalse();
        assertThatThrownBy(service::start).isInstanceOf(IllegalStateException.class);
        // The engine that a session belongs to has loops of its own.
        if (kind != Kind.SESSION) {
            assertThat(calls(kind)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @EnumSource
    void it_has_one_life(Kind kind) {
        var service = kind.make(store, engine);
        service.start();
        assertThatThrownBy(service::start).isInstanceOf(IllegalStateException.class);
        assertThat(service.running()).isTrue();

        service.stop();

        assertThatThrownBy(service::start).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @EnumSource
    void everyone_who_stops_it_waits_until_it_has_ended(Kind kind) throws Exception {
        var service = kind.make(store, engine);
        service.start();
        var stopped = new CountDownLatch(8);

        IntStream.range(0, 8)
                .forEach(
                        i ->
                                Thread.ofVirtual()
                                        .start(
                                                () -> {
                                                    service.stop();
                                                    stopped.countDown();
                                                }));

        stopped.await();
        assertThat(service.running()).isFalse();
    }

    /** The others call the store only from threads that outlive a failure. */
    @ParameterizedTest
    @EnumSource(names = {"PARKING", "SESSION", "FOLLOWER", "ENGINE"})
    void a_start_that_fails_throws_and_leaves_nothing_behind(Kind kind) {
        var service = kind.make(store, engine);
        broken = true;

        assertThatThrownBy(service::start).hasMessage("broken by a test");

        assertThat(service.running()).isFalse();
        service.stop();
        assertThatThrownBy(service::start).isInstanceOf(IllegalStateException.class);
        broken = false;
    }

    @ParameterizedTest
    @EnumSource
    void what_was_refused_to_one_thread_can_be_stopped_by_another(Kind kind) throws Exception {
        var service = kind.make(store, engine);
        service.start();
        assertThatThrownBy(service::start).isInstanceOf(IllegalStateException.class);

        var other = Thread.ofPlatform().daemon().start(service::stop);

        assertThat(other.join(Duration.ofSeconds(10))).isTrue();
        assertThat(service.running()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void it_survives_a_store_that_fails_for_a_while(Kind kind) {
        var service = kind.make(store, engine);
        service.start();

        broken = true;
        int before = calls(kind);
        if (kind.busy()) {
            eventually("it fails twice", () -> calls(kind) > before + 1);
        }
        broken = false;

        assertThat(service.running()).isTrue();
        service.stop();
    }
}
