package io.flowfabric.postgres.internal.admission;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;
import io.flowfabric.core.codec.EventCodec;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.codec.SettingsCodec;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.core.operate.NamespaceSettings;
import io.flowfabric.core.operate.NamespaceView;
import io.flowfabric.core.operate.Namespaces;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;

import java.util.Optional;

/** How namespaces are kept. */
public final class PostgresNamespaces implements Namespaces {
    private final PostgresContext postgres;

    public PostgresNamespaces(PostgresContext postgres) {
        this.postgres = postgres;
    }

    @Override
    public NamespaceView configure(
            Namespace namespace, NamespaceSettings settings, Attribution by) {
        by.mustBeOperator();
        return describe(
                postgres.db()
                        .transaction(
                                tx -> {
                                    configure(tx, namespace, settings, by);
                                    return namespace;
                                }));
    }

    private void configure(
            Jdbc tx, Namespace namespace, NamespaceSettings settings, Attribution by) {
        tx.query("lock_namespace").set("name", namespace.name()).run();
        var before = stored(tx, namespace);
        if (!SettingsCodec.namespace(before).equals(settings)) {
            tx.query("tell_namespace")
                    .set("now", postgres.now())
                    .set("name", namespace.name())
                    .set("actor", by.actor())
                    .set("reason", by.reason())
                    .set("payload", EventCodec.details(settings).toString())
                    .update();
        }
        tx.query("configure_namespace")
                .set("name", namespace.name())
                .set("retention", settings.retention().toMillis())
                .set("settings", SettingsCodec.write(settings, before).toString())
                .update();
    }

    @Override
    public NamespaceView describe(Namespace namespace) {
        return new NamespaceView(namespace, find(postgres.db(), namespace));
    }

    @Override
    public Page<NamespaceView> list(Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var start = ListingPages.nameAfter(after);
        var views =
                postgres.db()
                        .query("namespaces")
                        .set("after", start)
                        .set("max", max + 1)
                        .list(
                                row ->
                                        new NamespaceView(
                                                new Namespace(row.text("name")),
                                                SettingsCodec.namespace(settings(row))));
        return ListingPages.byName(views, max, view -> view.namespace().name());
    }

    private static NamespaceSettings find(Jdbc db, Namespace namespace) {
        return SettingsCodec.namespace(stored(db, namespace));
    }

    /** What is stored of the settings, with what this program does not know. */
    private static JsonObject stored(Jdbc db, Namespace namespace) {
        return db.query("namespace")
                .set("name", namespace.name())
                .optional(PostgresNamespaces::settings)
                .orElse(JsonObject.EMPTY);
    }

    private static JsonObject settings(Row row) {
        return Optional.ofNullable(row.textOrNull("settings"))
                .map(Json::parseObject)
                .orElse(JsonObject.EMPTY);
    }
}
