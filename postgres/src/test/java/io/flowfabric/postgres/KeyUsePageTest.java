package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Denied;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.submit.KeyUse;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.testkit.PageExample;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;

/** The page about keys, and keys in transactions of the caller. */
class KeyUsePageTest {
    private static final Attribution ADA = new Attribution("ada", "because");

    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/postgres/KeyUseExample.java");

        assertThat(PageExample.shown(Path.of("../docs/idempotency.md")))
                .isNotEmpty()
                .isEqualTo(PageExample.compiled(source));
    }

    @Test
    void the_code_on_the_page_does_what_the_page_says() {
        try (var store = open()) {
            var example = new KeyUseExample(store.submissions());

            var invoice = example.invoice("7", 100);
            assertThat(example.invoice("7", 100)).isEqualTo(new Submitted(invoice.id(), false));
            assertThatThrownBy(() -> example.invoice("7", 200)).isInstanceOf(Conflict.class);
            var welcome = example.welcome("ada", "hello");
            assertThat(example.welcome("ada", "hi")).isEqualTo(new Submitted(welcome.id(), false));
            var report = example.report("ada", "May");
            assertThat(example.report("ada", "June")).isEqualTo(new Submitted(report.id(), false));
            cancel(store, report.id());
            assertThat(example.report("ada", "June").created()).isTrue();
        }
    }

    @Test
    void a_key_that_a_transaction_of_the_caller_takes_over_changes_hands_with_its_commit()
            throws SQLException {
        try (var store = open();
                var connection = TestPostgres.connect()) {
            var first = store.submissions().submit(pending());
            cancel(store, first.id());
            connection.setAutoCommit(false);

            store.in(connection).submit(pending());
            connection.rollback();
            assertThatThrownBy(() -> store.submissions().submit(exact()))
                    .as("the key is that of the first again")
                    .isInstanceOf(Conflict.class)
                    .hasMessageContaining(first.id().toString());

            var second = store.in(connection).submit(pending());
            assertThat(second.created()).isTrue();
            connection.commit();
            assertThat(store.submissions().submit(pending()))
                    .isEqualTo(new Submitted(second.id(), false));
            assertThat(store.in(connection).submit(pending()))
                    .isEqualTo(new Submitted(second.id(), false));
            connection.rollback();
        }
    }

    @Test
    void what_is_refused_in_a_transaction_of_the_caller_takes_no_key_over() throws SQLException {
        try (var store = open();
                var connection = TestPostgres.connect()) {
            var first = store.submissions().submit(pending());
            cancel(store, first.id());
            store.lanes()
                    .configure(
                            Lane.DEFAULT,
                            LaneSettings.DEFAULT.state(LaneSettings.State.DRAINING),
                            ADA);
            connection.setAutoCommit(false);

            assertThatThrownBy(() -> store.in(connection).submit(pending()))
                    .isInstanceOf(Denied.class);
            connection.commit();

            store.lanes().configure(Lane.DEFAULT, LaneSettings.DEFAULT, ADA);
            assertThatThrownBy(() -> store.submissions().submit(exact()))
                    .isInstanceOf(Conflict.class)
                    .hasMessageContaining(first.id().toString());
        }
    }

    private static PostgresStore open() {
        return PostgresStore.open(
                TestPostgres.options().withConnections(2), TestPostgres.freshSchema());
    }

    private static void cancel(PostgresStore store, ExecutionId id) {
        store.operations()
                .act(List.of(new OperatorCommand.Cancel(id)), ADA)
                .forEach(Answer::orThrow);
    }

    private static Submission pending() {
        return Submission.of("report", Payload.EMPTY).key("k", KeyUse.WHILE_PENDING);
    }

    private static Submission exact() {
        return Submission.of("another", Payload.EMPTY).key("k");
    }
}
