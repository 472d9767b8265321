package io.flowfabric.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class AnswerTest {
    private final NotFound error = new NotFound("execution", "x");

    @Test
    void what_was_done_has_a_value() {
        Answer<Integer> answer = Answer.done(7);

        assertThat(answer).isEqualTo(new Answer.Done<>(7));
        assertThat(answer.isDone()).isTrue();
        assertThat(answer.orThrow()).isEqualTo(7);
    }

    @Test
    void what_was_refused_has_an_error() {
        Answer<Integer> answer = Answer.refused(error);

        assertThat(answer).isEqualTo(new Answer.Refused<>(error));
        assertThat(answer.isDone()).isFalse();
        assertThatThrownBy(answer::orThrow).isSameAs(error);
    }

    @Test
    void a_value_can_be_changed_and_a_refusal_stays_what_it_is() {
        assertThat(Answer.done(7).map(n -> "n" + n)).isEqualTo(Answer.done("n7"));
        assertThat(Answer.<Integer>refused(error).map(n -> "n" + n))
                .isEqualTo(Answer.refused(error));
    }
}
