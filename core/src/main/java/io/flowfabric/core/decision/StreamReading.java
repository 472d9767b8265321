package io.flowfabric.core.decision;

import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.core.stream.FrameRange;
import io.flowfabric.core.stream.StreamEnd;
import io.flowfabric.core.stream.StreamFrame;
import io.flowfabric.core.stream.StreamPage;

import java.util.List;
import java.util.Optional;

/** What is told to those who read streams. */
public final class StreamReading {
    private StreamReading() {}

    /**
     * Why nothing more is appended in an attempt, from how its execution stands: no store writes
     * that a stream is closed.
     *
     * @param attempts how many attempts were started
     * @param next what the next lease is for, while the execution is queued
     */
    public static Optional<StreamEnd> closed(
            int attempt, int attempts, Situation situation, LeasePurpose next) {
        int current = attempts - 1;
        boolean over = situation.queued() && next.startsAttempt();
        if (attempt < current || (attempt == current && over)) {
            return Optional.of(StreamEnd.SUPERSEDED);
        }
        return situation.terminal() ? Optional.of(end(situation)) : Optional.empty();
    }

    private static StreamEnd end(Situation situation) {
        return switch (situation) {
            case COMPLETED -> StreamEnd.COMPLETED;
            case FAILED -> StreamEnd.FAILED;
            case CANCELLED -> StreamEnd.CANCELLED;
            case EXPIRED -> StreamEnd.EXPIRED;
            case SKIPPED -> StreamEnd.SKIPPED;
            case READY,
                    DELAYED,
                    BACKING_OFF,
                    RESUMING_LATER,
                    AWAITING_CHILDREN,
                    HELD_BY_OPERATOR,
                    GRANTED,
                    RUNNING,
                    SUSPENDED,
                    SHORT_OF_BUDGET,
                    OVER_QUOTA,
                    WITHOUT_WORKER,
                    LANE_CLOSED ->
                    throw new IllegalStateException(situation + " is no end");
        };
    }

    /**
     * A page of frames.
     *
     * @param found those of the range, in their order, perhaps more than a page holds
     * @param max how many it may hold
     * @param more whether there are others behind those
     * @param end the position of the next frame of the stream
     */
    public static StreamPage page(
            FrameRange range,
            List<StreamFrame> found,
            int max,
            boolean more,
            long end,
            Optional<StreamEnd> closed) {
        int count = 0;
        long bytes = 0;
        for (StreamFrame frame : found) {
            if (!Chunks.fits(count, max, bytes, frame.bytes())) {
                break;
            }
            count++;
            bytes += frame.bytes();
        }
        var frames = found.subList(0, count);
        long next = count == 0 ? range.from() : frames.getLast().position() + 1;
        return new StreamPage(frames, next, more || count < found.size(), end, closed);
    }
}
