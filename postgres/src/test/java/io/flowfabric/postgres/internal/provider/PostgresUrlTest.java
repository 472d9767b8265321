package io.flowfabric.postgres.internal.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Invalid;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresUrlTest {
    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://h:1/d?user=u, jdbc:postgresql://h:1/d?user=u, , ",
        "postgres://h, jdbc:postgresql://h/, , ",
        "postgres://h/d, jdbc:postgresql://h/d, , ",
        "postgresql://u@h:5433/d, jdbc:postgresql://h:5433/d, u, ",
        "postgres://u:p@h/d?sslmode=require, jdbc:postgresql://h/d?sslmode=require, u, p",
        "postgres://u:p%40%2F:%3A@h?a=b, jdbc:postgresql://h/?a=b, u, p@/::",
        "'postgres://u%3A:p@h:1,i:2/d', 'jdbc:postgresql://h:1,i:2/d', u:, p",
        "postgres://:p@[::1]:5432/d, jdbc:postgresql://[::1]:5432/d, , p"
    })
    void a_url_is_taken_apart(String url, String jdbc, String user, String password) {
        var read = PostgresUrl.parse(url);

        assertThat(read.jdbc()).isEqualTo(jdbc);
        assertThat(read.user().orElse(null)).isEqualTo(user);
        assertThat(read.password().orElse(null)).isEqualTo(password);
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgres:h/d", "postgres://", "postgres://u:%zz@h/d", "postgres:///d"})
    void what_is_no_url_of_a_postgres_is_refused(String url) {
        assertThatThrownBy(() -> PostgresUrl.parse(url))
                .isInstanceOf(Invalid.class)
                .hasMessageContaining("postgres://user:password@host:5432/database");
    }

    @Test
    void the_password_is_not_printed() {
        assertThat(PostgresUrl.parse("postgres://u:secret@h/d").toString())
                .isEqualTo("jdbc:postgresql://h/d");
    }
}
