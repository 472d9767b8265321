package io.flowfabric.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

/** What is shown of the report of PIT. */
class CodeReportTest {
    private static final String MUTATORS = "org.pitest.mutationtest.engine.gregor.mutators.";

    private final Explained explained =
            Explained.parse(
                    """
                    io.flowfabric.engine.Room.rouse: VoidMethodCall
                        It is never thrown.
                    """);

    @Test
    void what_no_test_noticed_is_listed_and_what_is_explained_is_counted_apart() {
        var report =
                List.of(
                        line("VoidMethodCallMutator,rouse,80,NO_COVERAGE,none"),
                        line("VoidMethodCallMutator,rouse,75,KILLED,a test, of a comma"),
                        line("VoidMethodCallMutator,leave,33,TIMED_OUT,none"),
                        line("MathMutator,rouse,78,NO_COVERAGE,none"),
                        line("returns.NullReturnValsMutator,enter,40,SURVIVED,none"));

        assertThat(CodeReport.lines(report, explained))
                .containsExactly(
                        "io.flowfabric.engine.Room.rouse: Math, line 78, no test runs it",
                        "io.flowfabric.engine.Room.enter: NullReturnVals, line 40, survived",
                        "5 changes, 2 noticed, 1 not noticed and explained, 2 not");
    }

    private static String line(String rest) {
        return "Room.java,io.flowfabric.engine.Room," + MUTATORS + rest;
    }
}
