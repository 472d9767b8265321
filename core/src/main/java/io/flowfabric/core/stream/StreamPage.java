package io.flowfabric.core.stream;

import java.util.List;
import java.util.Optional;

/**
 * Some frames of a stream, and how the stream stood at the moment when they were read.
 *
 * @param frames in their order. Positions are missing where live frames have gone
 * @param next from which position on to go on reading
 * @param more whether there were more of the frames that were asked for
 * @param end the position that the next frame will have
 * @param closed why no frame will follow; nothing while some may
 */
public record StreamPage(
        List<StreamFrame> frames, long next, boolean more, long end, Optional<StreamEnd> closed) {
    public StreamPage {
        frames = List.copyOf(frames);
    }

    /** Whether everything was read, and nothing will follow. */
    public boolean last() {
        return !more && closed.isPresent();
    }
}
