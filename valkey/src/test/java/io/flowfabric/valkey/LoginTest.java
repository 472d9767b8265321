package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Unavailable;
import io.lettuce.core.AclSetuserArgs;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.List;

class LoginTest {
    private static final String USER = "flowfabric-bob";

    private final TestRedis redis = TestRedis.oneNode();

    @AfterEach
    void forget() {
        redis.direct().aclDeluser(USER);
    }

    @Test
    void a_user_without_a_password_is_not_taken_for_the_default_one() {
        redis.direct().aclSetuser(USER, rights().nopass());

        try (var store = ValkeyStore.open(options())) {
            assertThat(store.queries().describe(List.of())).isEmpty();
            assertThat(redis.direct().clientList()).contains("user=" + USER);
        }
    }

    @Test
    void a_password_that_is_missing_is_missed() {
        redis.direct().aclSetuser(USER, rights().addPassword("secret"));

        assertThatThrownBy(() -> ValkeyStore.open(options()).close())
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("refuses the login");
    }

    private static AclSetuserArgs rights() {
        return AclSetuserArgs.Builder.on().allCommands().allKeys().allChannels();
    }

    private ValkeyOptions options() {
        var port = redis.direct().configGet("port").values().iterator().next();
        return ValkeyOptions.of("redis://%s@127.0.0.1:%s".formatted(USER, port));
    }
}
