package io.flowfabric.cli.dev;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;

import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * How the executions of a run stand, as the feed of the store tells it. It is for the screen only:
 * the summary asks the database.
 */
final class Tally {
    private static final int BATCH = 500;

    /** A take-over: who lost the work, who got it, and when. */
    record TakeOver(String from, String to, Instant at) {}

    /**
     * How one execution stands.
     *
     * @param holder the worker that has its lease, or had it until it lapsed
     */
    private record Standing(Situation situation, Optional<String> holder) {}

    private final Feeds feeds;
    private final FeedFilter filter;
    private final Map<ExecutionId, Standing> standings = new HashMap<>();
    private final Map<ExecutionId, TakeOver> takeOvers = new HashMap<>();
    private Cursor cursor;

    /** Follows a run from now on. */
    Tally(Feeds feeds, String run) {
        this.feeds = feeds;
        this.filter = FeedFilter.of(FeedFilter.Topic.EVERYTHING).tag(Fate.RUN_TAG, run);
        this.cursor = feeds.read(filter, Cursor.NOW, 1).next();
    }

    /** Reads what has happened since the last time. */
    void refresh() {
        Feeds.Batch batch;
        do {
            batch = feeds.read(filter, cursor, BATCH);
            batch.entries().forEach(entry -> note(entry.event()));
            cursor = batch.next();
            // Until it has nearly caught up: while work goes on, there is always a little more.
        } while (batch.entries().size() > BATCH / 2);
    }

    /** How many executions are in one of these situations. */
    long in(Situation... situations) {
        var wanted = Set.of(situations);
        return count(standing -> wanted.contains(standing.situation()));
    }

    long ended() {
        return count(standing -> standing.situation().terminal());
    }

    /** Whether all of these have been claimed and none has ended. */
    boolean allRun(Collection<ExecutionId> executions) {
        return executions.stream()
                .map(standings::get)
                .allMatch(
                        standing -> standing != null && standing.situation() == Situation.RUNNING);
    }

    /** How many executions a worker holds, or held until it was given up. */
    long heldBy(Profile worker) {
        return count(standing -> standing.holder().equals(Optional.of(worker.worker())));
    }

    /** What was taken over from a worker. */
    List<TakeOver> takenFrom(Profile worker) {
        return takeOvers.values().stream()
                .filter(takeOver -> takeOver.from().equals(worker.worker()))
                .toList();
    }

    private void note(Event event) {
        if (event instanceof Event.Step step) {
            boolean held = step.now() == Situation.RUNNING || step.transition() == Transition.LAPSE;
            var holder = step.owner().map(Owner::worker).filter(worker -> held);
            var before = standings.put(step.execution(), new Standing(step.now(), holder));
            if (step.transition() == Transition.RECLAIM && before != null) {
                takeOvers.put(
                        step.execution(),
                        new TakeOver(before.holder().orElse("?"), holder.orElse("?"), step.at()));
            }
        }
    }

    private long count(Predicate<Standing> wanted) {
        return standings.values().stream().filter(wanted).count();
    }
}
