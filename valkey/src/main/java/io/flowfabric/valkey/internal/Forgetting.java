package io.flowfabric.valkey.internal;

import io.flowfabric.core.FlowId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.store.Maintenance.Round;
import io.flowfabric.valkey.internal.SpreadLeftovers.Gone;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.Function;

/** How executions whose retention has ended are forgotten, and what the log tells of old days. */
final class Forgetting {
    /** How long events are kept at least. */
    static final Duration EVENT_RETENTION = Duration.ofDays(7);

    /** How many executions one call forgets: a call keeps all others waiting. */
    private static final int PORTION = 100;

    /** How many entries of the log one call drops, which is quicker. */
    private static final int ENTRIES = 2000;

    /** With how many lanes one call deals. */
    private static final int LANES = 1000;

    private final ValkeyContext valkey;
    private final SpreadLeftovers leftovers;
    private final FlowHomes flows;
    private final Function<Namespace, Duration> retention;

    /**
     * @param retention how long the work of a namespace is kept after its end
     */
    Forgetting(ValkeyContext valkey, Function<Namespace, Duration> retention) {
        this.valkey = valkey;
        this.leftovers = new SpreadLeftovers(valkey);
        this.retention = retention;
        this.flows = new FlowHomes(valkey);
    }

    private record Kept(int lane, Duration time) {}

    /** Forgets executions of a partition, no more than so many. */
    Round forget(Partition partition, int limit) {
        leftovers.removeAgain(partition);
        int done = 0;
        int errors = 0;
        int after = 0;
        while (done < limit) {
            var lanes = lanes(partition, after);
            int passed = 0;
            boolean full = true;
            while (full && done < limit) {
                int most = Math.min(PORTION, limit - done);
                var told =
                        valkey.call(
                                        "forget",
                                        partition,
                                        out -> write(out.list(3).number(most), lanes, partition))
                                .answer();
                int forgotten = told.at(0).small();
                leftovers.remove(told.at(1).list(it -> Gone.of(it, it.at(4))), partition);
                // They are passed over again by each call.
                passed = Math.max(passed, told.at(2).small());
                done += forgotten;
                full = forgotten == most || told.at(3).truth();
            }
            errors += passed;
            if (lanes.size() < LANES) {
                break;
            }
            after = lanes.getLast().lane;
        }
        return new Round(done, errors, done == limit);
    }

    private void write(Packer out, List<Kept> lanes, Partition partition) {
        out.list(lanes, (o, kept) -> o.list(2).number(kept.lane).duration(kept.time));
        leftovers.writePlace(out, partition, List.of());
    }

    private List<Kept> lanes(Partition partition, int after) {
        var times = new HashMap<Namespace, Duration>();
        var found = new ArrayList<Kept>();
        valkey.read("lanes_to_forget_of", partition, out -> out.list(2).number(after).number(LANES))
                .answer()
                .list()
                .forEach(
                        lane -> {
                            var namespace = new Namespace(lane.at(1).text());
                            found.add(
                                    new Kept(
                                            lane.at(0).small(),
                                            times.computeIfAbsent(namespace, retention)));
                        });
        return found;
    }

    /** Forgets flows of a partition that have ended long ago, and have no members any more. */
    void forgetFlows(Partition partition) {
        var namespaces =
                valkey.read("flow_namespaces", partition, out -> out.list(0))
                        .answer()
                        .list(Item::text);
        for (var name : namespaces) {
            var kept = retention.apply(new Namespace(name));
            boolean more = true;
            while (more) {
                var told =
                        valkey.call(
                                        "forget_flows",
                                        partition,
                                        out -> out.list(2).text(name).duration(kept))
                                .answer();
                var gone = told.at(1).list();
                for (int n = 0; n < gone.size(); n += 2) {
                    var named = new Partition(Item.read(gone.get(n + 1).bytes()).at(1).small());
                    flows.forget(new FlowId(named, gone.get(n).uuid()), partition);
                }
                more = told.at(0).truth();
            }
        }
    }

    /** Drops events of a partition by the day, and says how many days that was. */
    int dropEvents(Partition partition, int limit) {
        int days = 0;
        boolean more = true;
        while (more && days < limit) {
            var told =
                    valkey.call(
                                    "drop_events",
                                    partition,
                                    out -> out.list(2).duration(EVENT_RETENTION).number(ENTRIES))
                            .answer();
            days += told.at(0).truth() ? 1 : 0;
            more = told.at(1).truth();
        }
        return days;
    }
}
