package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Grants.Redemption;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.Keys.Rotation;
import io.flowfabric.core.signing.AesKeyWrapping;
import io.flowfabric.core.signing.KeyWrapping;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.KeySpace;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** R30: signing keys need not lie readable on the server. */
class WrappedKeysTest {
    private static final Attribution ADA = new Attribution("ada", "a new master key");
    private static final SecretKey MASTER = master(1);
    private static final SecretKey NEXT = master(2);

    private final KeySpace keys = TestRedis.keys("wrapped-" + UUID.randomUUID());
    private final List<ValkeyStore> stores = new ArrayList<>();

    @AfterEach
    void close() {
        stores.forEach(ValkeyStore::close);
    }

    @Test
    void a_wrapped_secret_cannot_be_read_and_signs_all_the_same() {
        var store = open(Optional.of(AesKeyWrapping.of(MASTER)));
        store.keys().first();

        // A nonce, the secret, a tag.
        assertThat(secrets()).singleElement().extracting(secret -> secret.length).isEqualTo(60);
        assertThat(redeems(store, open(Optional.of(AesKeyWrapping.of(MASTER))))).isTrue();
    }

    @Test
    void a_process_without_the_master_key_signs_nothing_and_believes_nothing() {
        var store = open(Optional.of(AesKeyWrapping.of(MASTER)));
        store.keys().first();

        var wrapping = AesKeyWrapping.of(NEXT);
        for (var other : List.of(open(Optional.empty()), open(Optional.of(wrapping)))) {
            assertThatExceptionOfType(Unavailable.class)
                    .isThrownBy(() -> redeems(other, store))
                    .withMessageContaining("aes-");
            assertThatExceptionOfType(Unavailable.class).isThrownBy(() -> redeems(store, other));
            assertThat(other.keys().list()).isEqualTo(store.keys().list());
        }
    }

    @Test
    void another_master_key_wraps_from_the_next_rotation_on() {
        open(Optional.of(AesKeyWrapping.of(MASTER))).keys().first();
        var both = open(Optional.of(AesKeyWrapping.of(NEXT, MASTER)));

        both.keys().rotate(Rotation.after(Duration.ZERO), ADA);

        assertThat(redeems(both, open(Optional.of(AesKeyWrapping.of(NEXT))))).isTrue();
    }

    private ValkeyStore open(Optional<KeyWrapping> wrapping) {
        var store = new ValkeyStore(TestRedis.oneNode().wire(keys), wrapping, Optional.empty());
        stores.add(store);
        return store;
    }

    private List<byte[]> secrets() {
        var stored =
                TestRedis.oneNode()
                        .direct()
                        .hget(
                                keys.key(Partition.of(Namespace.DEFAULT), "global"),
                                "keys".getBytes(StandardCharsets.UTF_8));
        return Item.read(stored).list(one -> one.at(1).bytes());
    }

    /** Whether what one store has signed is believed by another. */
    private static boolean redeems(ValkeyStore signs, ValkeyStore believes) {
        var session = Session.of("worker", "instance-" + UUID.randomUUID(), "default");
        signs.sessions().open(session);
        signs.submissions().submit(List.of(Submission.of("job", Payload.EMPTY)));
        var claim = new Claim(session.id(), 1, 1);
        var grant = signs.grants().claimForWorker(claim, Grants.DEFAULT_TTL).grants().getFirst();
        var redemption = new Redemption(session.id(), 2, List.of(grant.token()));
        return believes.grants().redeem(redemption).getFirst().isDone();
    }

    private static SecretKey master(int fill) {
        var bytes = new byte[32];
        Arrays.fill(bytes, (byte) fill);
        return new SecretKeySpec(bytes, "AES");
    }
}
