package io.flowfabric.valkey.internal;

import static java.util.stream.Collectors.groupingBy;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which namespaces are spread over several partitions. That is noted where the default namespace
 * lies, with the first use of a namespace, and never changes: so what is known of one that is in
 * use is known for ever, and a process that uses none that is spread asks once for each.
 */
final class Spreads {
    private static final Logger log = LoggerFactory.getLogger(Spreads.class);

    private final ValkeyContext valkey;
    private final Placement placement;

    /** Of namespaces that are in use. */
    private final Map<Namespace, Spread> known = LatelyUsed.ofMost(1 << 16);

    /** Those that are spread, by the partition that their names lead to, as they were last read. */
    private volatile Map<Partition, List<Spread>> wide = Map.of();

    Spreads(ValkeyContext valkey, Placement placement) {
        this.valkey = valkey;
        this.placement = placement;
    }

    /** Over which partitions a namespace is spread. One that was never used is not spread yet. */
    Spread of(Namespace namespace) {
        var spread = known.get(namespace);
        return spread == null || isUnheard(spread) ? read(namespace) : spread;
    }

    /** Whether it is known how a namespace is spread, and not yet that its ids lead elsewhere. */
    private boolean isUnheard(Spread spread) {
        return spread.isWide() && !at(spread.main()).contains(spread);
    }

    private Spread read(Namespace namespace) {
        var told = valkey.read("spreads", Partitions.FIRST, out -> out.text(namespace.name()));
        boolean used = told.answer().at(0).truth();
        // In the order in which they came to be, which never changes.
        var all = new LinkedHashMap<Namespace, Spread>();
        for (var one : told.answer().at(1).list()) {
            var name = new Namespace(one.at(0).text());
            all.put(name, Spread.of(name, one.at(1).small(), placement));
        }
        wide = all.values().stream().collect(groupingBy(Spread::main));
        var spread =
                Optional.ofNullable(all.get(namespace)).orElse(Spread.of(namespace, 1, placement));
        if (used) {
            known.put(namespace, spread);
        }
        return spread;
    }

    /** Those that ids of a partition may belong to, as far as this process has heard of them. */
    List<Spread> at(Partition partition) {
        return wide.getOrDefault(partition, List.of());
    }

    /** Whether work of a spread namespace may lie in a partition. */
    boolean isPart(Partition partition) {
        return wide.values().stream()
                .flatMap(List::stream)
                .anyMatch(spread -> spread.all().contains(partition));
    }

    /**
     * The one partition that tells whether an id is used: work with that id lies there, or has a
     * signpost there. Ids of a partition that the names of several spread namespaces lead to are
     * spread like the first of these, whichever namespace they are used in.
     */
    Partition addressOf(ExecutionId id) {
        var spreads = at(id.partition());
        return spreads.isEmpty() ? id.partition() : spreads.getFirst().of(id.uuid());
    }

    /**
     * Hears of those that have come to be since.
     *
     * @throws FlowFabricException when that cannot be asked
     */
    void mustReadAgain() {
        var unused = read(Namespace.DEFAULT);
    }

    /** Hears of those that have come to be since; while that cannot be asked, of none. */
    void readAgain() {
        try {
            mustReadAgain();
        } catch (FlowFabricException away) {
            log.debug("It cannot be asked which namespaces are spread", away);
        }
    }

    /**
     * Notes that a namespace is in use; over how many partitions it is spread is decided now.
     *
     * @param wanted over how many, if this is the first use
     * @return over how many it is
     */
    int use(Namespace namespace, Optional<Integer> wanted, FunctionCalls calls) {
        var before = Optional.ofNullable(known.get(namespace)).map(Spread::count);
        var told =
                calls.leave(
                        "use_namespace",
                        Partitions.FIRST,
                        out ->
                                out.list(2)
                                        .text(namespace.name())
                                        .number(wanted.or(() -> before).orElse(1)));
        int count = told.answer().small();
        known.put(namespace, Spread.of(namespace, count, placement));
        return count;
    }

    /**
     * Spreads a namespace that was never used.
     *
     * @throws Conflict when it is in use, and spread otherwise
     */
    void spread(Namespace namespace, int partitions) {
        if (partitions < 1 || partitions > Partition.COUNT) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    "partitions",
                    "%d is outside of 1 to %d.".formatted(partitions, Partition.COUNT));
        }
        int count = use(namespace, Optional.of(partitions), valkey);
        if (count != partitions) {
            throw new Conflict(
                    Conflict.Code.NAMESPACE_USED,
                    namespace.name(),
                    ("This namespace is in use with %d, which never changes: spread one under"
                                    + " another name before it is used.")
                            .formatted(count));
        }
        var unused = read(namespace);
    }
}
