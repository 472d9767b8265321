package io.flowfabric.testkit.memory;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Judges what another store has picked: all of it was in sight, in the order of its lane, in the
 * turn of its lane, with room for it; and what was passed over had none.
 *
 * <p>What counts against a quota or a budget together with work behind several of them may be
 * passed over for the moment: a store that counts all of a claim's work against each at once finds
 * less room than there is. Then it gives out something else, and says that there is more.
 */
final class PickJudge {
    private final MemoryState world;
    private final LaneTurnBounds turns = new LaneTurnBounds();

    PickJudge(MemoryState world) {
        this.world = world;
    }

    /**
     * What another store has done.
     *
     * @param picks in the order in which they were given
     * @param more whether it said that there is more
     */
    record PickedWork(List<ExecutionId> picks, boolean more) {}

    /** The rows that were picked, if all is well with them. */
    List<MemoryExecution> judged(
            Map<Lane, List<MemoryExecution>> visible,
            SessionRecord living,
            int max,
            PickedWork given) {
        var picks = given.picks;
        check(picks.size() <= max, "%d were claimed, and %d wanted".formatted(picks.size(), max));
        var several = severalMeters(visible);
        boolean alone = visible.size() == 1;
        var room = new AdmissionCheck(world);
        var rows = new ArrayList<MemoryExecution>();
        for (ExecutionId id : picks) {
            var row = world.executions.find(id);
            var queue = visible.getOrDefault(row.lane(), List.of());
            check(
                    queue.contains(row),
                    "%s was claimed, and %s cannot see it".formatted(id, living.session.worker()));
            check(room.admits(row), id + " was claimed, and its quotas leave no room for it");
            for (MemoryExecution ahead : queue.subList(0, queue.indexOf(row))) {
                check(
                        !room.admits(ahead) || !Collections.disjoint(several, meters(ahead)),
                        "%s was claimed before %s".formatted(id, ahead.id()));
            }
            for (Lane rival : visible.keySet()) {
                check(
                        rival.equals(row.lane())
                                || !isOpen(visible, rival, room, several)
                                || turns.mayPrecede(row.lane(), rival),
                        "%s was claimed, and it was the turn of %s".formatted(id, rival));
            }
            turns.picked(row.lane(), world.lanes.settings(row.lane()).weight(), !alone);
            // A queue is the model's own copy: what was picked is not in it any more.
            queue.remove(row);
            room.take(row);
            rows.add(row);
        }
        if (picks.size() < max) {
            boolean mayBeLeft = given.more && !picks.isEmpty();
            for (MemoryExecution left : visible.values().stream().flatMap(List::stream).toList()) {
                check(
                        !room.admits(left)
                                || (mayBeLeft && !Collections.disjoint(several, meters(left))),
                        left.id() + " was passed over");
            }
        }
        return rows;
    }

    /** Whether the first of a lane could have been picked as well. */
    private boolean isOpen(
            Map<Lane, List<MemoryExecution>> visible,
            Lane lane,
            AdmissionCheck room,
            Set<Object> several) {
        return visible.getOrDefault(lane, List.of()).stream()
                .findFirst()
                .filter(head -> room.admits(head) && Collections.disjoint(several, meters(head)))
                .isPresent();
    }

    /** What work behind several meters counts against. */
    private Set<Object> severalMeters(Map<Lane, List<MemoryExecution>> visible) {
        return visible.values().stream()
                .flatMap(List::stream)
                .map(this::meters)
                .filter(meters -> meters.size() > 1)
                .flatMap(Set::stream)
                .collect(Collectors.toSet());
    }

    /** All that a row counts against: quotas, and budgets with those above them. */
    private Set<Object> meters(MemoryExecution row) {
        return Stream.concat(
                        world.meters.countsAgainst(row).stream(),
                        world.purses.uses(row).map(Map.Entry::getKey))
                .collect(Collectors.toSet());
    }

    private static void check(boolean legal, String explanation) {
        if (!legal) {
            throw new AssertionError("not a legal pick: " + explanation);
        }
    }
}
