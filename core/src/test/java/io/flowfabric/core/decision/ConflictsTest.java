package io.flowfabric.core.decision;

import static io.flowfabric.core.Examples.ID;
import static io.flowfabric.core.Examples.SESSION;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Lane;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.lease.Session;

import org.junit.jupiter.api.Test;

class ConflictsTest {
    @Test
    void a_conflict_says_what_is_taken_and_what_to_do() {
        var session = Session.of("mailer", "mailer-1", "emails");

        assertSays(Conflicts.sessionTaken(SESSION), Conflict.Code.SESSION_TAKEN, SESSION);
        assertSays(
                Conflicts.instanceTaken(session, SESSION, "printer"),
                Conflict.Code.INSTANCE_TAKEN,
                SESSION);
        assertSays(Conflicts.budgetTaken("team"), Conflict.Code.BUDGET_TAKEN, "team");
        assertSays(Conflicts.spentDifferently("k1"), Conflict.Code.SPENT_DIFFERENTLY, "k1");
        assertSays(
                Conflicts.recordedDifferently(ID, "pay", 3),
                Conflict.Code.RECORDED_DIFFERENTLY,
                "pay");
        assertThat(Conflicts.recordedDifferently(ID, "pay", 3))
                .hasMessageContaining("This step of " + ID + " was recorded in attempt 3");
        assertSays(Conflicts.notFinished(ID, PublicState.ACTIVE), Conflict.Code.NOT_FINISHED, ID);
        assertSays(
                Conflicts.namedByLane(Lane.of("emails"), "quota calls"),
                Conflict.Code.NAMED_BY_LANE,
                Lane.of("emails"));
        assertThat(Conflicts.instanceTaken(session, SESSION, "printer"))
                .hasMessageContaining("The instance mailer-1 is alive as worker printer:");
        assertThat(Conflicts.namedByLane(Lane.of("emails"), "quota calls"))
                .hasMessageContaining("names quota calls:");
    }

    private static void assertSays(Conflict conflict, Conflict.Code code, Object subject) {
        assertThat(conflict.code()).isEqualTo(code);
        assertThat(conflict).hasMessageContaining(subject.toString()).hasMessageEndingWith(".");
    }
}
