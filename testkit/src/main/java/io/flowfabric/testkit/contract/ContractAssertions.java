package io.flowfabric.testkit.contract;

import io.flowfabric.core.Answer;
import io.flowfabric.core.query.ExecutionView;

/** The way into the assertions of this suite's own. */
final class ContractAssertions {
    private ContractAssertions() {}

    static <T> AnswerAssert<T> assertThat(Answer<T> answer) {
        return new AnswerAssert<>(answer);
    }

    static ViewAssert assertThat(ExecutionView view) {
        return new ViewAssert(view);
    }
}
