package io.flowfabric.core.query;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.state.Situation;

import java.util.List;
import java.util.Optional;

/**
 * What waits for what in a lane, counted. What has ended waits for nothing and is not counted.
 *
 * @param by who closed the lane, or lets it run dry; absent while it is active, and when that is no
 *     longer remembered
 * @param groups the largest first; behind the hundredth come the rest, one group per situation
 */
public record LaneExplanation(LaneView lane, Optional<Attribution> by, List<Group> groups) {
    /** How many reasons are named; the rest is counted by situation. */
    public static final int MOST_NAMED = 100;

    /**
     * Executions that wait for the same.
     *
     * @param situation as {@link Queries#describe} reads it for each of them
     * @param words what they wait for
     */
    public record Group(Situation situation, String words, long executions) {}

    public LaneExplanation {
        groups = List.copyOf(groups);
    }

    /** How many there are in a situation, whatever the words. */
    public long in(Situation situation) {
        return groups.stream()
                .filter(group -> group.situation == situation)
                .mapToLong(Group::executions)
                .sum();
    }
}
