package io.flowfabric.testkit.memory;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.Tags;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.operate.Lanes;

import java.util.Optional;

/** How lanes are kept. */
final class MemoryLanes implements Lanes {
    private final MemoryState world;

    MemoryLanes(MemoryState world) {
        this.world = world;
    }

    @Override
    public LaneView configure(Lane lane, LaneSettings settings, Attribution by) {
        by.mustBeOperator();
        return world.call(
                () -> {
                    world.mustExist(lane.namespace(), settings.quotas(), settings.budgets());
                    var queue = world.register(lane, by.actor());
                    if (!queue.settings.equals(settings)) {
                        boolean anew = queue.settings.sharing() != settings.sharing();
                        queue.settings = settings;
                        if (anew) {
                            world.shares.beginAnew(lane);
                        }
                        queue.changed = world.now();
                        queue.changedBy = Optional.of(by);
                        // Opening a lane makes what waits in it visible again.
                        world.wake(lane);
                        world.log.append(
                                new Event.LaneChange(lane, settings, by, world.now()), Tags.NONE);
                    }
                    return view(lane);
                });
    }

    @Override
    public LaneView describe(Lane lane) {
        return world.call(() -> view(lane));
    }

    @Override
    public Page<LaneView> list(Namespace namespace, Cursor after, int max) {
        return world.call(
                () -> {
                    var names =
                            world.lanes.keySet().stream()
                                    .filter(lane -> lane.namespace().equals(namespace))
                                    .toList();
                    var start = ListingPages.nameAfter(after);
                    return ListingPages.byName(
                            names.stream()
                                    .filter(lane -> lane.name().compareTo(start) > 0)
                                    .map(this::view)
                                    .toList(),
                            max,
                            view -> view.lane().name());
                });
    }

    private LaneView view(Lane lane) {
        var queue = world.lanes.get(lane);
        if (queue == null) {
            throw new NotFound("lane", lane.toString());
        }
        return queue.view(lane);
    }
}
