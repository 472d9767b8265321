package io.flowfabric.postgres.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.SessionId;
import io.flowfabric.postgres.internal.claim.ClaimMemory.Form;

import org.junit.jupiter.api.Test;

class ClaimMemoryTest {
    private final ClaimMemory memory = new ClaimMemory();
    private final SessionId session = SessionId.mint();

    @Test
    void a_session_of_which_nothing_is_known_begins_with_the_cheapest_form() {
        memory.sawBusy(session, 3);

        assertThat(memory.form(session)).isEqualTo(Form.PLAIN);
        assertThat(memory.busy(session)).isEqualTo(1);
    }

    @Test
    void how_many_gates_had_work_is_remembered_beside_the_form() {
        memory.needs(session, Form.ANY);
        memory.sawBusy(session, 3);

        assertThat(memory.form(session)).isEqualTo(Form.ANY);
        assertThat(memory.busy(session)).isEqualTo(3);
    }
}
