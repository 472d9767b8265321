package io.flowfabric.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.mutation.Mutant.Change;

import org.junit.jupiter.api.Test;

import java.util.List;

/** Which small changes are made of a statement. */
class StatementMutantsTest {
    @Test
    void each_condition_is_dropped() {
        var statement = "select 'a' from t where a < 1 and (b or c) and d between 2 and 3";

        assertThat(changed(statement, Change.CONDITION_DROPPED))
                .containsExactly(
                        "select 'a' from t where true and (b or c) and d between 2 and 3",
                        "select 'a' from t where a < 1 and true and d between 2 and 3",
                        "select 'a' from t where a < 1 and (b or c) and true");
    }

    @Test
    void a_condition_ends_where_the_next_clause_or_its_parenthesis_does() {
        var statement =
                "select (select x from t where t.a = u.a) from u join v on u.b is distinct from v.b"
                        + " order by 1";

        assertThat(changed(statement, Change.CONDITION_DROPPED))
                .containsExactly(
                        "select (select x from t where true) from u join v on u.b is distinct from"
                                + " v.b order by 1",
                        "select (select x from t where t.a = u.a) from u join v on true order by"
                                + " 1");
    }

    @Test
    void each_comparison_becomes_its_neighbour() {
        var statement = "select least(a, b) from t where a <= :a and b is not null and not c";

        assertThat(changed(statement, Change.COMPARISON_CHANGED))
                .containsExactly(
                        "select greatest(a, b) from t where a <= :a and b is not null and not c",
                        "select least(a, b) from t where a < :a and b is not null and not c",
                        "select least(a, b) from t where a <= :a and b is null and not c",
                        "select least(a, b) from t where a <= :a and b is not null and  c");
        assertThat(changed("select exists (select)", Change.COMPARISON_CHANGED))
                .containsExactly("select not exists (select)");
    }

    @Test
    void an_assignment_is_no_comparison() {
        var statement = "update t set a = 1, b = (case when c = 2 then 3 end) where d = 4";

        assertThat(changed(statement, Change.COMPARISON_CHANGED))
                .containsExactly(
                        "update t set a = 1, b = (case when c <> 2 then 3 end) where d = 4",
                        "update t set a = 1, b = (case when c = 2 then 3 end) where d <> 4");
    }

    @Test
    void each_column_and_each_write_is_skipped() {
        assertThat(changed("update t set a = f(1, 2), b = 3 from u", Change.WRITE_SKIPPED))
                .containsExactly(
                        "update t set a = f(1, 2), b = 3 from u where false",
                        "update t set b = 3 from u",
                        "update t set a = f(1, 2) from u");
        assertThat(
                        changed(
                                "with w as (delete from t where a) insert into v select 4 from w",
                                Change.WRITE_SKIPPED))
                .containsExactly(
                        "with w as (delete from t where false and a) insert into v select 4 from w",
                        "with w as (delete from t where a) insert into v select 4 from w where"
                                + " false");
    }

    @Test
    void numbers_signs_and_limits_are_shifted() {
        assertThat(changed("select a + 1 from t limit :n", Change.SHIFTED_BY_ONE))
                .containsExactly(
                        "select a - 1 from t limit :n",
                        "select a + 2 from t limit :n",
                        "select a + 1 from t limit :n + 1");
    }

    @Test
    void what_is_said_in_comments_and_strings_is_left_alone() {
        assertThat(mutants("-- where a < 1\nselect 'x < 2 and y' /* and z = 3 */ from t"))
                .isEmpty();
    }

    @Test
    void a_change_of_a_fragment_is_one_of_all_statements_that_take_it_in() {
        var blocks =
                Block.of(
                        "f.sql",
                        """
                        -- name: one
                        select ${>a}
                        -- name: two
                        select 1
                        -- fragment: a
                        (${>b})
                        -- fragment: b
                        2
                        """);

        assertThat(blocks).extracting(Block::name).containsExactly("one", "two", "a", "b");
        assertThat(blocks.get(3).statements(blocks)).containsExactly("one");
    }

    @Test
    void a_change_is_named_by_what_stands_beside_it_wherever_lines_end() {
        var name = "it: comparison changed: < -> <= in: t where a _ 1 and b";

        assertThat(mutants("select x from t where a < 1 and b < 2"))
                .extracting(Mutant::name)
                .contains(name);
        assertThat(mutants("select x\nfrom t\nwhere -- why\n    a < 1\n    and b < 2"))
                .extracting(Mutant::name)
                .contains(name);
    }

    private static List<String> changed(String statement, Change change) {
        var text = "-- name: it\n" + statement;
        return mutants(statement).stream()
                .filter(mutant -> mutant.change() == change)
                .map(mutant -> mutant.applied(text).substring("-- name: it\n".length()))
                .toList();
    }

    private static List<Mutant> mutants(String statement) {
        var text = "-- name: it\n" + statement;
        return StatementMutants.of(Block.of("f.sql", text).getFirst(), text);
    }
}
