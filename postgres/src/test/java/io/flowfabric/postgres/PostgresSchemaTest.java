package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.sql.SQLException;

/** A schema can be made by hand, and checked. */
class PostgresSchemaTest {
    private final SchemaName name = TestPostgres.freshSchema();
    private final PostgresSchema schema = PostgresSchema.of(TestPostgres.options(), name);

    @Test
    void a_script_that_is_run_by_hand_makes_what_a_migration_makes() throws SQLException {
        var script = schema.script();
        assertThat(schema.validate())
                .containsExactly("The migration 001_executions was not applied.");

        tell(script);

        assertThat(schema.script()).isEmpty();
        assertThat(schema.migrate()).isEmpty();
        assertThat(schema.validate()).isEmpty();
    }

    @Test
    void a_migrated_schema_is_valid_and_remains_as_it_is() throws SQLException {
        schema.migrate();

        assertThat(schema.validate()).isEmpty();
        assertThat(schema.validate()).isEmpty();
        assertThat(ask("select count(*) from pg_namespace where nspname like 'expected\\_%'"))
                .isEqualTo("0");
    }

    @Test
    void what_is_missing_or_changed_is_named() throws SQLException {
        schema.migrate();
        tell(
                """
                drop index ${schema}.timer_due;
                alter table ${schema}.lane alter column weight type bigint;
                alter table ${schema}.lane drop constraint lane_weight_check;
                alter table ${schema}.session drop column acknowledged;
                alter type ${schema}.lane_state add value 'asleep';
                alter function ${schema}.read_events reset all;
                create table ${schema}.of_others (n integer);
                create index more_of_others on ${schema}.lane (name);
                update ${schema}.migration set checksum = 'x';
                """);

        assertThat(schema.validate())
                .hasSize(7)
                .anySatisfy(it -> assertThat(it).contains("001_executions", "another text"))
                .contains("The index timer_due is missing.")
                .contains("The column session.acknowledged is missing.")
                .contains("The constraint lane.lane_weight_check is missing.")
                .contains(
                        "The type lane_state is \"active paused draining disabled asleep\" instead"
                                + " of \"active paused draining disabled\".")
                .anySatisfy(
                        it -> assertThat(it).contains("column lane.weight", "bigint", "integer"))
                .anySatisfy(it -> assertThat(it).startsWith("The function read_events("));
    }

    private void tell(String commands) throws SQLException {
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(name.fill(commands));
        }
    }

    private static String ask(String question) throws SQLException {
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement();
                var results = statement.executeQuery(question)) {
            results.next();
            return results.getString(1);
        }
    }
}
