package io.flowfabric.valkey.internal;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Contended;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.Partition;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.operate.Lanes;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.valkey.internal.ValkeyContext.Told;
import io.flowfabric.valkey.internal.record.Codes;
import io.flowfabric.valkey.internal.record.LaneRecord;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** How lanes are kept. */
public final class ValkeyLanes implements Lanes {
    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

    private final ValkeyContext valkey;
    private final SpreadLanes spreadLanes;

    public ValkeyLanes(ValkeyContext valkey) {
        this.valkey = valkey;
        this.spreadLanes = new SpreadLanes(valkey);
    }

    @Override
    public LaneView configure(Lane lane, LaneSettings settings, Attribution by) {
        by.mustBeOperator();
        var spread = valkey.inUse(lane.namespace());
        if (!spread.isWide()) {
            return configure(lane, settings, by, by.actor(), spread.main(), Optional.empty());
        }
        // Whoever brought it into being in any partition did so in all of them.
        var registrar = found(lane).map(LaneView::registeredBy).orElse(by.actor());
        if (LaneRecord.namesLimits(settings)) {
            mustBeDefined(lane, settings, spread.main());
        }
        spreadLanes.change(
                lane,
                settings,
                registrar,
                change -> configure(lane, settings, by, registrar, spread.main(), change));
        return AppliedParts.after(() -> describe(lane));
    }

    private void mustBeDefined(Lane lane, LaneSettings settings, Partition main) {
        var lacks =
                valkey.read(
                                "lane_lacks",
                                main,
                                out -> {
                                    out.list(3)
                                            .text(lane.namespace().name())
                                            .texts(settings.quotas());
                                    GateDefinition.writeNeeded(out, settings.budgets());
                                })
                        .answer();
        if (!lacks.isAbsent()) {
            throw GateDefinition.missing(lacks);
        }
    }

    /**
     * @param change the change of a spread lane that must still be under way
     */
    private LaneView configure(
            Lane lane,
            LaneSettings settings,
            Attribution by,
            String registrar,
            Partition home,
            Optional<Long> change) {
        return GuardedWrites.retry(
                "lane " + lane, () -> attempt(lane, settings, by, registrar, home, change));
    }

    private Optional<LaneView> attempt(
            Lane lane,
            LaneSettings settings,
            Attribution by,
            String registrar,
            Partition home,
            Optional<Long> change) {
        var read = read(lane, home);
        var known = read.answer().optional(LaneRecord::new);
        var before = known.flatMap(LaneRecord::written);
        boolean stays =
                known.map(LaneRecord::settings).orElse(LaneSettings.DEFAULT).equals(settings);
        var told =
                valkey.call(
                                "configure_lane",
                                home,
                                out -> {
                                    out.list(9)
                                            .text(lane.namespace().name())
                                            .text(lane.name())
                                            .text(registrar)
                                            .optional(before, Packer::text)
                                            .texts(settings.quotas());
                                    GateDefinition.writeNeeded(out, settings.budgets());
                                    if (stays) {
                                        out.absent().absent();
                                    } else {
                                        write(out, settings, before, by);
                                        out.packed(
                                                GuardedWrites.packed(
                                                        new Event.LaneChange(
                                                                lane, settings, by, read.now())));
                                    }
                                    out.optional(change, Packer::number);
                                })
                        .answer();
        return switch (told.at(0).text()) {
            case "again" -> Optional.empty();
            case "overtaken" -> throw overtaken(lane);
            case "done" -> Optional.of(new LaneRecord(told.at(1)).view());
            default -> throw GateDefinition.missing(told);
        };
    }

    /**
     * Refuses to let work wait again where limits of its lane cannot count it: it ended there
     * before the lane had any.
     *
     * @param home where it lies, which is not the main partition
     */
    void mustHaveNoLimits(Lane lane, Partition home) {
        if (read(lane, home)
                .answer()
                .optional(LaneRecord::new)
                .filter(LaneRecord::isGathered)
                .isPresent()) {
            throw occupied(lane);
        }
    }

    static Conflict occupied(Lane lane) {
        return new Conflict(
                Conflict.Code.LANE_SPREAD,
                lane.toString(),
                "Work of this lane lies in several partitions, where no quota or budget of the lane"
                        + " can count it: let it end before the lane names one, and submit anew"
                        + " instead of replaying it.");
    }

    static Contended overtaken(Lane lane) {
        return new Contended("lane " + lane, RETRY_AFTER);
    }

    static void write(Packer out, LaneSettings settings, Optional<String> before, Attribution by) {
        out.list(8)
                .number(Codes.LANE_STATES.of(settings.state()))
                .number(settings.weight())
                .optional(settings.ageing(), Packer::duration)
                .truth(settings.sharing())
                .list(
                        settings.quotas(),
                        (o, quota) -> o.text(GateDefinition.name(QuotaUse.of(quota))))
                .list(settings.budgets(), GateDefinition::write)
                .text(LaneRecord.write(settings, before).toString())
                .list(2)
                .text(by.actor())
                .text(by.reason());
    }

    @Override
    public LaneView describe(Lane lane) {
        return found(lane).orElseThrow(() -> new NotFound("lane", lane.toString()));
    }

    private Optional<LaneView> found(Lane lane) {
        return valkey.spread(lane.namespace()).all().stream()
                .flatMap(part -> read(lane, part).answer().optional(LaneRecord::new).stream())
                .map(LaneRecord::view)
                .reduce(ValkeyLanes::both);
    }

    /**
     * A lane that is known in two partitions: as the main one has it if that does, since it is in
     * either.
     */
    private static LaneView both(LaneView main, LaneView other) {
        boolean sooner = other.since().isBefore(main.since());
        boolean unchanged = main.settings().equals(LaneSettings.DEFAULT);
        return sooner
                ? new LaneView(
                        main.lane(),
                        main.settings(),
                        other.since(),
                        other.registeredBy(),
                        unchanged && main.changed().equals(main.since())
                                ? other.changed()
                                : main.changed())
                : main;
    }

    private Told read(Lane lane, Partition home) {
        return read(valkey, lane, home);
    }

    /** A lane as a partition has it. */
    static Told read(ValkeyContext valkey, Lane lane, Partition home) {
        return valkey.read(
                "lane", home, out -> out.list(2).text(lane.namespace().name()).text(lane.name()));
    }

    @Override
    public Page<LaneView> list(Namespace namespace, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var start = ListingPages.nameAfter(after);
        var views = new TreeMap<String, LaneView>();
        for (var part : valkey.spread(namespace).all()) {
            for (var view : list(namespace, part, start, max + 1)) {
                views.merge(view.lane().name(), view, ValkeyLanes::both);
            }
        }
        return ListingPages.byName(
                views.values().stream().limit(max + 1).toList(), max, view -> view.lane().name());
    }

    private List<LaneView> list(Namespace namespace, Partition home, String start, int max) {
        return valkey.read(
                        "lanes",
                        home,
                        out -> out.list(3).text(namespace.name()).text(start).number(max))
                .answer()
                .list(fields -> new LaneRecord(fields).view());
    }
}
