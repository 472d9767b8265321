package io.flowfabric.core.store;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Unavailable;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Without any store on the class path; the stores themselves are opened where all of them are. */
class StoresTest {
    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://h/d, io.flowfabric:flowfabric-postgres",
        "postgres://u:secret@h/d, io.flowfabric:flowfabric-postgres",
        "postgresql://h/d, io.flowfabric:flowfabric-postgres",
        "redis://:secret@h, io.flowfabric:flowfabric-valkey",
        "rediss://h, io.flowfabric:flowfabric-valkey",
        "valkey://h, io.flowfabric:flowfabric-valkey",
        "valkeys://h, io.flowfabric:flowfabric-valkey"
    })
    void a_store_that_is_not_there_says_which_dependency_to_add(String url, String artifact) {
        assertThatThrownBy(() -> Stores.open(url))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("add the dependency " + artifact + ".")
                .hasMessageNotContaining("secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mysql://u:secret@h/d", "jdbc:mysql://h/secret", "secret", ""})
    void a_url_of_no_store_is_told_what_there_is(String url) {
        assertThatThrownBy(() -> Stores.open(url, "user", "password"))
                .isInstanceOf(Invalid.class)
                .hasMessageContaining("redis:, rediss:, valkey:, valkeys: by io.flowfabric:")
                .hasMessageContaining("jdbc:postgresql:, postgres:, postgresql: by io.flowfabric:")
                .hasMessageNotContaining("secret");
    }

    @Test
    void it_says_what_a_url_began_with() {
        assertThatThrownBy(() -> Stores.open("mysql://h/d"))
                .hasMessage(
                        "url: no store has URLs that begin with 'mysql:'. On the class path: none."
                                + " What there is: jdbc:postgresql:, postgres:, postgresql: by"
                                + " io.flowfabric:flowfabric-postgres; redis:, rediss:, valkey:,"
                                + " valkeys: by io.flowfabric:flowfabric-valkey.");
    }
}
