package io.flowfabric.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.random.RandomGenerator;

class IdSourceTest {
    /** The moment of the example in RFC 9562, appendix A.6. */
    private static final long RFC_MILLIS = 0x017F22E279B0L;

    private static final RandomGenerator ZEROS = () -> 0L;
    private static final RandomGenerator ONES = () -> -1L;

    private long millis = RFC_MILLIS;
    private final InstantSource clock = () -> Instant.ofEpochMilli(millis);

    @Test
    void the_layout_is_48_bits_of_time_version_counter_variant_and_chance() {
        assertThat(new IdSource(clock, ZEROS).uuid())
                .hasToString("017f22e2-79b0-7000-8000-000000000000");
        assertThat(new IdSource(clock, ONES).uuid())
                .hasToString("017f22e2-79b0-77ff-bfff-ffffffffffff");
    }

    @Test
    void every_id_is_a_version_7_uuid_of_the_standard_variant() {
        var source = new IdSource(clock, new SplittableRandom(1));

        for (int i = 0; i < 10_000; i++) {
            var uuid = source.uuid();
            assertThat(uuid.version()).isEqualTo(7);
            assertThat(uuid.variant()).isEqualTo(2);
        }
    }

    @Test
    void the_counter_begins_in_its_lower_half_so_that_there_is_room() {
        var source = new IdSource(clock, new SplittableRandom(1));

        for (int i = 0; i < 1_000; i++) {
            millis++;
            assertThat(counter(source.uuid())).isLessThan(2048);
        }
    }

    @Test
    void it_counts_up_while_the_clock_stands_still() {
        var source = new IdSource(clock, ZEROS);

        assertThat(List.of(source.uuid(), source.uuid(), source.uuid()))
                .extracting(UUID::toString)
                .containsExactly(
                        "017f22e2-79b0-7000-8000-000000000000",
                        "017f22e2-79b0-7001-8000-000000000000",
                        "017f22e2-79b0-7002-8000-000000000000");
    }

    @Test
    void it_goes_on_from_the_latest_moment_when_the_clock_goes_back() {
        var source = new IdSource(clock, ZEROS);
        assertThat(source.uuid()).hasToString("017f22e2-79b0-7000-8000-000000000000");

        millis -= 86_400_000;

        assertThat(source.uuid()).hasToString("017f22e2-79b0-7001-8000-000000000000");
    }

    @Test
    void it_borrows_the_next_millisecond_when_the_counter_is_full() {
        var source = new IdSource(clock, ONES);
        assertThat(source.uuid()).hasToString("017f22e2-79b0-77ff-bfff-ffffffffffff");
        for (int counter = 0x800; counter <= 0xFFF; counter++) {
            var uuid = source.uuid();
            assertThat(counter(uuid)).isEqualTo(counter);
            assertThat(millis(uuid)).isEqualTo(RFC_MILLIS);
        }

        assertThat(source.uuid()).hasToString("017f22e2-79b1-7000-bfff-ffffffffffff");

        millis++;
        assertThat(source.uuid())
                .as("the borrowed millisecond goes on when the clock arrives at it")
                .hasToString("017f22e2-79b1-7001-bfff-ffffffffffff");
        millis++;
        assertThat(source.uuid()).hasToString("017f22e2-79b2-77ff-bfff-ffffffffffff");
    }

    @Test
    void ids_of_one_source_only_ever_grow_whatever_the_clock_does() {
        long seed = 20260301;
        var random = new SplittableRandom(seed);
        var source = new IdSource(clock, random.split());
        var ids = new ArrayList<String>();
        for (int i = 0; i < 50_000; i++) {
            if (random.nextInt(100) == 0) {
                millis += random.nextInt(-5, 6);
            }
            ids.add(source.uuid().toString());
        }

        assertThat(ids).as("seed %d", seed).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void the_last_byte_is_the_partition_that_was_asked_for() {
        for (int number = 0; number < Partition.COUNT; number++) {
            var partition = new Partition(number);
            var id = new IdSource(clock, ONES).execution(partition);

            assertThat(id.partition()).isEqualTo(partition);
            assertThat(id.uuid())
                    .hasToString("017f22e2-79b0-77ff-bfff-ffffffffff%02x".formatted(number));
        }
    }

    @Test
    void threads_that_share_a_source_get_different_ids() throws InterruptedException {
        var source = new IdSource(clock, ZEROS);
        var ids = new ConcurrentLinkedQueue<UUID>();
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < 4; i++) {
            threads.add(
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        for (int n = 0; n < 2_000; n++) {
                                            ids.add(source.uuid());
                                        }
                                    }));
        }
        for (var thread : threads) {
            thread.join();
        }

        // There is no chance in these: only the counter tells them apart.
        assertThat(ids).hasSize(8_000).doesNotHaveDuplicates();
    }

    private static long millis(UUID uuid) {
        return uuid.getMostSignificantBits() >>> 16;
    }

    private static int counter(UUID uuid) {
        return (int) (uuid.getMostSignificantBits() & 0xFFF);
    }
}
