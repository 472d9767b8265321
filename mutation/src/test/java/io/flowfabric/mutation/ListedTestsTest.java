package io.flowfabric.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.pitest.testapi.Description;
import org.pitest.testapi.NullExecutionListener;
import org.pitest.testapi.TestUnitExecutionListener;

/** Which tests PIT is told of, and when that is left to its own plugin. */
class ListedTestsTest {
    @Test
    void tests_are_listed_with_those_of_nested_classes_and_do_not_run() {
        var listed = ListedTests.find(FailingExamples.class, new NullExecutionListener());

        assertThat(listed)
                .extracting(test -> test.getDescription().getName())
                .satisfiesExactlyInAnyOrder(
                        name -> assertThat(name).contains("[method:one()]"),
                        name -> assertThat(name).contains("Inner").contains("[method:another()]"));
    }

    @Test
    void a_nested_class_is_not_listed_again() {
        assertThat(ListedTests.find(FailingExamples.Inner.class, new NullExecutionListener()))
                .isEmpty();
    }

    @Test
    void tests_that_are_made_while_they_run_are_left_to_another_plugin() {
        assertThat(ListedTests.find(RepeatedExamples.class, new NullExecutionListener())).isEmpty();
    }

    @Test
    void where_runs_are_listened_to_nothing_is_listed() {
        var listener =
                new TestUnitExecutionListener() {
                    @Override
                    public void executionFinished(
                            Description test, boolean passed, Throwable problem) {}
                };

        assertThat(ListedTests.find(FailingExamples.class, listener)).isEmpty();
    }
}
