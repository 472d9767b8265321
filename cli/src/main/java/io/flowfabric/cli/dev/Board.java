package io.flowfabric.cli.dev;

import io.flowfabric.core.state.Situation;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How a run stands, in a few lines that fit into eighty columns; the first says the most. */
final class Board {
    private static final int WIDTH = 60;

    private Board() {}

    static List<String> of(Tally tally, int total) {
        long ended = tally.ended();
        int filled = (int) (ended * WIDTH / total);
        var bar = "#".repeat(filled) + ".".repeat(WIDTH - filled);
        var holders =
                Stream.of(Profile.values())
                        .map(who -> who.worker() + " " + tally.heldBy(who))
                        .collect(Collectors.joining(", "));
        return List.of(
                "  %d of %d ended: %d completed, %d failed, %d cancelled, %d expired"
                        .formatted(
                                ended,
                                total,
                                tally.in(Situation.COMPLETED),
                                tally.in(Situation.FAILED),
                                tally.in(Situation.CANCELLED),
                                tally.in(Situation.EXPIRED)),
                "  [%s]".formatted(bar),
                "  %d running (worker %s), %d ready, %d waiting for their time"
                        .formatted(
                                tally.in(Situation.RUNNING),
                                holders,
                                tally.in(Situation.READY),
                                tally.in(
                                        Situation.DELAYED,
                                        Situation.BACKING_OFF,
                                        Situation.RESUMING_LATER)));
    }
}
