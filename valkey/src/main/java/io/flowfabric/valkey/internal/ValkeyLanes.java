package io.flowfabric.valkey.internal;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
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

import java.util.Optional;

/** How lanes are kept. */
public final class ValkeyLanes implements Lanes {
    private final ValkeyContext valkey;

    public ValkeyLanes(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    @Override
    public LaneView configure(Lane lane, LaneSettings settings, Attribution by) {
        by.mustBeOperator();
        return GuardedWrites.retry("lane " + lane, () -> attempt(lane, settings, by));
    }

    private Optional<LaneView> attempt(Lane lane, LaneSettings settings, Attribution by) {
        var read = read(lane);
        var known = read.answer().optional(LaneRecord::new);
        var before = known.flatMap(LaneRecord::written);
        boolean stays =
                known.map(LaneRecord::settings).orElse(LaneSettings.DEFAULT).equals(settings);
        var told =
                valkey.call(
                                "configure_lane",
                                valkey.inUse(lane.namespace()),
                                out -> {
                                    out.list(8)
                                            .text(lane.namespace().name())
                                            .text(lane.name())
                                            .text(by.actor())
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
                                })
                        .answer();
        return switch (told.at(0).text()) {
            case "again" -> Optional.empty();
            case "done" -> Optional.of(new LaneRecord(told.at(1)).view());
            default -> throw GateDefinition.missing(told);
        };
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
        return read(lane)
                .answer()
                .optional(LaneRecord::new)
                .orElseThrow(() -> new NotFound("lane", lane.toString()))
                .view();
    }

    private Told read(Lane lane) {
        return valkey.read(
                "lane",
                valkey.home(lane.namespace()),
                out -> out.list(2).text(lane.namespace().name()).text(lane.name()));
    }

    @Override
    public Page<LaneView> list(Namespace namespace, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var start = ListingPages.nameAfter(after);
        var views =
                valkey.read(
                                "lanes",
                                valkey.home(namespace),
                                out ->
                                        out.list(3)
                                                .text(namespace.name())
                                                .text(start)
                                                .number(max + 1))
                        .answer()
                        .list(fields -> new LaneRecord(fields).view());
        return ListingPages.byName(views, max, view -> view.lane().name());
    }
}
