package io.flowfabric.testkit.memory;

import io.flowfabric.core.decision.StreamDraft;
import io.flowfabric.core.decision.StreamStanding;
import io.flowfabric.core.stream.StreamFrame;
import io.flowfabric.core.stream.Summary;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** What was said in one attempt. */
final class MemoryStream {
    /** Those that are kept, by position. */
    final NavigableMap<Long, StreamFrame> frames = new TreeMap<>();

    /** The positions of those that do not stay, the oldest first. */
    private final Deque<Long> passing = new ArrayDeque<>();

    StreamStanding standing = StreamStanding.EMPTY;

    /** The frame at a position, if it is kept. */
    List<StreamFrame> at(long position) {
        var frame = frames.get(position);
        return frame == null ? List.of() : List.of(frame);
    }

    /** What its patches have come to. */
    Optional<Summary> summary() {
        return standing.version() == 0
                ? Optional.empty()
                : Optional.of(new Summary(standing.document(), standing.version()));
    }

    /** Writes what appends have come to. */
    void write(StreamDraft draft) {
        standing = draft.after();
        for (var one : draft.added()) {
            frames.put(one.frame().position(), one.frame());
            if (one.number() > 0) {
                passing.add(one.frame().position());
            }
        }
        while (passing.size() > standing.passing() - standing.gone()) {
            frames.remove(passing.remove());
        }
    }
}
