package io.flowfabric.core;

import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

class PartitionTest {

    // The vectors of the original; the first is the check value that everyone publishes for this
    // CRC.
    @ParameterizedTest
    @CsvSource({
        "123456789, 0x31C3",
        "default, 0xD656",
        "workers-a, 0x2EC1",
        "workers-b, 0x1EA2",
        "worker-pool-1, 0x984D"
    })
    void the_hash_is_crc_16_xmodem(String text, String crc) {
        assertThat(Partition.crc16(text.getBytes(StandardCharsets.US_ASCII)))
                .isEqualTo(Integer.decode(crc));
    }

    @Test
    void the_hash_of_nothing_is_zero() {
        assertThat(Partition.crc16(new byte[0])).isZero();
    }

    @Test
    void the_hash_reads_bytes_as_unsigned() {
        assertThat(Partition.crc16(new byte[] {(byte) 0xFF})).isEqualTo(0x1EF0);
    }

    @ParameterizedTest
    @CsvSource({
        "550e8400-e29b-41d4-a716-446655440000, 24",
        "11111111-1111-4111-8111-111111111111, 191",
        "6ba7b810-9dad-11d1-80b4-00c04fd430c8, 77",
        "ffffffff-ffff-ffff-ffff-ffffffffffff, 65",
        "00112233-4455-6677-8899-aabbccddeeff, 72",
        "00000000-0000-0000-0000-000000000000, 0"
    })
    void a_flow_lives_where_it_lived_in_the_original(UUID flow, int partition) {
        assertThat(Partition.ofFlow(flow)).isEqualTo(new Partition(partition));
    }

    @Test
    void there_are_256_partitions_for_ever() {
        assertThat(Partition.COUNT).isEqualTo(256);
        assertThat(new Partition(0).number()).isZero();
        assertThat(new Partition(255).number()).isEqualTo(255);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 256, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void a_number_outside_of_0_to_255_is_refused(int number) {
        assertRefused(Invalid.Code.OUT_OF_RANGE, "partition", () -> new Partition(number));
    }

    @Test
    void it_is_written_as_the_hash_tag_of_a_cluster_key() {
        assertThat(new Partition(42)).hasToString("{fp:42}");
    }
}
