package io.flowfabric.testkit.memory;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.contract.QuotaView;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.state.ExecutionState.Ready;

import java.util.HashMap;
import java.util.Map;

/** How much room the quotas leave to a claim that takes one piece of work after the other. */
final class Room {
    private final World world;
    private final Map<Place, Taken> taken = new HashMap<>();

    private record Place(Namespace namespace, QuotaUse use) {}

    private record Taken(int running, int started) {
        static final Taken NOTHING = new Taken(0, 0);

        Taken and(int more, int moreStarts) {
            return new Taken(running + more, started + moreStarts);
        }
    }

    Room(World world) {
        this.world = world;
    }

    /** Whether there is room for this, too. */
    boolean admits(Row row) {
        return world.meters.views(row, world.now()).allMatch(view -> admits(row, view));
    }

    private boolean admits(Row row, QuotaView view) {
        var more = taken.getOrDefault(place(row, view.use()), Taken.NOTHING);
        return new QuotaView(
                        view.quota(),
                        view.use(),
                        view.running() + more.running,
                        view.started() + more.started,
                        view.opens())
                .open();
    }

    void take(Row row) {
        int starts = ((Ready) row.state).next().startsAttempt() ? 1 : 0;
        for (QuotaUse use : row.policy().quotas()) {
            taken.merge(
                    place(row, use),
                    Taken.NOTHING.and(1, starts),
                    (before, more) -> before.and(more.running, more.started));
        }
    }

    private static Place place(Row row, QuotaUse use) {
        return new Place(row.lane().namespace(), use);
    }
}
