package io.flowfabric.postgres.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.flowfabric.postgres.TestPostgres;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

class QueryTest {
    private static final Statements STATEMENTS = Things.create();
    private static final Database DB =
            Database.open(TestPostgres.options().withConnections(1), STATEMENTS);

    private record Item(@Nullable UUID id, @Nullable String name, @Nullable Long amount) {}

    @AfterAll
    static void close() {
        DB.close();
    }

    @Test
    void every_statement_can_be_parsed_by_the_server() {
        // Without those that ask for the type of a parameter, which only its value has.
        var typed = Statements.load(Things.class, STATEMENTS.schema(), "things.sql");
        try (var db = Database.open(TestPostgres.options().withConnections(1), typed)) {
            db.check();
        }
    }

    @Test
    void values_come_back_as_they_went_in() {
        var id = Things.add(DB, 1);
        var at = Instant.parse("2026-02-03T04:05:06.123456789Z");
        // More than once, because the driver changes from text to binary.
        for (int i = 0; i < 3; i++) {
            DB.query("fill")
                    .set("id", id)
                    .set("name", "näme '%s'".formatted(id))
                    .set("amount", Long.MAX_VALUE)
                    .set("small", 7)
                    .set("flag", true)
                    .set("weight", 0.1)
                    .set("content", new byte[] {0, -1, 10})
                    .set("at", at)
                    .one(
                            row -> {
                                assertThat(row.uuid("id")).isEqualTo(id);
                                assertThat(row.text("name")).isEqualTo("näme '%s'", id);
                                assertThat(row.longValue("amount")).isEqualTo(Long.MAX_VALUE);
                                assertThat(row.intValue("small")).isEqualTo(7);
                                assertThat(row.bool("flag")).isTrue();
                                assertThat(row.doubleValue("weight")).isEqualTo(0.1);
                                assertThat(row.bytes("content")).containsExactly(0, -1, 10);
                                assertThat(row.instant("at"))
                                        .isEqualTo("2026-02-03T04:05:06.123456Z");
                                assertThat(row.longOrNull("amount")).isEqualTo(Long.MAX_VALUE);
                                assertThat(row.intOrNull("small")).isEqualTo(7);
                                assertThat(row.boolOrNull("flag")).isTrue();
                                assertThat(row.doubleOrNull("weight")).isEqualTo(0.1);
                                return row;
                            });
        }
    }

    @Test
    void nulls_come_back_as_nulls_and_are_refused_where_none_can_be() {
        var id = Things.add(DB, 1);
        for (int i = 0; i < 3; i++) {
            DB.query("fill")
                    .set("id", id)
                    .set("name", id.toString())
                    .set("amount", (Long) null)
                    .set("small", (Integer) null)
                    .set("flag", (Boolean) null)
                    .set("weight", (Double) null)
                    .set("content", (byte[]) null)
                    .set("at", (Instant) null)
                    .one(
                            row -> {
                                assertThat(row.longOrNull("amount")).isNull();
                                assertThat(row.intOrNull("small")).isNull();
                                assertThat(row.boolOrNull("flag")).isNull();
                                assertThat(row.doubleOrNull("weight")).isNull();
                                assertThat(row.bytesOrNull("content")).isNull();
                                assertThat(row.instantOrNull("at")).isNull();
                                assertThat(row.uuidOrNull("part_of")).isNull();
                                refused("amount", () -> row.longValue("amount"));
                                refused("small", () -> row.intValue("small"));
                                refused("flag", () -> row.bool("flag"));
                                refused("weight", () -> row.doubleValue("weight"));
                                refused("content", () -> row.bytes("content"));
                                refused("at", () -> row.instant("at"));
                                refused("part_of", () -> row.uuid("part_of"));
                                return row;
                            });
        }
        assertThat(DB.query("find").set("id", (UUID) null).optional(row -> row)).isEmpty();
    }

    @Test
    void arrays_come_back_as_they_went_in_and_may_contain_nulls() {
        var uuid = UUID.randomUUID();
        for (int i = 0; i < 3; i++) {
            DB.query("arrays")
                    .set("uuids", new @Nullable UUID[] {uuid, null})
                    .set("longs", new @Nullable Long[] {1L, null, -3L})
                    .set("ints", new int[] {1, 2})
                    .set("texts", new @Nullable String[] {"a,\"b\\'", "", null, "ü"})
                    .set("shorts", new short[] {1, -2})
                    .set("booleans", new @Nullable Boolean[] {true, null, false})
                    .set("doubles", new double[] {0.5, -1})
                    .set("bytes", new byte[] @Nullable [] {{0, 1}, null, {}})
                    .set(
                            "instants",
                            new @Nullable Instant[] {
                                Instant.parse("1999-12-31T23:59:59.999999999Z"),
                                null,
                                Instant.parse("2026-01-01T00:00:00.000001Z")
                            })
                    .one(
                            row -> {
                                assertThat(row.uuids("uuids")).containsExactly(uuid, null);
                                assertThat(row.longs("longs")).containsExactly(1L, null, -3L);
                                assertThat(row.ints("ints")).containsExactly(1, 2);
                                assertThat(row.texts("texts"))
                                        .containsExactly("a,\"b\\'", "", null, "ü");
                                assertThat(row.text("shorts")).isEqualTo("1,-2");
                                assertThat(row.text("booleans")).isEqualTo("t,-,f");
                                assertThat(row.text("doubles")).isEqualTo("0.5,-1");
                                assertThat(row.text("bytes")).isEqualTo("\\x0001,-,\\x");
                                assertThat(row.text("instants"))
                                        .isEqualTo(
                                                "1999-12-31 23:59:59.999999+00,-,2026-01-01"
                                                        + " 00:00:00.000001+00");
                                return row;
                            });
        }
    }

    @Test
    void empty_arrays_are_arrays() {
        DB.query("types")
                .set("longs", new long[0])
                .set("shorts", new short[0])
                .set("uuids", new UUID[0])
                .set("instants", new Instant[0])
                .set("bytes", new byte[0][])
                .one(
                        row -> {
                            assertThat(row.text("longs")).isEqualTo("bigint[]");
                            assertThat(row.text("shorts")).isEqualTo("smallint[]");
                            assertThat(row.text("uuids")).isEqualTo("uuid[]");
                            assertThat(row.text("instants"))
                                    .isEqualTo("timestamp with time zone[]");
                            assertThat(row.text("bytes")).isEqualTo("bytea[]");
                            return row;
                        });
        assertThat(addAll(List.of())).isEmpty();
    }

    @Test
    void a_batch_is_written_column_by_column_in_one_statement() {
        var items = new ArrayList<Item>();
        for (int i = 0; i < 1000; i++) {
            var id = UUID.randomUUID();
            items.add(new Item(id, id.toString(), i % 2 == 0 ? null : (long) i));
        }

        assertThat(addAll(items)).containsExactlyElementsOf(items);
    }

    @Test
    void how_many_rows_there_are_is_checked() {
        var id = Things.add(DB, 1);
        var other = Things.add(DB, 1);

        assertThat(DB.query("increase").set("id", id).set("by", 4).update()).isEqualTo(1);
        assertThat(DB.query("increase").set("id", UUID.randomUUID()).set("by", 4).update())
                .isZero();
        assertThat(Things.amount(DB, id)).isEqualTo(5);
        assertThat(DB.query("ids").list(row -> row.uuid("id"))).contains(id, other);
        var seen = new ArrayList<UUID>();
        DB.query("ids").each(row -> seen.add(row.uuid("id")));
        assertThat(seen).contains(id, other);

        assertThatIllegalStateException()
                .isThrownBy(() -> Things.amount(DB, UUID.randomUUID()))
                .withMessageContaining("no row");
        assertThatIllegalStateException()
                .isThrownBy(() -> DB.query("ids").one(row -> row.uuid("id")))
                .withMessageContaining("more than one row");
        assertThatIllegalStateException()
                .isThrownBy(() -> DB.query("ids").optional(row -> row.uuid("id")))
                .withMessageContaining("more than one row");
    }

    @Test
    void mistakes_of_the_author_name_statement_and_parameter() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DB.query("finde"))
                .withMessageContaining("finde");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DB.query("find").set("ix", 1))
                .withMessageContaining("find")
                .withMessageContaining(":ix");
        assertThatIllegalStateException()
                .isThrownBy(() -> DB.query("increase").set("by", 1).update())
                .withMessageContaining("increase")
                .withMessageContaining(":id");
        assertThatIllegalStateException()
                .isThrownBy(() -> DB.query("count").one(row -> row.longValue("m")))
                .withMessageContaining("count")
                .withMessageContaining("m");
    }

    @Test
    void a_null_and_a_value_share_one_prepared_statement() {
        var id = Things.add(DB, 1);
        for (int i = 0; i < 4; i++) {
            DB.query("find").set("id", i % 2 == 0 ? id : null).optional(row -> row.uuid("id"));
        }

        assertThat(DB.query("prepared").<Long>one(row -> row.longValue("n"))).isEqualTo(1);
    }

    @Test
    void time_is_the_servers_unless_it_is_given() {
        var given = Instant.parse("2001-01-01T00:00:00Z");
        DB.query("time")
                .set("now", given)
                .one(row -> assertThat(row.instant("now")).isEqualTo(given));
        DB.query("time")
                .set("now", (Instant) null)
                .one(row -> assertThat(row.instant("now")).isEqualTo(row.instant("clock")));
    }

    private static List<Item> addAll(List<Item> items) {
        return DB.query("add_all")
                .uuids("ids", items, Item::id)
                .texts("names", items, Item::name)
                .longs("amounts", items, Item::amount)
                .list(row -> new Item(row.uuid("id"), row.text("name"), row.longOrNull("amount")));
    }

    private static void refused(String column, Runnable accessor) {
        assertThatIllegalStateException()
                .isThrownBy(accessor::run)
                .withMessageContaining("column " + column);
    }
}
