package io.flowfabric.postgres.internal.migration;

import io.flowfabric.postgres.internal.jdbc.Statements;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All migrations that this version of the code knows, without gaps, in order. */
public final class Migrations {
    private final List<Migration> all;

    private Migrations(List<Migration> all) {
        this.all = all;
    }

    /**
     * Reads the files {@code NNN_name.sql} that lie beside a class.
     *
     * <p>They are listed by name and not searched for, because a class path cannot be searched in
     * every jar and image; a file that is not listed is not applied.
     *
     * @param anchor the class whose resources the files are
     * @param files in order, numbered from 001
     * @throws IllegalArgumentException when one is missing, misnamed or out of order
     */
    public static Migrations load(Class<?> anchor, String... files) {
        var texts = new LinkedHashMap<String, String>();
        for (var file : files) {
            texts.put(file, Statements.resource(anchor, file));
        }
        return of(texts);
    }

    /** Takes file names and their texts. */
    static Migrations of(Map<String, String> texts) {
        var all = new ArrayList<Migration>();
        texts.forEach(
                (file, text) -> {
                    var migration = Migration.of(file, text);
                    if (migration.number() != all.size() + 1) {
                        throw new IllegalArgumentException(
                                "%s is at place %d: migrations are numbered from 001 without gaps."
                                        .formatted(migration, all.size() + 1));
                    }
                    all.add(migration);
                });
        return new Migrations(List.copyOf(all));
    }

    /** Those behind a number. */
    List<Migration> after(int number) {
        return all.subList(Math.min(number, all.size()), all.size());
    }

    /** Those up to a number. */
    List<Migration> first(int number) {
        return all.subList(0, number);
    }

    /** The number of the last one; 0 when there is none. */
    int last() {
        return all.size();
    }

    Migration numbered(int number) {
        return all.get(number - 1);
    }
}
