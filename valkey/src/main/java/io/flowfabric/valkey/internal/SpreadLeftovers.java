package io.flowfabric.valkey.internal;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
    private static final Logger log = LoggerFactory.getLogger(SpreadLeftovers.class);

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
                    key ->
                            tried(
                                    () ->
                                            HeldKeys.giveUp(
                                                    valkey,
                                                    one.namespace,
                                                    key,
                                                    one.id.uuid(),
                                                    home)));
            if (!valkey.home(one.namespace).equals(home)) {
                reports.computeIfAbsent(one.namespace, first -> new ArrayList<>())
                        .add(one.id.uuid());
            }
        }
        reports.forEach((namespace, ids) -> tried(() -> forgetReports(namespace, ids)));
    }

    /** What is left in a partition that is away does no harm: it leads to nothing. */
    private static void tried(Runnable removal) {
        try {
            removal.run();
        } catch (FlowFabricException away) {
            log.warn("Something is left of work that is gone, because a partition is away", away);
        }
    }

    private void forgetReports(Namespace namespace, List<UUID> ids) {
        valkey.call(
                "forget_reports",
                valkey.home(namespace),
                out -> out.list(2).text(namespace.name()).list(ids, (o, id) -> o.uuid(id)));
    }
}
