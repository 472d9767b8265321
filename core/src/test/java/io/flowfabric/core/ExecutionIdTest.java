package io.flowfabric.core;

import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.UUID;
import java.util.stream.Stream;

class ExecutionIdTest {
    private static final String UUID_TEXT = "550e8400-e29b-41d4-a716-446655440000";
    private static final String CANONICAL = "{fp:42}:" + UUID_TEXT;

    @Test
    void it_is_written_as_partition_and_uuid() {
        var id = new ExecutionId(new Partition(42), UUID.fromString(UUID_TEXT));

        assertThat(id).hasToString(CANONICAL);
        assertThat(ExecutionId.parse(CANONICAL)).isEqualTo(id);
    }

    @Test
    void a_bare_uuid_is_a_whole_id() {
        assertThat(ExecutionId.parse("0197c0de-0000-7000-8000-0000000000ff"))
                .hasToString("{fp:255}:0197c0de-0000-7000-8000-0000000000ff");
        assertThat(ExecutionId.parse("0197c0de-0000-7000-8000-0000000001ab").partition())
                .isEqualTo(new Partition(0xAB));
    }

    @Test
    void the_partition_of_the_text_wins_over_the_last_byte() {
        assertThat(ExecutionId.parse(CANONICAL).partition()).isEqualTo(new Partition(42));
    }

    @Test
    void any_partition_in_range_is_accepted_with_any_uuid() {
        assertThat(ExecutionId.parse("{fp:0}:" + UUID_TEXT).partition().number()).isZero();
        assertThat(ExecutionId.parse("{fp:255}:00000000-0000-0000-0000-000000000000"))
                .hasToString("{fp:255}:00000000-0000-0000-0000-000000000000");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{fp:42}:550E8400-E29B-41D4-A716-446655440000",
                "{fp:42}:550e8400-E29B-41d4-A716-446655440000",
                "{fp:042}:550e8400-e29b-41d4-a716-446655440000",
                "{fp:00042}:550e8400-e29b-41d4-a716-446655440000",
                "550E8400-E29B-41D4-A716-44665544002A"
            })
    void other_spellings_become_the_canonical_id(String spelling) {
        var id = ExecutionId.parse(spelling);

        assertThat(id.toString()).isLowerCase().startsWith("{fp:42}:550e8400-e29b-41d4-a716-4466");
        assertThat(ExecutionId.parse(id.toString())).isEqualTo(id).hasSameHashCodeAs(id);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "nonsense",
                "{fp:42}",
                "{fp:42}:",
                "{fp:}:550e8400-e29b-41d4-a716-446655440000",
                "{fp:+7}:550e8400-e29b-41d4-a716-446655440000",
                "{fp:-1}:550e8400-e29b-41d4-a716-446655440000",
                "{fp: 7}:550e8400-e29b-41d4-a716-446655440000",
                "{fp:0x7}:550e8400-e29b-41d4-a716-446655440000",
                "{fp:\uFF17}:550e8400-e29b-41d4-a716-446655440000",
                "{fp:\u0667}:550e8400-e29b-41d4-a716-446655440000",
                "{fp:000042}:550e8400-e29b-41d4-a716-446655440000",
                "{fp:99999999999999999999}:550e8400-e29b-41d4-a716-446655440000",
                "{FP:42}:550e8400-e29b-41d4-a716-446655440000",
                "{b:7}:550e8400-e29b-41d4-a716-446655440000",
                "fp:42:550e8400-e29b-41d4-a716-446655440000",
                "{fp:42}550e8400-e29b-41d4-a716-446655440000",
                "{fp:42}::550e8400-e29b-41d4-a716-446655440000",
                "{fp:42}:{fp:42}:550e8400-e29b-41d4-a716-446655440000",
                "{fp:42}:550e8400e29b41d4a716446655440000",
                "{fp:42}:{550e8400-e29b-41d4-a716-446655440000}",
                "{fp:42}:urn:uuid:550e8400-e29b-41d4-a716-446655440000",
                "{fp:42}:1-1-1-1-1",
                "{fp:42}:550e8400-e29b-41d4-a716-44665544000",
                "{fp:42}:550e8400-e29b-41d4-a716-4466554400000",
                "{fp:42}:550e8400-e29b-41d4-a716-44665544000g",
                "{fp:42}:550e8400-e29b-41d4-a716_446655440000",
                "{fp:42}:550e8400-e29b-41d4-a716-44665544000\u0660",
                "{fp:42}:550e8400-e29b-41d4-a716-446655440000\n",
                "\n{fp:42}:550e8400-e29b-41d4-a716-446655440000",
                " {fp:42}:550e8400-e29b-41d4-a716-446655440000",
                "{fp:42}:550e8400-e29b-41d4-a716-446655440000 ",
                "{fp:42}:\n550e8400-e29b-41d4-a716-446655440000",
                "{550e8400-e29b-41d4-a716-446655440000}",
                "550e8400e29b41d4a716446655440000",
                "urn:uuid:550e8400-e29b-41d4-a716-446655440000"
            })
    void anything_else_is_refused(String text) {
        assertRefused(Invalid.Code.MALFORMED_ID, "execution id", () -> ExecutionId.parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"256", "00256", "65535", "99999"})
    void a_partition_that_does_not_exist_is_refused_as_such(String number) {
        assertRefused(
                Invalid.Code.OUT_OF_RANGE,
                "partition",
                () -> ExecutionId.parse("{fp:" + number + "}:" + UUID_TEXT));
    }

    @ParameterizedTest
    @CsvSource({"00, 0", "01, 1", "7f, 127", "80, 128", "ff, 255"})
    void the_last_byte_of_a_uuid_names_its_partition(String lastByte, int partition) {
        var uuid = UUID.fromString("ffffffff-ffff-ffff-ffff-ffffffffff" + lastByte);

        assertThat(ExecutionId.of(uuid).partition()).isEqualTo(new Partition(partition));
        assertThat(ExecutionId.of(uuid).uuid()).isEqualTo(uuid);
    }

    @Test
    void ids_are_minted_for_a_namespace() {
        var tenant = new Namespace("tenant");

        assertThat(ExecutionId.mint(tenant).partition()).isEqualTo(Partition.of(tenant));
        assertThat(ExecutionId.mint().partition()).isEqualTo(Partition.of(Namespace.DEFAULT));
    }

    @Test
    void a_minted_id_moves_to_another_namespace_and_back() {
        var tenant = new Namespace("tenant");
        var id = ExecutionId.mint();

        var moved = id.moved(Namespace.DEFAULT, tenant);

        assertThat(moved.partition()).isEqualTo(Partition.of(tenant));
        assertThat(moved).isEqualTo(ExecutionId.of(moved.uuid()));
        assertThat(moved.moved(tenant, Namespace.DEFAULT)).isEqualTo(id);
    }

    @Test
    void an_id_from_elsewhere_stays_as_it_is() {
        var tenant = new Namespace("tenant");
        var random = new ExecutionId(Partition.of(Namespace.DEFAULT), UUID.randomUUID());
        var foreign = ExecutionId.mint(tenant);
        var apart = new ExecutionId(Partition.of(Namespace.DEFAULT), foreign.uuid());

        assertThat(random.moved(Namespace.DEFAULT, tenant)).isEqualTo(random);
        assertThat(foreign.moved(Namespace.DEFAULT, tenant)).isEqualTo(foreign);
        assertThat(apart.moved(Namespace.DEFAULT, tenant)).isEqualTo(apart);
    }

    @Test
    void a_minted_id_is_its_bare_uuid() {
        var id = ExecutionId.mint();

        assertThat(id.uuid().version()).isEqualTo(7);
        assertThat(ExecutionId.parse(id.uuid().toString())).isEqualTo(id);
        assertThat(ExecutionId.mint()).isNotEqualTo(id);
    }

    @Test
    void ids_are_ordered_by_the_text_of_their_uuid_and_then_by_partition() {
        var low = ExecutionId.parse("{fp:9}:0fffffff-ffff-ffff-ffff-ffffffffffff");
        var middle = ExecutionId.parse("{fp:2}:f0000000-0000-0000-0000-000000000000");
        var twin = ExecutionId.parse("{fp:10}:f0000000-0000-0000-0000-000000000000");

        // Signed longs, as UUID.compareTo has them, would put f… before 0…, and text 10 before 2.
        assertThat(Stream.of(twin, middle, low).sorted()).containsExactly(low, middle, twin);
        assertThat(middle.compareTo(ExecutionId.parse(middle.toString()))).isZero();
    }
}
