package io.flowfabric.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What one run leaves to the next. */
class OutcomeFileTest {
    private static final TrialResult NOTICED = new TrialResult(TrialOutcome.NOTICED, 3, "a_test()");
    private static final TrialResult SURVIVED = new TrialResult(TrialOutcome.SURVIVED, 40, "");

    private final List<Mutant> mutants = mutants("select a from t where b < 1 and c = 2");

    @TempDir Path folder;

    @Test
    void the_next_run_goes_on() throws IOException {
        var first = open(mutants);
        first.add(0, NOTICED);
        first.add(1, SURVIVED);

        var next = open(mutants);

        assertThat(next.isTried(0)).isTrue();
        assertThat(next.isTried(2)).isFalse();
        assertThat(next.of(List.of(1, 2))).containsOnlyKeys(1).containsValue(SURVIVED);
    }

    @Test
    void what_was_lost_is_tried_again() throws IOException {
        var first = open(mutants);
        first.add(0, TrialResult.LOST);
        assertThat(first.of(List.of(0))).containsValue(TrialResult.LOST);

        assertThat(open(mutants).isTried(0)).isFalse();
    }

    @Test
    void what_is_known_of_other_changes_is_forgotten() throws IOException {
        open(mutants).add(0, NOTICED);

        var others = mutants("select a from t where b < 1 and c = 3");

        assertThat(open(others).isTried(0)).isFalse();
        assertThat(open(mutants).isTried(0)).isFalse();
    }

    private OutcomeFile open(List<Mutant> about) throws IOException {
        return OutcomeFile.open(folder.resolve("outcomes"), about);
    }

    private static List<Mutant> mutants(String statement) {
        var text = "-- name: it\n" + statement;
        return StatementMutants.of(Block.of("f.sql", text).getFirst(), text);
    }
}
