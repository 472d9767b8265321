package io.flowfabric.core.decision;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.query.LaneExplanation;
import io.flowfabric.core.query.LaneExplanation.Group;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.Situation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What waits for what in a lane: how counted work reads, and in which words. */
public final class LaneExplainer {
    private static final Comparator<Group> LARGEST_FIRST =
            Comparator.comparingLong(Group::executions)
                    .reversed()
                    .thenComparing(Group::situation)
                    .thenComparing(Group::words);

    private LaneExplainer() {}

    /**
     * How much ready work there is of one kind with the same needs, budgets and quotas.
     *
     * @param shortage what its budgets leave nothing for, in words
     * @param quotas how these stand
     */
    public record Queue(
            String kind,
            Capabilities needs,
            Optional<String> shortage,
            List<QuotaView> quotas,
            long executions) {}

    private record Reads(Situation situation, String words) {}

    /**
     * Explains a lane.
     *
     * @param by who made the lane what it is, if it is not active and that is remembered
     * @param ready the ready work of the lane
     * @param others how many are in the other situations that are stored, without those that end
     * @param alive at least those live workers that serve the lane
     */
    public static LaneExplanation explain(
            LaneView lane,
            Optional<Attribution> by,
            Collection<Queue> ready,
            Map<Situation, Long> others,
            Collection<Session> alive) {
        var counts = new LinkedHashMap<Reads, Long>();
        for (Queue queue : ready) {
            var reads = reads(lane, by, queue, alive);
            counts.merge(reads, queue.executions(), Long::sum);
        }
        others.forEach(
                (situation, count) ->
                        counts.merge(new Reads(situation, words(situation)), count, Long::sum));
        return new LaneExplanation(lane, by, groups(counts));
    }

    private static Reads reads(
            LaneView lane, Optional<Attribution> by, Queue queue, Collection<Session> alive) {
        return Obstacle.first(
                        lane.lane(),
                        lane.settings().state(),
                        queue.kind(),
                        queue.needs(),
                        alive,
                        queue::shortage,
                        queue.quotas()::stream)
                .map(
                        first ->
                                new Reads(
                                        first.by().situation(),
                                        first.by() == BlockedBy.LANE
                                                ? closed(lane, by)
                                                : first.words()))
                .orElse(new Reads(Situation.READY, words(Situation.READY)));
    }

    private static List<Group> groups(Map<Reads, Long> counts) {
        var groups = new ArrayList<Group>();
        counts.forEach(
                (reads, count) -> {
                    if (count > 0) {
                        groups.add(new Group(reads.situation, reads.words, count));
                    }
                });
        groups.sort(LARGEST_FIRST);
        if (groups.size() <= LaneExplanation.MOST_NAMED) {
            return groups;
        }
        // A quota for each customer has as many reasons as there are customers.
        var named = new ArrayList<>(groups.subList(0, LaneExplanation.MOST_NAMED));
        var others = new EnumMap<Situation, Long>(Situation.class);
        for (Group group : groups.subList(named.size(), groups.size())) {
            others.merge(group.situation(), group.executions(), Long::sum);
        }
        others.forEach(
                (situation, count) ->
                        named.add(
                                new Group(situation, words(situation) + ", as others do", count)));
        return named;
    }

    private static String closed(LaneView lane, Optional<Attribution> by) {
        return new Fact.ClosedLane(lane.lane(), lane.settings().state(), lane.changed(), by)
                .words();
    }

    private static String words(Situation situation) {
        return switch (situation) {
            case READY -> "waiting for a worker";
            case DELAYED -> "delayed";
            case BACKING_OFF -> "backing off after a failure";
            case RESUMING_LATER -> "resuming later";
            case AWAITING_CHILDREN -> "waiting for children";
            case HELD_BY_OPERATOR -> "held by an operator";
            case GRANTED -> "granted to a worker";
            case RUNNING -> "running";
            case SUSPENDED -> "suspended";
            case COMPLETED, FAILED, CANCELLED, EXPIRED, SKIPPED -> "ended";
            case SHORT_OF_BUDGET -> "waiting for a budget";
            case OVER_QUOTA -> "waiting for a quota";
            case WITHOUT_WORKER -> "waiting for a capable worker";
            case LANE_CLOSED -> "waiting for the lane to open";
        };
    }
}
