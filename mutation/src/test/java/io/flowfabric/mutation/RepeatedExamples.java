package io.flowfabric.mutation;

import org.junit.jupiter.api.RepeatedTest;

/** Tests that are made while they run: it is not known before how many there are. */
class RepeatedExamples {
    @RepeatedTest(2)
    void twice() {
        throw new AssertionError();
    }
}
