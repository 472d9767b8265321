package io.flowfabric.core.stream;

import io.flowfabric.core.ExecutionId;

import java.util.Optional;

/**
 * What workers say while they work. Every attempt of an execution has a stream of its own, which is
 * closed with the attempt and readable as long as the execution is kept; {@code Leases.append}
 * writes it.
 *
 * <p>The stream of an attempt that has not begun is empty and open. Refusal: {@code NotFound}.
 */
public interface Streams {
    /**
     * Frames of an attempt, in their order, with how its stream stands. A page has no more bytes
     * than a message should have, so that it may hold fewer than were asked for.
     *
     * @param attempt from 0
     */
    StreamPage read(ExecutionId execution, int attempt, FrameRange range, int max);

    /**
     * What came from a position on: where the page before said to go on. It answers at once; an
     * engine waits for frames.
     */
    default StreamPage tail(ExecutionId execution, int attempt, long from, int max) {
        return read(execution, attempt, FrameRange.from(from), max);
    }

    /** What the summary frames of an attempt have come to; nothing when there were none. */
    Optional<Summary> summary(ExecutionId execution, int attempt);
}
