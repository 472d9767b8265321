package io.flowfabric.bench.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

class ServerInfoTest {
    private static final String TOLD =
            """
            # Server
            redis_version:7.0.15

            # Memory
            used_memory:1048576
            # CPU
            used_cpu_sys:9.000000
            used_cpu_user:9.000000
            used_cpu_sys_main_thread:0.250001
            used_cpu_user_main_thread:1.500000

            # Commandstats
            cmdstat_fcall:calls=12,usec=345,usec_per_call=28.75,rejected_calls=0,failed_calls=0
            cmdstat_fcall_ro:calls=3,usec=5,usec_per_call=1.67,rejected_calls=0,failed_calls=0
            cmdstat_hget:calls=99,usec=1,usec_per_call=0.01,rejected_calls=0,failed_calls=0
            """
                    .replace("\n", "\r\n");

    @Test
    void lines_are_names_and_values() {
        var info = ServerInfo.read(TOLD);

        assertThat(info.text("redis_version")).isEqualTo("7.0.15");
        assertThat(info.number("used_memory")).isEqualTo(1_048_576);
    }

    @Test
    void the_main_thread_counts_and_not_the_others() {
        assertThat(ServerInfo.read(TOLD).mainThreadMicros()).isEqualTo(1_750_001);
    }

    @Test
    void where_threads_are_not_told_apart_all_count() {
        var info = ServerInfo.read("used_cpu_sys:1.5\r\nused_cpu_user:0.25\r\n");

        assertThat(info.mainThreadMicros()).isEqualTo(1_750_000);
    }

    @Test
    void calls_of_functions_are_counted_and_not_what_they_call() {
        assertThat(ServerInfo.read(TOLD).functionCalls()).isEqualTo(15);
        assertThat(ServerInfo.read("# Commandstats").functionCalls()).isZero();
    }

    @Test
    void what_is_not_told_is_missed_by_name() {
        assertThatIllegalStateException()
                .isThrownBy(() -> ServerInfo.read(TOLD).number("uptime"))
                .withMessageContaining("uptime");
    }
}
