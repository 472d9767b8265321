package io.flowfabric.core.lease;

import static io.flowfabric.core.Examples.ID;
import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Examples.SESSION;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;
import io.flowfabric.core.signing.GrantToken;
import io.flowfabric.core.signing.SigningKey;

import org.junit.jupiter.api.Test;

class GrantTest {
    private static final GrantToken TOKEN =
            GrantToken.sign(SigningKey.mint("0123456789ab"), ID, 7, SESSION, NOON);
    private final Grant grant = Grant.of(TOKEN, Lane.of("emails"));

    @Test
    void it_says_in_the_open_what_its_token_says() {
        assertThat(grant).isEqualTo(new Grant(ID, Lane.of("emails"), SESSION, NOON, TOKEN.text()));
    }

    @Test
    void a_log_names_the_execution_and_never_the_token() {
        assertThat(grant.toString())
                .contains(ID.toString(), SESSION.toString())
                .doesNotContain(TOKEN.seal());
    }
}
