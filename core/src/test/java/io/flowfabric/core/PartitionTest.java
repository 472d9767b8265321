package io.flowfabric.core;

import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;

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
    @CsvSource({"default, 0x56", "workers-a, 0xC1", "workers-b, 0xA2", "caf\u00e9, 0x67"})
    void a_namespace_lies_where_the_hash_of_its_name_says(String name, String partition) {
        assertThat(Partition.of(new Namespace(name)))
                .isEqualTo(new Partition(Integer.decode(partition)));
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
