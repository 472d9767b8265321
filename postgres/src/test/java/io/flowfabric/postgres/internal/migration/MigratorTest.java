package io.flowfabric.postgres.internal.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Unavailable;
import io.flowfabric.postgres.SchemaName;
import io.flowfabric.postgres.TestPostgres;

import org.junit.jupiter.api.Test;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

class MigratorTest {
    private static final String BASE = "create table ${schema}.thing (n integer);";
    private static final String MORE =
            """
            -- Several statements; a string with 'a;b' and a body in dollars.
            alter table ${schema}.thing add column name text default 'a;b';
            create function ${schema}.twice(n integer) returns integer language plpgsql as $$
            begin
                return n * 2; -- {not an escape} ?
            end $$;
            insert into ${schema}.thing values (${schema}.twice(21));
            """;

    private final SchemaName schema = TestPostgres.freshSchema();

    @Test
    void a_fresh_database_gets_everything_in_order_and_a_second_run_nothing() throws Exception {
        assertThat(migrate(BASE, MORE)).containsExactly("001_one", "002_two");
        assertThat(ask("select n from ${schema}.thing")).isEqualTo("42");
        assertThat(
                        ask(
                                "select string_agg(number || name, ',' order by number) from"
                                        + " ${schema}.migration"))
                .isEqualTo("1one,2two");

        assertThat(migrate(BASE, MORE)).isEmpty();
        assertThat(ask("select count(*) from ${schema}.thing")).isEqualTo("1");
    }

    @Test
    void only_what_is_missing_is_applied() {
        assertThat(migrate(BASE)).containsExactly("001_one");
        assertThat(migrate(BASE, MORE)).containsExactly("002_two");
    }

    @Test
    void of_many_that_start_at_once_exactly_one_applies_each() throws Exception {
        int processes = 6;
        var together = new CyclicBarrier(processes);
        var applied = new ArrayList<String>();
        try (var executor = Executors.newFixedThreadPool(processes)) {
            var runs = new ArrayList<Future<List<String>>>();
            for (int i = 0; i < processes; i++) {
                runs.add(
                        executor.submit(
                                () -> {
                                    together.await();
                                    return migrate(BASE, MORE, "select 1", "select 2");
                                }));
            }
            for (var run : runs) {
                applied.addAll(run.get());
            }
        }
        assertThat(applied)
                .containsExactlyInAnyOrder("001_one", "002_two", "003_three", "004_four");
        assertThat(ask("select count(*) from ${schema}.thing")).isEqualTo("1");
    }

    @Test
    void a_migration_that_fails_leaves_nothing_behind() throws Exception {
        assertThatThrownBy(
                        () ->
                                migrate(
                                        BASE,
                                        "create table ${schema}.half (n integer); select 1 / 0"))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("002_two")
                .hasMessageContaining("division by zero");

        assertThat(ask("select to_regclass('${schema}.half') is null")).isEqualTo("t");
        assertThat(ask("select max(number) from ${schema}.migration")).isEqualTo("1");
        assertThat(migrate(BASE, MORE)).containsExactly("002_two");
    }

    @Test
    void the_very_first_migration_leaves_not_even_a_schema_when_it_fails() throws Exception {
        assertThatThrownBy(() -> migrate("nonsense")).isInstanceOf(Unavailable.class);

        assertThat(ask("select to_regnamespace('${schema}') is null")).isEqualTo("t");
    }

    @Test
    void a_migration_that_was_changed_after_it_was_applied_is_refused() {
        migrate(BASE, MORE);

        assertThatThrownBy(() -> migrate(BASE, MORE + "select 1;"))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("002_two")
                .hasMessageContaining("another text");
        assertThat(migrate(BASE.replace("\n", "\r\n"), MORE.replace("\n", "\r\n")))
                .as("with the line ends of another system")
                .isEmpty();
    }

    @Test
    void a_database_that_is_newer_than_the_program_is_refused() {
        migrate(BASE, MORE);

        assertThatThrownBy(() -> migrate(BASE))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("newer")
                .hasMessageContaining("002_two")
                .hasMessageContaining("Upgrade this program");
    }

    @Test
    void a_newer_database_is_served_as_long_as_all_that_is_newer_says_so() throws Exception {
        var more = "-- readable from: 001\n" + MORE;
        migrate(BASE, more);

        assertThat(migrate(BASE)).isEmpty();
        assertThat(ask("select max(readable_from) from ${schema}.migration")).isEqualTo("1");

        migrate(BASE, more, "-- readable from: 002\nselect 1");
        assertThatThrownBy(() -> migrate(BASE))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("003_three")
                .hasMessageContaining("know migration 002");
        assertThat(migrate(BASE, more)).isEmpty();
    }

    @Test
    void what_a_migration_forgets_to_qualify_stays_inside_of_the_schema() throws Exception {
        migrate("create table loose (n integer)");

        assertThat(ask("select to_regclass('${schema}.loose') is not null")).isEqualTo("t");
        assertThat(ask("select to_regclass('public.loose') is null")).isEqualTo("t");
    }

    @Test
    void a_user_who_may_not_create_can_still_start_on_an_up_to_date_schema() throws Exception {
        migrate(BASE);
        var role = schema + "_reader";
        tell("create role " + role + " login password 'x'");
        tell("grant usage on schema ${schema} to " + role);
        tell("grant select on ${schema}.migration to " + role);
        try {
            var reader = TestPostgres.options().withLogin(role, "x");
            assertThat(Migrator.migrate(Migrator.Way.of(reader), schema, migrations(BASE)))
                    .isEmpty();
            assertThatThrownBy(
                            () ->
                                    Migrator.migrate(
                                            Migrator.Way.of(reader),
                                            schema,
                                            migrations(BASE, MORE)))
                    .isInstanceOf(Unavailable.class)
                    .hasMessageContaining("002_two");
        } finally {
            tell("drop owned by " + role);
            tell("drop role " + role);
        }
    }

    @Test
    void a_schema_named_like_a_word_of_sql_is_refused() {
        assertThatThrownBy(
                        () ->
                                Migrator.migrate(
                                        Migrator.Way.of(TestPostgres.options()),
                                        new SchemaName("user"),
                                        migrations(BASE)))
                .isInstanceOf(Invalid.class)
                .hasMessageContaining("user");
    }

    @Test
    void files_are_numbered_without_gaps() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Migrations.of(Map.of("002_two.sql", "")))
                .withMessageContaining("002_two")
                .withMessageContaining("at place 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Migrations.of(Map.of("1_one.sql", "")))
                .withMessageContaining("NNN_name.sql");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> migrations(BASE, "-- readable from: 003\nselect 1"))
                .withMessageContaining("readable from 003");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Migrations.load(MigratorTest.class, "migration/001_none.sql"));
    }

    private List<String> migrate(String... texts) {
        return Migrator.migrate(Migrator.Way.of(TestPostgres.options()), schema, migrations(texts));
    }

    private static Migrations migrations(String... texts) {
        var names = List.of("001_one", "002_two", "003_three", "004_four");
        var files = new LinkedHashMap<String, String>();
        for (int i = 0; i < texts.length; i++) {
            files.put("migration/" + names.get(i) + ".sql", texts[i]);
        }
        return Migrations.of(files);
    }

    private String ask(String question) throws SQLException {
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement();
                var results = statement.executeQuery(schema.fill(question))) {
            results.next();
            return results.getString(1);
        }
    }

    private void tell(String command) throws SQLException {
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement()) {
            statement.execute(schema.fill(command));
        }
    }
}
