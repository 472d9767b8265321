package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Grants.Redemption;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.Keys.Rotation;
import io.flowfabric.core.signing.AesKeyWrapping;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.PageExample;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** R30: signing keys need not lie readable in the database. */
class KeyWrappingTest {
    private static final Attribution ADA = new Attribution("ada", "a new master key");
    private static final SecretKey MASTER = master(1);
    private static final SecretKey NEXT = master(2);

    private final PostgresFixture fixture = new PostgresFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void a_wrapped_secret_cannot_be_read_and_signs_all_the_same() {
        var store = fixture.another(AesKeyWrapping.of(MASTER));
        store.keys().first();
        store.keys().rotate(Rotation.after(Duration.ZERO), ADA);

        assertThat(number("count(*)", "wrapping is null")).isZero();
        // A nonce, the secret, a tag.
        assertThat(number("min(octet_length(secret))", "true")).isEqualTo(12 + 32 + 16);
        assertThat(redeems(store, store)).isTrue();
        assertThat(redeems(store, fixture.another(AesKeyWrapping.of(MASTER)))).isTrue();
    }

    @Test
    void the_code_on_the_page_is_code_that_is_compiled_and_wraps() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/postgres/KeyWrappingExample.java");
        assertThat(PageExample.shown(Path.of("../docs/grants.md")))
                .endsWith(PageExample.compiled(source).getFirst());

        var schema = fixture.schema();
        try (var store =
                KeyWrappingExample.open(TestServer.get().options(), schema, "01".repeat(32))) {
            store.keys().first();
        }

        assertThat(number("count(*)", "wrapping is null")).isZero();
        assertThat(number("count(*)", "true")).isEqualTo(1);
    }

    @Test
    void a_process_without_the_master_key_signs_nothing_and_believes_nothing() {
        var store = fixture.another(AesKeyWrapping.of(MASTER));
        store.keys().first();

        for (var other : List.of(fixture.store(), fixture.another(AesKeyWrapping.of(NEXT)))) {
            assertThatExceptionOfType(Unavailable.class)
                    .isThrownBy(() -> redeems(other, store))
                    .withMessageContaining("aes-");
            assertThatExceptionOfType(Unavailable.class).isThrownBy(() -> redeems(store, other));
            assertThat(other.keys().list()).isEqualTo(store.keys().list());
        }
    }

    @Test
    void another_master_key_wraps_from_the_next_rotation_on() {
        var before = fixture.another(AesKeyWrapping.of(MASTER));
        before.keys().first();
        var both = fixture.another(AesKeyWrapping.of(NEXT, MASTER));
        assertThat(redeems(before, both)).isTrue();

        both.keys().rotate(Rotation.after(Duration.ZERO), ADA);

        assertThat(redeems(both, fixture.another(AesKeyWrapping.of(NEXT)))).isTrue();
    }

    @Test
    void the_former_master_key_is_needed_until_the_grace_is_over_and_not_longer() {
        fixture.another(AesKeyWrapping.of(MASTER)).keys().first();
        var both = fixture.another(AesKeyWrapping.of(NEXT, MASTER));
        both.keys().rotate(Rotation.after(Duration.ofMinutes(1)), ADA);
        var after = fixture.another(AesKeyWrapping.of(NEXT));

        assertThatExceptionOfType(Unavailable.class)
                .isThrownBy(() -> redeems(both, after))
                .withMessageContaining("former");
        fixture.advance(Duration.ofMinutes(1));

        assertThat(redeems(both, after)).isTrue();
        assertThat(redeems(after, after)).isTrue();
    }

    @Test
    void a_process_that_wraps_nothing_goes_on_when_the_grace_of_what_was_wrapped_is_over() {
        fixture.another(AesKeyWrapping.of(MASTER)).keys().first();
        var plain = fixture.store();
        plain.keys().rotate(Rotation.after(Duration.ZERO), ADA);

        assertThat(redeems(plain, plain)).isTrue();
    }

    @Test
    void keys_that_were_made_without_it_are_used_until_the_next_rotation() {
        fixture.store().keys().first();
        var store = fixture.another(AesKeyWrapping.of(MASTER));

        assertThat(redeems(fixture.store(), store)).isTrue();
        store.keys().rotate(Rotation.after(Duration.ZERO), ADA);

        assertThat(number("count(*)", "wrapping is null and retires is null")).isZero();
        assertThat(redeems(store, store)).isTrue();
    }

    @Test
    void a_secret_that_was_exchanged_in_the_database_is_not_believed() {
        var store = fixture.another(AesKeyWrapping.of(MASTER));
        store.keys().first();
        store.keys().rotate(Rotation.after(Duration.ofMinutes(1)), ADA);
        fixture.execute(
                "update %1$s.signing_key k set secret = o.secret from %1$s.signing_key o where o.id <> k.id"
                        .formatted(fixture.schema().text()));

        assertThatExceptionOfType(Unavailable.class).isThrownBy(() -> redeems(store, store));
        fixture.advance(Duration.ofMinutes(1));
        store.keys().rotate(Rotation.after(Duration.ZERO), ADA);
        assertThat(redeems(store, store)).as("as the error says").isTrue();
    }

    /** Whether a ticket from one store is worth a lease at another. */
    private static boolean redeems(Store from, Store at) {
        var session = Session.of("worker", "1", "default");
        from.sessions().open(session);
        from.submissions().submit(Submission.of("work", Payload.EMPTY));
        var claim = new Claim(session.id(), 1, 1);
        var grant = from.grants().claimForWorker(claim, Grants.DEFAULT_TTL).grants().getFirst();
        var redemption = new Redemption(session.id(), 2, List.of(grant.token()));
        return at.grants().redeem(redemption).getFirst().isDone();
    }

    private long number(String what, String where) {
        return fixture.number(
                "select %s from %s.signing_key where %s"
                        .formatted(what, fixture.schema().text(), where));
    }

    private static SecretKey master(int seed) {
        var bytes = new byte[32];
        bytes[0] = (byte) seed;
        return new SecretKeySpec(bytes, "AES");
    }
}
