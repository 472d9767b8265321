package io.flowfabric.postgres.internal.jdbc;

import io.flowfabric.postgres.TestPostgres;

import java.sql.SQLException;
import java.util.UUID;

/** A schema with one table and the statements on it, for one test class. */
final class Things {
    private static final String SCHEMA =
            """
            create schema ${schema};
            create table ${schema}.thing (
                id uuid primary key,
                name text not null constraint thing_name_once unique,
                amount bigint constraint thing_amount_positive check (amount >= 0),
                small smallint,
                flag boolean,
                weight double precision,
                content bytea,
                at timestamptz,
                part_of uuid constraint thing_part_of references ${schema}.thing
            );
            create sequence ${schema}.tries;
            create function ${schema}.fail(state text) returns void language plpgsql as $$
            begin
                perform nextval('${schema}.tries');
                raise exception 'as told' using errcode = state;
            end $$;
            create function ${schema}.fail_until(state text, tries bigint) returns bigint
            language plpgsql as $$
            begin
                if nextval('${schema}.tries') < tries then
                    raise exception 'as told' using errcode = state;
                end if;
                return tries;
            end $$;
            """;

    private Things() {}

    /** Makes a fresh schema and reads the statements on it. */
    static Statements create() {
        var schema = TestPostgres.freshSchema();
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement()) {
            statement.execute(schema.fill(SCHEMA));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return Statements.load(Things.class, schema, "things.sql", "types.sql");
    }

    /** Adds one with a name of its own. */
    static UUID add(Jdbc jdbc, long amount) {
        var id = UUID.randomUUID();
        jdbc.query("add").set("id", id).set("name", id.toString()).set("amount", amount).update();
        return id;
    }

    static long amount(Jdbc jdbc, UUID id) {
        return jdbc.query("find").set("id", id).one(row -> row.longValue("amount"));
    }
}
