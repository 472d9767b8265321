package io.flowfabric.core.submit;

import static io.flowfabric.core.Examples.ID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Payload;

import org.junit.jupiter.api.Test;

import java.util.List;

class SubmissionsTest {
    private static final Submission WORK = Submission.of("mail", Payload.EMPTY).id(ID);

    @Test
    void one_piece_of_work_is_answered_as_a_list_of_one() {
        Submissions accepting =
                works ->
                        works.stream()
                                .map(one -> Answer.done(new Submitted(one.id(), true)))
                                .toList();

        assertThat(accepting.submit(WORK)).isEqualTo(new Submitted(ID, true));
    }

    @Test
    void the_refusal_of_one_piece_of_work_is_thrown() {
        var taken = new Conflict(Conflict.Code.ID_TAKEN, ID.toString(), "It is taken.");
        Submissions refusing = works -> List.of(Answer.refused(taken));

        assertThatThrownBy(() -> refusing.submit(WORK)).isSameAs(taken);
    }
}
