package io.flowfabric.mutation;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Tests to be listed, and not to be run. */
class FailingExamples {
    @Test
    void one() {
        throw new AssertionError();
    }

    @Nested
    class Inner {
        @Test
        void another() {
            throw new AssertionError();
        }
    }
}
