package io.flowfabric.postgres;

import org.junit.jupiter.api.Test;

/** The statements, as the server sees them. */
class StatementsTest {
    @Test
    void the_server_understands_every_statement() {
        try (var fixture = new PostgresFixture()) {
            ((PostgresStore) fixture.store()).database().check();
        }
    }
}
