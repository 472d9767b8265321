package io.flowfabric.postgres.internal.grant;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.codec.EventCodec;
import io.flowfabric.core.operate.KeyView;
import io.flowfabric.core.operate.Keys;
import io.flowfabric.core.signing.KeptSecret;
import io.flowfabric.core.signing.KeyRing;
import io.flowfabric.core.signing.SigningKey;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Query;
import io.flowfabric.postgres.internal.jdbc.Row;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The keys that sign grants. They are read anew whenever something is signed or believed: a process
 * that remembered them would go on believing what was withdrawn.
 */
public final class PostgresKeys implements Keys {
    private final PostgresContext postgres;

    public PostgresKeys(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /** The keys of this moment. */
    public KeyRing ring() {
        var kept = new ArrayList<KeyRing.Kept>();
        var now = new Instant[] {Instant.EPOCH};
        postgres.db()
                .query("keys")
                .set("now", postgres.now())
                .each(
                        row -> {
                            now[0] = RowCodec.moment(row, "now");
                            kept(row).ifPresent(kept::add);
                        });
        return new KeyRing(kept, now[0]);
    }

    /** A key; nothing, when it is not believed any more and what has wrapped it is gone. */
    private Optional<KeyRing.Kept> kept(Row row) {
        try {
            var key = key(row);
            return Optional.of(new KeyRing.Kept(key, RowCodec.time(row, "retires")));
        } catch (RuntimeException wrapped) {
            if (row.bool("believed")) {
                throw wrapped;
            }
            return Optional.empty();
        }
    }

    @Override
    public KeyView first() {
        var key = SigningKey.mint(SigningKey.mintId());
        var by = Attribution.engine("the first key");
        kept(postgres.db().query("first_key"), key, by).update();
        return list().getFirst();
    }

    @Override
    public KeyView rotate(Rotation rotation, Attribution by) {
        by.mustBeOperator();
        var key = SigningKey.mint(rotation.id());
        while (true) {
            kept(postgres.db().query("rotate_key"), key, by)
                    .set("grace", rotation.grace().toMillis())
                    .set("namespace", Namespace.DEFAULT.name())
                    .set("payload", EventCodec.details(key.id(), rotation.grace()).toString())
                    .update();
            var made = list().stream().filter(view -> view.id().equals(key.id())).findFirst();
            if (made.isPresent()) {
                return made.get();
            }
            // Another rotation was faster: this one comes after it.
        }
    }

    /** A statement that keeps a key, with its secret wrapped if anything wraps it. */
    private Query kept(Query statement, SigningKey key, Attribution by) {
        var secret = KeptSecret.of(key, postgres.wrapping());
        return statement
                .set("now", postgres.now())
                .set("id", key.id())
                .set("secret", secret.bytes())
                .set("wrapping", secret.by())
                .set("actor", by.actor())
                .set("reason", by.reason());
    }

    private SigningKey key(Row row) {
        return new KeptSecret(row.bytes("secret"), row.textOrNull("wrapping"))
                .open(row.text("id"), postgres.wrapping());
    }

    @Override
    public List<KeyView> list() {
        return postgres.db().query("keys").set("now", postgres.now()).list(PostgresKeys::view);
    }

    private static KeyView view(Row row) {
        return new KeyView(
                row.text("id"),
                RowCodec.moment(row, "made"),
                RowCodec.time(row, "retires"),
                new Attribution(row.text("actor"), row.text("reason")));
    }
}
