package io.flowfabric.testkit.memory;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.decision.StreamDraft;
import io.flowfabric.core.decision.StreamReading;
import io.flowfabric.core.state.ExecutionState.Queued;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.stream.FrameRange;
import io.flowfabric.core.stream.StreamPage;
import io.flowfabric.core.stream.Streams;
import io.flowfabric.core.stream.Summary;

import java.util.List;
import java.util.Optional;

/** What workers say while they work. */
final class MemoryStreams implements Streams {
    private final MemoryState world;

    MemoryStreams(MemoryState world) {
        this.world = world;
    }

    @Override
    public StreamPage read(ExecutionId execution, int attempt, FrameRange range, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        Limit.COUNT.checkRange("attempt", 0, attempt);
        return world.call(
                () -> {
                    var row = world.executions.find(execution);
                    var stream = row.streams.getOrDefault(attempt, new MemoryStream());
                    var found =
                            stream.frames.tailMap(range.from(), true).values().stream()
                                    .filter(range::includes)
                                    .toList();
                    return StreamReading.page(
                            range,
                            found,
                            max,
                            false,
                            stream.standing.next(),
                            StreamReading.closed(
                                    attempt,
                                    row.attempts,
                                    row.state.situation(),
                                    row.state instanceof Queued queued
                                            ? queued.next()
                                            : LeasePurpose.CONTINUE));
                });
    }

    @Override
    public Optional<Summary> summary(ExecutionId execution, int attempt) {
        Limit.COUNT.checkRange("attempt", 0, attempt);
        return world.call(
                () -> {
                    var stream = world.executions.find(execution).streams.get(attempt);
                    return stream == null ? Optional.empty() : stream.summary();
                });
    }

    /** Appends frames, each as if it were alone. */
    List<Answer<Long>> append(List<Append> appends) {
        return ItemAnswers.each(world, "appends", appends, this::append);
    }

    private long append(Append append) {
        var fence = append.fence();
        var row = world.executions.find(fence.execution());
        if (!world.holds(row, fence)) {
            throw row.standing().lost(fence);
        }
        var stream = row.streams.getOrDefault(fence.attempt(), new MemoryStream());
        var draft = new StreamDraft(stream.standing, stream.at(append.position()), world.now());
        long next = draft.append(append).orThrow();
        if (draft.changed()) {
            row.streams.put(fence.attempt(), stream);
            stream.write(draft);
            world.wakeups.streamed(row.id().uuid());
        }
        return next;
    }
}
