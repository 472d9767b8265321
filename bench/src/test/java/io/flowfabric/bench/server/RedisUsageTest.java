package io.flowfabric.bench.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

class RedisUsageTest {

    @Test
    void what_was_used_before_does_not_count() {
        var before = new RedisUsage(List.of(10L, 20L, 30L), 100, 1_000, 50);
        var after = new RedisUsage(List.of(15L, 40L, 31L), 170, 1_300, 58);

        var used = after.since(before).named();

        assertThat(used)
                .containsEntry("server_us", 26L)
                .containsEntry("busiest_node_us", 20L)
                .containsEntry("node_1_us", 5L)
                .containsEntry("node_2_us", 20L)
                .containsEntry("node_3_us", 1L)
                .containsEntry("jvm_us", 70L)
                .containsEntry("commands", 300L)
                .containsEntry("calls", 8L);
    }

    @Test
    void one_node_alone_is_not_told_apart() {
        var used = new RedisUsage(List.of(7L), 0, 0, 0).named();

        assertThat(used).containsEntry("server_us", 7L).doesNotContainKey("node_1_us");
    }
}
