package io.flowfabric.postgres;

import static io.flowfabric.postgres.WaitingWork.ADA;
import static io.flowfabric.postgres.WaitingWork.ids;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Policy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** R15: the call that changes a lane moves what waits there, piece by piece, to the last of it. */
class LaneInPiecesTest {
    /** What is moved at once. */
    private static final int PIECE = 1000;

    private final WaitingWork work = new WaitingWork();

    @AfterEach
    void close() {
        work.close();
    }

    @Test
    void what_waits_behind_the_first_piece_takes_its_turn_as_well() {
        var many = work.submit("a", PIECE, nth -> Policy.DEFAULT.share("many"));
        var few = work.submit("a", 2, nth -> Policy.DEFAULT.share("few"));

        work.store().lanes().configure(Lane.DEFAULT, LaneSettings.DEFAULT.sharing(true), ADA);

        assertThat(ids(work.claim(work.open("1"), 4)))
                .containsExactly(many.get(0), few.get(0), many.get(1), few.get(1));
    }
}
