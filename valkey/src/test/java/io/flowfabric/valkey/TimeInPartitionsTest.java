package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Maintenance.Round;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.embedded.EmbeddedRedis;
import io.flowfabric.embedded.RedisOptions;
import io.flowfabric.embedded.RedisOptions.Flush;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.valkey.internal.wire.LettuceWire;
import io.flowfabric.valkey.internal.wire.ServerAddress;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/** Time passes in each partition, whatever becomes of the others. */
class TimeInPartitionsTest {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Path HOME = Path.of("target", "test-redis").toAbsolutePath();

    @Test
    void a_node_that_is_down_stops_time_in_its_own_partitions_alone() {
        var options =
                RedisOptions.DEFAULT
                        .withFlush(Flush.SELDOM)
                        .withSetting("cluster-require-full-coverage", "no")
                        .withBinaries(HOME.resolve("binaries"));
        var clock = new VirtualClock();
        try (var redis = EmbeddedRedis.startCluster(HOME.resolve("time"), 3, 0, options);
                var store = new ValkeyStore(wire(redis), Optional.of(clock))) {
            int woken = 0;
            // One of them has the partition where the others are noted.
            for (int node = 0; node < 3; node++) {
                var works = delayed(store, namespaces(24), clock);
                redis.kill(node);

                int processed = 0;
                int errors = 0;
                for (int n = 0; n < 3; n++) {
                    var round = store.maintenance().tick(Chore.TIMERS, 1000);
                    processed += round.processed();
                    errors += round.errors();
                    assertThat(store.maintenance().nextDue(MINUTE)).isPresent();
                }
                assertThat(processed).isBetween(4, works.size() - 1);
                assertThat(errors).isPositive();

                redis.restart(node);
                long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
                while (processed < works.size() && System.nanoTime() < end) {
                    processed += tick(store).processed();
                    pause();
                }
                assertThat(processed).isEqualTo(works.size());
                assertThat(ready(store, works)).isEqualTo(works.size());
                woken += processed;
            }
            assertThat(woken).isEqualTo(72);
        }
    }

    @Test
    void what_is_due_in_one_partition_keeps_the_others_waiting_for_one_round_at_most() {
        try (var fixture = ValkeyFixture.onOneNode()) {
            var store = fixture.store();
            var namespaces = namespaces(5);
            var policy = Policy.DEFAULT.start(Due.in(MINUTE));
            for (int n = 0; n < 100; n++) {
                submit(store, namespaces.getFirst(), policy);
            }
            var others =
                    namespaces.subList(1, 5).stream()
                            .map(one -> submit(store, one, policy))
                            .toList();
            fixture.advance(MINUTE);

            for (int n = 0; n < 3; n++) {
                var round = store.maintenance().tick(Chore.TIMERS, 10);
                assertThat(round).isEqualTo(new Round(10, 0, true));
            }

            assertThat(ready(store, others)).isEqualTo(4);
        }
    }

    @Test
    void a_round_visits_only_partitions_where_something_is_due() {
        try (var fixture = ValkeyFixture.onOneNode()) {
            var store = fixture.store();
            namespaces(40).forEach(one -> submit(store, one, Policy.DEFAULT));
            var late = Policy.DEFAULT.start(Due.in(MINUTE));
            submit(store, namespaces(2).getLast(), late);
            fixture.advance(MINUTE);

            long before = calls();
            assertThat(store.maintenance().nextDue(MINUTE)).hasValue(Duration.ZERO);
            // The list of partitions, and each of them with the first.
            assertThat(calls() - before).isEqualTo(42);
            before = calls();
            assertThat(store.maintenance().tick(Chore.TIMERS, 10).processed()).isOne();
            assertThat(calls() - before).isLessThan(42 + 10);
            before = calls();
            assertThat(store.maintenance().tick(Chore.SESSIONS, 10).processed()).isZero();
            assertThat(calls() - before).isEqualTo(42);
        }
    }

    /** How many functions the server has called. */
    private static long calls() {
        return TestRedis.oneNode()
                .direct()
                .info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_fcall"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^:]*:calls=(\\d+),.*", "$1")))
                .sum();
    }

    private static LettuceWire wire(EmbeddedRedis redis) {
        return new LettuceWire(
                ServerAddress.parse(redis.url()),
                null,
                redis.password(),
                TestRedis.keys("time-" + UUID.randomUUID()),
                Duration.ofSeconds(5),
                Duration.ofSeconds(2));
    }

    private static Round tick(Store store) {
        try {
            return store.maintenance().tick(Chore.TIMERS, 1000);
        } catch (FlowFabricException notYet) {
            return new Round(0, 1, false);
        }
    }

    private static void pause() {
        LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
    }

    private static List<ExecutionId> delayed(
            Store store, List<Namespace> namespaces, VirtualClock clock) {
        var policy = Policy.DEFAULT.start(Due.in(MINUTE));
        var works = namespaces.stream().map(one -> submit(store, one, policy)).toList();
        assertThat(store.maintenance().tick(Chore.TIMERS, 1000).processed()).isZero();
        clock.advance(MINUTE);
        return works;
    }

    /** Namespaces with a partition for each, which is not that of the default one. */
    private static List<Namespace> namespaces(int count) {
        var found = new ArrayList<Namespace>();
        var partitions = new HashSet<>(List.of(Partition.of(Namespace.DEFAULT)));
        for (int n = 0; found.size() < count; n++) {
            var namespace = new Namespace("tenant-" + n);
            if (partitions.add(Partition.of(namespace))) {
                found.add(namespace);
            }
        }
        return found;
    }

    private static ExecutionId submit(Store store, Namespace namespace, Policy policy) {
        var work =
                Submission.of("work", Payload.EMPTY)
                        .id(ExecutionId.mint(namespace))
                        .lane(new Lane(namespace, "lane"))
                        .policy(policy);
        store.submissions().submit(List.of(work)).getFirst().orThrow();
        return work.id();
    }

    private static long ready(Store store, List<ExecutionId> works) {
        return store.queries().describe(works).stream()
                .filter(one -> one.orThrow().state().situation() != Situation.DELAYED)
                .count();
    }
}
