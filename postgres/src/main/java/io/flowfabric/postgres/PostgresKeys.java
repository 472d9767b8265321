package io.flowfabric.postgres;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Denied;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.operate.KeyView;
import io.flowfabric.core.operate.Keys;
import io.flowfabric.core.signing.GrantToken;
import io.flowfabric.core.signing.SigningKey;
import io.flowfabric.postgres.internal.jdbc.Row;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The keys that sign grants. They are read anew whenever something is signed or believed: a process
 * that remembered them would go on believing what was withdrawn.
 */
final class PostgresKeys implements Keys {
    private final PostgresContext postgres;

    PostgresKeys(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /** The keys of one moment. */
    record Ring(List<Kept> keys) {
        /** The one that signs. */
        SigningKey current() {
            return keys.stream()
                    .filter(kept -> kept.view.retires().isEmpty())
                    .findFirst()
                    .orElseThrow(
                            () ->
                                    new Unavailable(
                                            "There is no key to sign with; start an engine, or"
                                                    + " rotate."))
                    .key;
        }

        /**
         * Checks a token without looking at what it is for.
         *
         * @throws Denied when it is not genuine, its key not believed, or its time over
         */
        void check(GrantToken token) {
            var signer = signer(token);
            if (!signer.believed) {
                throw unknown(token);
            }
            token.verify(signer.key);
            if (!token.until().isAfter(signer.now)) {
                throw new Denied(
                        Denied.Code.TOKEN_EXPIRED,
                        "The grant was good until %s.".formatted(token.until()));
            }
        }

        /** Checks only that a key that is kept has sealed it, believed or not. */
        void checkSeal(GrantToken token) {
            token.verify(signer(token).key);
        }

        private Kept signer(GrantToken token) {
            return keys.stream()
                    .filter(kept -> kept.key.id().equals(token.key()))
                    .findFirst()
                    .orElseThrow(() -> unknown(token));
        }

        private static Denied unknown(GrantToken token) {
            return new Denied(
                    Denied.Code.UNKNOWN_KEY,
                    "The key %s is not known, or not believed any more.".formatted(token.key()));
        }
    }

    record Kept(SigningKey key, KeyView view, boolean believed, Instant now) {}

    Ring ring() {
        return new Ring(
                postgres.db()
                        .query("keys")
                        .set("now", postgres.now())
                        .list(
                                row ->
                                        new Kept(
                                                new SigningKey(row.text("id"), row.bytes("secret")),
                                                view(row),
                                                row.bool("believed"),
                                                RowCodec.moment(row, "now"))));
    }

    @Override
    public KeyView first() {
        var key = SigningKey.mint(SigningKey.mintId());
        var by = Attribution.engine("the first key");
        postgres.db()
                .query("first_key")
                .set("now", postgres.now())
                .set("id", key.id())
                .set("secret", key.secret())
                .set("actor", by.actor())
                .set("reason", by.reason())
                .update();
        return list().getFirst();
    }

    @Override
    public KeyView rotate(Rotation rotation, Attribution by) {
        var key = SigningKey.mint(rotation.id());
        while (true) {
            postgres.db()
                    .query("rotate_key")
                    .set("now", postgres.now())
                    .set("id", key.id())
                    .set("secret", key.secret())
                    .set("grace", rotation.grace().toMillis())
                    .set("actor", by.actor())
                    .set("reason", by.reason())
                    .list(row -> row.text("id"));
            var made = list().stream().filter(view -> view.id().equals(key.id())).findFirst();
            if (made.isPresent()) {
                return made.get();
            }
            // Another rotation was faster: this one comes after it.
        }
    }

    @Override
    public List<KeyView> list() {
        return postgres.db().query("keys").set("now", postgres.now()).list(PostgresKeys::view);
    }

    private static KeyView view(Row row) {
        return new KeyView(
                row.text("id"),
                RowCodec.moment(row, "made"),
                Optional.ofNullable(row.longOrNull("retires")).map(Instant::ofEpochMilli),
                new Attribution(row.text("actor"), row.text("reason")));
    }
}
