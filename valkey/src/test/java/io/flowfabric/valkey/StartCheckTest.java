package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Unavailable;
import io.flowfabric.valkey.internal.StartCheck;
import io.flowfabric.valkey.internal.StartCheck.Durability;
import io.flowfabric.valkey.internal.wire.ServerFacts;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Optional;

/** What follows from what servers say; {@link ServersAtStartTest} asks real ones. */
class StartCheckTest {
    private static final String GOOD =
            """
            # Server
            redis_version:7.2.4
            valkey_version:8.0.1
            role:master
            connected_slaves:0
            maxmemory_policy:noeviction
            aof_enabled:1
            cluster_enabled:0
            """;

    private static StartCheck check(String information, String appendFsync) {
        return check(information, Optional.of(appendFsync));
    }

    private static StartCheck check(String information, Optional<String> appendFsync) {
        return new StartCheck(List.of(ServerFacts.of("h:1", information, appendFsync)), 0);
    }

    @Test
    void one_that_writes_before_it_acknowledges_is_safe() {
        var check = check(GOOD, "always");

        assertThatCode(check::pass).doesNotThrowAnyException();
        assertThat(check.summary())
                .isEqualTo(
                        "Valkey 8.0.1 at h:1. Every acknowledged call is on the disk (appendfsync"
                                + " always).");
    }

    @ParameterizedTest
    @CsvSource({
        "1, always, SAFE",
        "1, everysec, A_SECOND",
        "1, no, HALF_A_MINUTE",
        "1, '', UNKNOWN",
        "0, always, NONE"
    })
    void what_a_crash_can_lose_follows_from_two_settings(
            String enabled, String appendFsync, Durability expected) {
        var information = GOOD.replace("aof_enabled:1", "aof_enabled:" + enabled);

        assertThat(check(information, appendFsync).durability()).isEqualTo(expected);
    }

    @Test
    void one_that_must_not_be_asked_is_used_all_the_same() {
        var check = check("", Optional.empty());

        assertThatCode(check::pass).doesNotThrowAnyException();
        assertThat(check.durability()).isEqualTo(Durability.UNKNOWN);
        assertThat(check.summary()).contains("does not say");
        assertThat(check(GOOD, Optional.empty()).durability()).isEqualTo(Durability.UNKNOWN);
    }

    @Test
    void a_cluster_is_as_safe_as_its_worst_server() {
        var cluster = GOOD.replace("cluster_enabled:0", "cluster_enabled:1");
        var check =
                new StartCheck(
                        List.of(
                                ServerFacts.of("h:1", cluster, Optional.of("always")),
                                ServerFacts.of("h:2", cluster, Optional.of("everysec")),
                                ServerFacts.of("h:3", cluster, Optional.of("always"))),
                        0);

        assertThat(check.durability()).isEqualTo(Durability.A_SECOND);
        assertThat(check.summary())
                .startsWith("Valkey 8.0.1, a cluster with its primaries at h:1, h:2, h:3. A crash");
    }

    @Test
    void replicas_are_spoken_of_where_there_are_some() {
        var replicated = GOOD.replace("connected_slaves:0", "connected_slaves:2");
        var facts = List.of(ServerFacts.of("h:1", replicated, Optional.of("always")));

        assertThat(check(GOOD, "always").summary()).doesNotContain("replica");
        assertThat(new StartCheck(facts, 0).summary()).contains("may lack the last calls");
        assertThat(new StartCheck(facts, 1).summary()).endsWith("once 1 replicas have it.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"6.2.14", "5.0.0", "6"})
    void one_without_functions_is_refused(String version) {
        var old = "redis_version:" + version;

        assertThatThrownBy(() -> check(old, "always").pass())
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("h:1 runs version " + version)
                .hasMessageContaining("Redis 7.0 or Valkey 7.2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"7.0.0", "8.2", "10.1.0", "255.255.255", "unstable"})
    void one_that_has_them_is_not(String version) {
        assertThatCode(() -> check("redis_version:" + version, "always").pass())
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"allkeys-lru", "allkeys-random", "volatile-lru", "volatile-ttl"})
    void one_that_evicts_is_refused(String policy) {
        var evicting = GOOD.replace("noeviction", policy);

        assertThatThrownBy(() -> check(evicting, "always").pass())
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining(policy)
                .hasMessageContaining("set maxmemory-policy noeviction");
    }
}
