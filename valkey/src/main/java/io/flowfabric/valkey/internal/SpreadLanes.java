package io.flowfabric.valkey.internal;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.store.Maintenance.Round;
import io.flowfabric.valkey.internal.record.LaneRecord;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * How lanes are changed in namespaces that are spread over several partitions: in the main one
 * first, which decides, and then in the others. What a process has begun and not finished, because
 * it died or a partition was away, is finished by a sweep.
 */
final class SpreadLanes {
    private static final Logger log = LoggerFactory.getLogger(SpreadLanes.class);

    /** How many changes one round finishes. */
    private static final int PORTION = 1000;

    private final ValkeyContext valkey;

    SpreadLanes(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    /**
     * Changes a lane.
     *
     * @param registrar who brings it into being where there is none
     * @param decide changes it in the main partition; given the number of the change if that must
     *     still be under way
     */
    void change(
            Lane lane,
            LaneSettings settings,
            String registrar,
            Function<Optional<Long>, ?> decide) {
        long change = begin(lane, Optional.empty()).orElseThrow();
        boolean limited = LaneRecord.namesLimits(settings);
        try {
            if (limited) {
                // Before all of its work counts, none may be where it cannot be counted.
                others(lane).forEach(part -> gather(lane, registrar, part, change));
            }
            var unused = decide.apply(limited ? Optional.of(change) : Optional.empty());
        } catch (StoreFailure | Unavailable away) {
            // The sweep finishes it, when what is away may be there again.
            throw away;
        } catch (FlowFabricException refused) {
            try {
                finish(lane, change);
            } catch (FlowFabricException away) {
                // It is finished by the sweep.
                refused.addSuppressed(away);
            }
            throw refused;
        }
        AppliedParts.afterwards(() -> finish(lane, change));
    }

    /**
     * Finishes the changes that have taken for too long in a namespace with this main partition.
     */
    Round finishOverdue(Partition main, int limit) {
        var overdue =
                valkey.read(
                                "unfinished_lane_changes",
                                main,
                                out -> out.list(1).number(Math.min(PORTION, limit)))
                        .answer()
                        .list();
        int done = 0;
        int errors = 0;
        for (var one : overdue) {
            var lane = new Lane(new Namespace(one.at(0).text()), one.at(1).text());
            try {
                // Where it fails it is due again when this change has taken for too long.
                var change = begin(lane, one.at(2).optional(Item::number));
                change.ifPresent(number -> finish(lane, number));
                done += change.isPresent() ? 1 : 0;
            } catch (FlowFabricException away) {
                // The others would wait for the same partition, and everything due waits for this.
                log.warn("The change of the lane {} is not finished yet", lane, away);
                errors++;
                break;
            }
        }
        return new Round(done, errors, done == limit);
    }

    private List<Partition> others(Lane lane) {
        var spread = valkey.spread(lane.namespace());
        return spread.all().subList(1, spread.count());
    }

    private Partition main(Lane lane) {
        return valkey.home(lane.namespace());
    }

    /**
     * Notes that a lane is being changed, until that is finished.
     *
     * @param unfinished the change that this one finishes, if it does
     * @return the number of the change; nothing when somebody else finishes the other one
     */
    private Optional<Long> begin(Lane lane, Optional<Long> unfinished) {
        return valkey.call(
                        "begin_lane_change",
                        main(lane),
                        out -> named(out.list(3), lane).optional(unfinished, Packer::number))
                .answer()
                .optional(Item::number);
    }

    private static Packer named(Packer out, Lane lane) {
        return out.text(lane.namespace().name()).text(lane.name());
    }

    private void gather(Lane lane, String registrar, Partition part, long change) {
        var told =
                valkey.call(
                        "gather_lane",
                        part,
                        out -> named(out.list(4), lane).text(registrar).number(change));
        switch (told.answer().text()) {
            case "occupied" -> throw ValkeyLanes.occupied(lane);
            case "overtaken" -> throw ValkeyLanes.overtaken(lane);
            default -> {}
        }
    }

    /** Lets a lane behave in all partitions as it does in the main one. */
    private void finish(Lane lane, long change) {
        var main = ValkeyLanes.read(valkey, lane, main(lane)).answer().optional(LaneRecord::new);
        others(lane).forEach(part -> passOn(lane, main, part, change));
        valkey.call("end_lane_change", main(lane), out -> named(out.list(3), lane).number(change));
    }

    private void passOn(Lane lane, Optional<LaneRecord> main, Partition part, long change) {
        var written = main.filter(record -> record.written().isPresent());
        valkey.call(
                "pass_on_lane",
                part,
                out -> {
                    named(out.list(6), lane)
                            .text(main.map(record -> record.view().registeredBy()).orElse(""))
                            .optional(written, SpreadLanes::write)
                            .number(main.map(LaneRecord::stamp).orElse(0L))
                            .number(change);
                });
    }

    private static void write(Packer out, LaneRecord record) {
        var changedBy = record.changedBy().orElse(Attribution.engine("lane_passed_on"));
        ValkeyLanes.write(out, record.settings(), record.written(), changedBy);
    }
}
