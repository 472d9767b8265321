package io.flowfabric.postgres.internal.submit;

import io.flowfabric.core.submit.KeyUse;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Keys that executions had which have ended, let go of in the transaction of the submissions that
 * take them over. Those of submissions that are refused then are given back in the same
 * transaction.
 */
public final class FreedKeys {
    private static final FreedKeys NONE = new FreedKeys(Map.of());

    private final Map<PreparedSubmission.Key, UUID> holders;

    private FreedKeys(Map<PreparedSubmission.Key, UUID> holders) {
        this.holders = holders;
    }

    /** Frees the keys that items take over. Where none asks for that, nothing is done. */
    public static FreedKeys of(Jdbc tx, List<PreparedSubmission> items) {
        var takers =
                items.stream()
                        .filter(PreparedSubmission::keyed)
                        .filter(item -> item.submission().keyUse() == KeyUse.WHILE_PENDING)
                        .toList();
        if (takers.isEmpty()) {
            return NONE;
        }
        var holders = new HashMap<PreparedSubmission.Key, UUID>();
        tx.query("free_ended_keys")
                .texts("namespaces", takers, item -> item.key().namespace())
                .texts("keys", takers, item -> item.key().key())
                .each(
                        row ->
                                holders.put(
                                        new PreparedSubmission.Key(
                                                row.text("namespace"), row.text("key")),
                                        row.uuid("id")));
        return new FreedKeys(holders);
    }

    /** Gives those back that no accepted item has. */
    public void giveBackUnused(
            Jdbc tx, List<PreparedSubmission> items, SubmitStatement.Accepted accepted) {
        if (holders.isEmpty()) {
            return;
        }
        var unused = new HashMap<>(holders);
        for (var item : items) {
            if (item.keyed() && accepted.holds(item)) {
                unused.remove(item.key());
            }
        }
        if (!unused.isEmpty()) {
            var entries = List.copyOf(unused.entrySet());
            tx.query("keep_freed_keys")
                    .texts("namespaces", entries, entry -> entry.getKey().namespace())
                    .texts("keys", entries, entry -> entry.getKey().key())
                    .uuids("ids", entries, Map.Entry::getValue)
                    .update();
        }
    }
}
