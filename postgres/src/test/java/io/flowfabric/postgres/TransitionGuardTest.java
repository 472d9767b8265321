package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Payload;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;

/** The guard that the whole contract suite runs under notices what it is there for. */
class TransitionGuardTest {
    private static final String TELL =
            "insert into %1$s.event_0 (at, execution, part, lane, transition, situation, attempts,"
                + " epoch) select 0, id, part, lane, '%3$s', '%4$s', 0, 0 from %1$s.execution where"
                + " id = '%2$s'";
    private static final String CHANGE =
            "update %1$s.execution set situation = '%4$s' where id = '%2$s'";

    private final PostgresFixture fixture = new PostgresFixture();
    private final Submission work = Submission.of("job", Payload.text("x"));

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void a_step_of_the_table_that_is_told_is_let_through() throws SQLException {
        submit();
        commit(CHANGE, TELL, "cancel", "cancelled");

        assertThat(fixture.store().queries().describe(List.of(work.id())).getFirst().isDone())
                .isTrue();
    }

    @Test
    void a_change_without_an_event_is_refused() {
        submit();
        assertRefused(CHANGE, "", "cancel", "cancelled");
    }

    @Test
    void a_step_that_the_table_does_not_have_is_refused() {
        submit();
        assertRefused(CHANGE, TELL, "lapse", "completed");
        assertRefused(CHANGE, TELL, "claim", "failed");
    }

    @Test
    void an_event_that_tells_of_another_situation_is_refused() {
        submit();
        assertRefused(
                CHANGE, TELL.replace("'%4$s', 0, 0", "'failed', 0, 0"), "cancel", "cancelled");
    }

    private void submit() {
        fixture.store().submissions().submit(List.of(work)).getFirst().orThrow();
    }

    private void assertRefused(String change, String tell, String transition, String situation) {
        assertThatThrownBy(() -> commit(change, tell, transition, situation))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("no step of the transition table leads from ready");
    }

    private void commit(String change, String tell, String transition, String situation)
            throws SQLException {
        var server = TestServer.get();
        try (var connection =
                        DriverManager.getConnection(
                                server.url(), server.user(), server.password());
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (String sql : List.of(change, tell)) {
                if (!sql.isEmpty()) {
                    statement.execute(
                            sql.formatted(
                                    fixture.schema().text(),
                                    work.id().uuid(),
                                    transition,
                                    situation));
                }
            }
            connection.commit();
        }
    }
}
