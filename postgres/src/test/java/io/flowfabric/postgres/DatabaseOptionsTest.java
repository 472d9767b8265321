package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Invalid;
import io.flowfabric.postgres.DatabaseOptions.ClientTimeouts;
import io.flowfabric.postgres.DatabaseOptions.Pooling;

import org.junit.jupiter.api.Test;

import java.time.Duration;

class DatabaseOptionsTest {
    private static final String URL = "jdbc:postgresql://db:5432/app";
    private static final ClientTimeouts CLIENT =
            new ClientTimeouts(Duration.ofSeconds(4), Duration.ofSeconds(5), Duration.ofSeconds(6));

    @Test
    void the_defaults() {
        assertThat(DatabaseOptions.of(URL))
                .isEqualTo(
                        new DatabaseOptions(
                                URL,
                                null,
                                null,
                                "flowfabric",
                                8,
                                Duration.ofSeconds(10),
                                Duration.ofSeconds(10),
                                Duration.ofSeconds(30),
                                Duration.ofSeconds(10),
                                Duration.ofSeconds(45),
                                new ClientTimeouts(
                                        Duration.ofSeconds(10),
                                        Duration.ofSeconds(60),
                                        Duration.ofSeconds(15)),
                                1,
                                Pooling.DETECTED,
                                null));
    }

    @Test
    void each_method_changes_what_it_names() {
        assertThat(
                        DatabaseOptions.of(URL + "1", "u", "p")
                                .withUrl(URL)
                                .withApplicationName("app")
                                .withConnections(3)
                                .withAcquireTimeout(Duration.ofSeconds(1))
                                .withServerTimeouts(Duration.ofSeconds(2), Duration.ofSeconds(3))
                                .withClientTimeouts(CLIENT)
                                .withPrepareThreshold(0)
                                .withPooling(Pooling.TRANSACTION)
                                .withDirectUrl(URL + "2"))
                .isEqualTo(
                        new DatabaseOptions(
                                URL,
                                "u",
                                "p",
                                "app",
                                3,
                                Duration.ofSeconds(1),
                                Duration.ofSeconds(10),
                                Duration.ofSeconds(2),
                                Duration.ofSeconds(3),
                                Duration.ofSeconds(45),
                                CLIENT,
                                0,
                                Pooling.TRANSACTION,
                                URL + "2"));
    }

    @Test
    void no_password_is_ever_printed() {
        var options = DatabaseOptions.of(URL + "?password=secret", "u", "hidden");

        assertThat(options).hasToString("Postgres at db:5432/app, 8 connections");
    }

    @Test
    void what_cannot_work_is_refused() {
        var options = DatabaseOptions.of(URL);
        refused(() -> DatabaseOptions.of("postgres://db"));
        refused(() -> options.withConnections(0));
        refused(() -> options.withConnections(501));
        refused(() -> options.withPrepareThreshold(-1));
        refused(() -> options.withAcquireTimeout(Duration.ofMillis(249)));
        refused(() -> options.withServerTimeouts(Duration.ofSeconds(-1), Duration.ZERO));
        refused(() -> options.withServerTimeouts(Duration.ofSeconds(45), Duration.ZERO));
        refused(() -> options.withClientTimeouts(CLIENT));
        refused(() -> options.withDirectUrl("postgres://db"));
        refused(() -> new ClientTimeouts(Duration.ofSeconds(-1), Duration.ZERO, Duration.ZERO));
    }

    private static void refused(Runnable call) {
        assertThatThrownBy(call::run).isInstanceOf(Invalid.class);
    }
}
