package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.postgres.internal.catalog.RowCodec;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Rows are locked in the order of their ids, by some statements in that of the server and by others
 * as they are told. Two orders would be a deadlock.
 */
class IdOrderTest {
    @Test
    void ids_have_the_order_that_the_server_gives_them() {
        var bits = List.of(0L, 1L, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE, -1L);
        var ids =
                bits.stream()
                        .flatMap(most -> bits.stream().map(least -> new UUID(most, least)))
                        .toList();

        assertThat(ids.stream().sorted(RowCodec.ID_ORDER)).containsExactlyElementsOf(served(ids));
    }

    private static List<UUID> served(List<UUID> ids) {
        var list = ids.stream().map(UUID::toString).collect(Collectors.joining(","));
        try (var fixture = new PostgresFixture()) {
            var sorted =
                    fixture.text(
                            "select string_agg(id::text, ',' order by id) from unnest('{%s}'::uuid[]) as id"
                                    .formatted(list));
            return Stream.of(sorted.split(",", -1)).map(UUID::fromString).toList();
        }
    }
}
