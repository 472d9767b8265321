package io.flowfabric.testkit.contract;

import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.util.Optional;
import java.util.function.Supplier;

/** Graphs that nobody has thought of, played through and compared with what they should be. */
abstract class RandomFlowRules extends Rules {
    private static final int GRAPHS = 30;

    RandomFlowRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void whatever_happens_in_a_graph_each_member_is_what_those_before_it_make_it() {
        for (int seed = 0; seed < GRAPHS; seed++) {
            new RandomFlow(world, seed).play();
        }
    }

    @Test
    void calls_that_get_lost_and_workers_that_die_change_nothing_of_that() {
        var lost = world.losingCalls();
        var unreliable = new Scenario(lost);
        for (int seed = 0; seed < GRAPHS; seed++) {
            new RandomFlow(unreliable, Optional.of(lost), seed).play();
        }
    }
}
