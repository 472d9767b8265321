package io.flowfabric.testkit.memory;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
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
                    var known = world.lanes.register(lane, by.actor(), world.now());
                    if (!known.settings.equals(settings)) {
                        boolean anew = known.settings.sharing() != settings.sharing();
                        known.settings = settings;
                        if (anew) {
                            world.shares.beginAnew(lane);
                        }
                        known.changed = world.now();
                        known.changedBy = Optional.of(by);
                        // Opening a lane makes what waits in it visible again.
                        world.wakeups.wake(lane);
                        world.log.append(
                                new Event.LaneChange(lane, settings, by, world.now()), Tags.NONE);
                    }
                    return known.view();
                });
    }

    @Override
    public LaneView describe(Lane lane) {
        return world.call(() -> world.lanes.find(lane).view());
    }

    @Override
    public Page<LaneView> list(Namespace namespace, Cursor after, int max) {
        return world.call(
                () -> {
                    var start = ListingPages.nameAfter(after);
                    return ListingPages.byName(
                            world.lanes
                                    .in(namespace)
                                    .filter(lane -> lane.name().compareTo(start) > 0)
                                    .map(lane -> world.lanes.find(lane).view())
                                    .toList(),
                            max,
                            view -> view.lane().name());
                });
    }
}
