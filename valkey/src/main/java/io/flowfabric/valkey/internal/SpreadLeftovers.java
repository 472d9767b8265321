package io.flowfabric.valkey.internal;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What work that is gone has left in other partitions: its signpost, the key that was held for it,
 * and what it reported.
 */
final class SpreadLeftovers {
    private final ValkeyContext valkey;

    SpreadLeftovers(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    /** A piece of work that is gone. */
    record Gone(ExecutionId id, Namespace namespace, Optional<String> key) {}

    /**
     * @param home where it was
     */
    void remove(List<Gone> gone, Partition home) {
        valkey.homes().forget(gone.stream().map(Gone::id).toList(), home);
        var reports = new LinkedHashMap<Namespace, List<UUID>>();
        for (var one : gone) {
            one.key.ifPresent(
                    key -> HeldKeys.giveUp(valkey, one.namespace, key, one.id.uuid(), home));
            if (!valkey.home(one.namespace).equals(home)) {
                reports.computeIfAbsent(one.namespace, first -> new ArrayList<>())
                        .add(one.id.uuid());
            }
        }
        reports.forEach(this::forgetReports);
    }

    private void forgetReports(Namespace namespace, List<UUID> ids) {
        valkey.call(
                "forget_reports",
                valkey.home(namespace),
                out -> out.list(2).text(namespace.name()).list(ids, (o, id) -> o.uuid(id)));
    }
}
