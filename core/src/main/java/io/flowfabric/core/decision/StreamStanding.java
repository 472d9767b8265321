package io.flowfabric.core.decision;

import io.flowfabric.core.Limit;

import java.time.Instant;

/**
 * How the stream of an attempt stands, as far as the next frame depends on it.
 *
 * @param next the position of the next frame
 * @param frames how many durable frames there are
 * @param bytes how large those are together
 * @param passing how many frames were appended that do not stay; the newest of them are kept
 * @param at when the last frame was appended
 * @param version how many patches its summary is made of
 * @param document the summary; empty without patches, or where no patch needs it
 */
public record StreamStanding(
        long next,
        int frames,
        long bytes,
        long passing,
        Instant at,
        long version,
        String document) {
    /** A stream without frames. */
    public static final StreamStanding EMPTY = new StreamStanding(0, 0, 0, 0, Instant.EPOCH, 0, "");

    /** How many of the frames that do not stay are gone. */
    public long gone() {
        return Math.max(0, passing - Limit.LIVE_FRAMES.max());
    }
}
