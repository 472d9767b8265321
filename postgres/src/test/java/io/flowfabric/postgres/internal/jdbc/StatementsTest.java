package io.flowfabric.postgres.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Invalid;
import io.flowfabric.postgres.SchemaName;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;

class StatementsTest {
    private static final SchemaName SCHEMA = new SchemaName("mine");

    @Test
    void a_file_holds_named_statements_on_one_schema() {
        var statements =
                parse(
                        """
                        -- What stands above the first name is for readers; :this too.

                        -- name: first
                        -- A reason.
                        select * from ${schema}.a where b = :b;

                        --name:second-one
                        delete from ${schema}.a
                        """);

        assertThat(statements.names()).containsExactlyInAnyOrder("first", "second-one");
        assertThat(statements.named("first").sql())
                .isEqualTo("/* flowfabric:first */ -- A reason.\nselect * from mine.a where b = ?");
        assertThat(statements.named("second-one").sql())
                .isEqualTo("/* flowfabric:second-one */ delete from mine.a");
    }

    @Test
    void line_ends_of_other_systems_make_no_difference() {
        assertThat(parse("-- name: a\r\nselect 1\r\n").names()).containsExactly("a");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "select :a, :b, :a        | select ?, ?, ?           | a,b,a",
                "select :a::text          | select ?::text           | a",
                "select (':a', :b)       | select (':a', ?)        | b",
                "select 'it''s :a', :b    | select 'it''s :a', ?     | b",
                "select E'\\':a', :b      | select E'\\':a', ?       | b",
                "select \":a\", :b        | select \":a\", ?         | b",
                "select 1 -- :a           | select 1 -- :a           | ''",
                "select /* /* :a */ :a */ :b | select /* /* :a */ :a */ ? | b",
                "select $$ :a $$, :b      | select $$ :a $$, ?       | b",
                "select $x$ :a $$ $x$, :b | select $x$ :a $$ $x$, ?  | b",
                "select x[1:2], y[a:b]    | select x[1:2], y[a:b]    | ''",
                "call f(a := :a)          | call f(a := ?)           | a",
                "select a ? 'b', :c       | select a ?? 'b', ?       | c",
                "select (:a)              | select (?)               | a",
                "select :a_1;             | select ?                 | a_1",
                "select :a; -- the end    | select ?                 | a",
                "select a/b - c :: int    | select a/b - c :: int    | ''",
            })
    void parameters_are_what_looks_like_one_outside_of_quotes_and_comments(
            String text, String sql, String names) {
        var parsed = new SqlText("test", text);

        assertThat(parsed.sql()).isEqualTo(sql);
        assertThat(parsed.parameters())
                .isEqualTo(names.equals("''") ? List.of() : List.of(names.split(",")));
    }

    @Test
    void a_repeated_parameter_is_bound_at_each_of_its_places() {
        var statement = NamedStatement.parse("test", "select :b, :a, :b");

        assertThat(statement.parameters()).isEqualTo(2);
        assertThat(statement.positions(statement.slot("b"))).containsExactly(1, 3);
        assertThat(statement.positions(statement.slot("a"))).containsExactly(2);
        assertThat(statement.parameterAt(0)).isEqualTo("b");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> statement.slot("c"))
                .withMessageContaining("no parameter :c");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-- name: a\nselect 1; select 2",
                "-- name: a\nselect 'open",
                "-- name: a\nselect /* open",
                "-- name: a\nselect $x$ open",
                "-- name: a\n\n-- name: b\nselect 1",
                "-- name: a b\nselect 1",
                "-- name:\nselect 1",
                "-- name: a\nselect 1\n-- name: a\nselect 2",
            })
    void a_malformed_file_is_refused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> parse(text));
    }

    @Test
    void a_missing_file_or_statement_is_named() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Statements.load(StatementsTest.class, SCHEMA, "nothing.sql"))
                .withMessageContaining("nothing.sql");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("-- name: a\nselect 1").named("b"))
                .withMessageContaining("no statement named b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Mine",
                "a-b",
                "a b",
                "1a",
                "a;drop schema b",
                "a\"b",
                "pg_mine",
                "information_schema",
                "a234567890123456789012345678901234567890123456789012345678901234"
            })
    void a_schema_name_that_would_need_quotes_is_refused(String name) {
        assertThatThrownBy(() -> new SchemaName(name)).isInstanceOf(Invalid.class);
    }

    @Test
    void a_schema_name_of_63_characters_is_accepted() {
        assertThat(new SchemaName("a".repeat(63)).fill("${schema}.x")).endsWith("aaa.x");
    }

    private static Statements parse(String text) {
        return Statements.parse(SCHEMA, Map.of("test.sql", text));
    }
}
