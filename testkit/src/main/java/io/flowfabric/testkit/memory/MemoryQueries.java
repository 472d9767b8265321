package io.flowfabric.testkit.memory;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.decision.Conflicts;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.core.decision.NumberedPages;
import io.flowfabric.core.decision.Obstacle;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Explanation;
import io.flowfabric.core.query.LaneExplanation;
import io.flowfabric.core.query.Queries;
import io.flowfabric.core.query.Result;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Finished;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.Outcome;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What can be read. */
final class MemoryQueries implements Queries, Feeds {
    private final MemoryState world;

    MemoryQueries(MemoryState world) {
        this.world = world;
    }

    @Override
    public List<Answer<ExecutionView>> describe(List<ExecutionId> executions) {
        return ItemAnswers.each(
                world, "executions", executions, id -> view(world.executions.find(id)));
    }

    @Override
    public List<Answer<Payload>> inputs(List<ExecutionId> executions) {
        return ItemAnswers.each(
                world,
                "executions",
                executions,
                id -> world.executions.find(id).submission.input());
    }

    @Override
    public List<Answer<Result>> results(List<ExecutionId> executions) {
        return ItemAnswers.each(
                world, "executions", executions, id -> result(world.executions.find(id)));
    }

    private static Result result(MemoryExecution row) {
        if (!(row.state instanceof Finished finished)) {
            throw Conflicts.notFinished(row.id(), row.state.publicState());
        }
        boolean success = finished.outcome() == Outcome.SUCCESS;
        return new Result(
                finished.outcome(),
                row.result,
                success ? Optional.empty() : row.failure,
                row.endedBy);
    }

    @Override
    public List<Event> history(ExecutionId execution) {
        return world.call(() -> world.log.history(world.executions.find(execution).id()));
    }

    @Override
    public Page<Step> steps(ExecutionId execution, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        int before = NumberedPages.before(after);
        return world.call(
                () -> {
                    var row = world.executions.find(execution);
                    var rest = row.steps.values().stream().skip(before).toList();
                    return NumberedPages.page(before, rest, Step::bytes, max, false);
                });
    }

    @Override
    public Page<ExecutionView> search(Search search, Cursor after, int max) {
        return world.call(
                () -> {
                    var rows = new ArrayList<>(world.executions.rows());
                    if (search.order() == Search.Order.NEWEST_FIRST) {
                        Collections.reverse(rows);
                    }
                    if (!after.equals(Cursor.START)) {
                        long last = sequence(after);
                        rows.removeIf(row -> !comesAfter(search, row, last));
                    }
                    rows.removeIf(row -> !search.fits(view(row)));
                    var page =
                            ListingPages.page(
                                    rows,
                                    max,
                                    row ->
                                            ByteBuffer.allocate(Long.BYTES)
                                                    .putLong(row.sequence)
                                                    .array());
                    return new Page<>(page.items().stream().map(this::view).toList(), page.next());
                });
    }

    private static boolean comesAfter(Search search, MemoryExecution row, long last) {
        return search.order() == Search.Order.NEWEST_FIRST
                ? row.sequence < last
                : row.sequence > last;
    }

    private static long sequence(Cursor cursor) {
        var position = cursor.position(Cursor.Purpose.LISTING);
        if (position.length != Long.BYTES) {
            throw Cursor.malformed();
        }
        return ByteBuffer.wrap(position).getLong();
    }

    @Override
    public Map<Lane, Map<PublicState, Long>> counts(Namespace namespace) {
        return world.call(
                () ->
                        world.executions.rows().stream()
                                .filter(row -> row.lane().namespace().equals(namespace))
                                .collect(
                                        Collectors.groupingBy(
                                                MemoryExecution::lane,
                                                TreeMap::new,
                                                Collectors.groupingBy(
                                                        row -> seen(row).publicState(),
                                                        TreeMap::new,
                                                        Collectors.counting()))));
    }

    @Override
    public Explanation explain(ExecutionId execution) {
        return world.call(
                () ->
                        new MemoryExplanations(world)
                                .explain(view(world.executions.find(execution))));
    }

    @Override
    public LaneExplanation explain(Lane lane) {
        return world.call(() -> new MemoryExplanations(world).explain(lane));
    }

    @Override
    public Batch read(FeedFilter filter, Cursor after, int max) {
        return world.call(() -> world.log.read(filter, after, max));
    }

    @Override
    public Cursor beginning() {
        return world.call(world.log::beginning);
    }

    private ExecutionView view(MemoryExecution row) {
        var submission = row.submission;
        return new ExecutionView(
                row.id(),
                row.lane(),
                submission.kind(),
                submission.creator(),
                submission.key(),
                submission.tags(),
                submission.policy(),
                seen(row),
                row.priority,
                row.attempts,
                row.epoch,
                row.retries,
                row.reclaims,
                row.replays,
                row.progress,
                row.failure,
                row.endedBy,
                row.owner,
                row.state instanceof Running running
                        ? world.sessions.unburied(running.session()).map(SessionRecord::end)
                        : Optional.empty(),
                row.deadline,
                row.submitted,
                row.changed);
    }

    /** The state as it reads from outside: what stands behind a shut gate says so. */
    private ExecutionState seen(MemoryExecution row) {
        return row.state instanceof Ready ready
                ? Obstacle.first(
                                row.lane(),
                                world.lanes.settings(row.lane()).state(),
                                row.submission.kind(),
                                row.policy().needs(),
                                world.sessions.aliveSessions().toList(),
                                () -> world.purses.obstacle(row),
                                () -> world.meters.views(row, world.now()))
                        .map(obstacle -> obstacle.before(ready))
                        .orElse(ready)
                : row.state;
    }
}
