package io.flowfabric.postgres.internal.grant;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.operate.KeyView;
import io.flowfabric.core.operate.Keys;
import io.flowfabric.core.signing.KeyRing;
import io.flowfabric.core.signing.SigningKey;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Row;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

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
                            var key = new SigningKey(row.text("id"), row.bytes("secret"));
                            kept.add(new KeyRing.Kept(key, RowCodec.time(row, "retires")));
                            now[0] = RowCodec.moment(row, "now");
                        });
        return new KeyRing(kept, now[0]);
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
                RowCodec.time(row, "retires"),
                new Attribution(row.text("actor"), row.text("reason")));
    }
}
