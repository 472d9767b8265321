package io.flowfabric.valkey.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Invalid;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerAddressTest {
    @Test
    void a_login_is_cut_before_it_is_decoded() {
        var address = ServerAddress.parse("redis://a%3Ab:c%3Ad:e%23@host");

        assertThat(address.user()).contains("a:b");
        assertThat(address.password()).contains("c:d:e#");
    }

    @Test
    void a_name_alone_is_a_user() {
        var address = ServerAddress.parse("valkey://bob@host:1");

        assertThat(address.user()).contains("bob");
        assertThat(address.password()).isEmpty();
    }

    @Test
    void a_password_alone_follows_a_colon() {
        var address = ServerAddress.parse("rediss://:secret@host");

        assertThat(address.user()).isEmpty();
        assertThat(address.password()).contains("secret");
        assertThat(address.tls()).isTrue();
        assertThat(address).hasToString("rediss://host:6379");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://bob:se#cret@host",
                "redis://bob:se?cret@host",
                "redis://bob:se/cret@host",
                "redis://bob:100%@host",
                "redis://host?timeout=1"
            })
    void what_would_be_lost_in_a_url_is_refused(String url) {
        assertThatThrownBy(() -> ServerAddress.parse(url)).isInstanceOf(Invalid.class);
    }
}
