package io.flowfabric.postgres.internal.admission;

import io.flowfabric.core.Contended;
import io.flowfabric.postgres.internal.admission.LaneRanking.Changed;
import io.flowfabric.postgres.internal.admission.LaneRanking.Position;

/**
 * One pass over what waits in a lane that was changed, piece by piece, in the order of submission.
 * It remembers how far it has come.
 */
final class RankPass {
    private final LaneRanking ranking;
    private final Changed changed;
    private final boolean settled;
    private Position last = Position.START;
    private boolean inPlace = true;

    /**
     * @param settled whether no transaction is left that may yet queue work by the settings of
     *     before: then this can be the last pass
     */
    RankPass(LaneRanking ranking, Changed changed, boolean settled) {
        this.ranking = ranking;
        this.changed = changed;
        this.settled = settled;
    }

    /**
     * Takes the next piece, and says whether there may be more.
     *
     * @throws Contended when the piece is held by another, and is to be taken later
     */
    boolean takePiece() {
        var piece = ranking.rank(changed.lane(), last);
        last = piece.last();
        inPlace &= piece.inPlace();
        if (!piece.more() && inPlace && settled) {
            ranking.finish(changed);
        }
        return piece.more();
    }
}
