package io.flowfabric.valkey.internal;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
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

import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** How lanes are kept. */
public final class ValkeyLanes implements Lanes {
    private final ValkeyContext valkey;

    public ValkeyLanes(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    @Override
    public LaneView configure(Lane lane, LaneSettings settings, Attribution by) {
        by.mustBeOperator();
        var spread = valkey.inUse(lane.namespace());
        var others = spread.all().subList(1, spread.count());
        // Whoever brought it into being in any partition did so in all of them.
        var registrar =
                others.isEmpty()
                        ? by.actor()
                        : found(lane).map(LaneView::registeredBy).orElse(by.actor());
        if (isLimited(settings)) {
            // Before it is known here that all of its work counts, none may be elsewhere.
            others.forEach(part -> push(lane, settings, by, registrar, part));
        }
        var view =
                GuardedWrites.retry(
                        "lane " + lane,
                        () -> attempt(lane, settings, by, registrar, spread.main(), Role.MAIN));
        if (others.isEmpty()) {
            return view;
        }
        pushAll(lane, by, registrar, spread);
        return describe(lane);
    }

    private static boolean isLimited(LaneSettings settings) {
        return !settings.quotas().isEmpty() || !settings.budgets().isEmpty();
    }

    /** Lets a lane behave in all partitions as it does in the main one. */
    private void pushAll(Lane lane, Attribution by, String registrar, Spread spread) {
        Optional<LaneSettings> pushed = Optional.empty();
        while (true) {
            var settings =
                    read(lane, spread.main())
                            .answer()
                            .optional(LaneRecord::new)
                            .map(LaneRecord::settings);
            if (settings.equals(pushed) || settings.isEmpty()) {
                return;
            }
            spread.all()
                    .subList(1, spread.count())
                    .forEach(part -> push(lane, settings.get(), by, registrar, part));
            pushed = settings;
        }
    }

    private void push(
            Lane lane, LaneSettings settings, Attribution by, String registrar, Partition part) {
        var unused =
                GuardedWrites.retry(
                        "lane " + lane,
                        () -> attempt(lane, settings, by, registrar, part, Role.OTHER));
    }

    /** Whether a partition is the main one of a namespace: only there quotas are, and budgets. */
    private enum Role {
        MAIN,
        OTHER
    }

    private Optional<LaneView> attempt(
            Lane lane,
            LaneSettings settings,
            Attribution by,
            String registrar,
            Partition home,
            Role role) {
        var read = read(lane, home);
        var known = read.answer().optional(LaneRecord::new);
        var before = known.flatMap(LaneRecord::written);
        boolean stays =
                known.map(LaneRecord::settings).orElse(LaneSettings.DEFAULT).equals(settings);
        boolean main = role == Role.MAIN;
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
                                            .texts(main ? settings.quotas() : List.of());
                                    GateDefinition.writeNeeded(
                                            out, main ? settings.budgets() : new TreeSet<>());
                                    if (stays) {
                                        out.absent();
                                    } else {
                                        write(out, settings, before, by);
                                    }
                                    if (stays || !main) {
                                        out.absent();
                                    } else {
                                        out.packed(
                                                GuardedWrites.packed(
                                                        new Event.LaneChange(
                                                                lane, settings, by, read.now())));
                                    }
                                    out.truth(!main);
                                })
                        .answer();
        return switch (told.at(0).text()) {
            case "again" -> Optional.empty();
            case "occupied" -> throw occupied(lane);
            case "done" -> Optional.of(new LaneRecord(told.at(1)).view());
            default -> throw GateDefinition.missing(told);
        };
    }

    private static Conflict occupied(Lane lane) {
        return new Conflict(
                Conflict.Code.LANE_SPREAD,
                lane.toString(),
                "Work of this lane lies in several partitions, where no quota or budget of the lane"
                        + " can count it: let it end first, or name them before there is any.");
    }

    private static void write(
            Packer out, LaneSettings settings, Optional<String> before, Attribution by) {
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
