package io.flowfabric.postgres.internal.jdbc;

import io.flowfabric.postgres.SchemaName;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Every statement of a store, read once from its SQL files.
 *
 * <p>A file holds the statements of one aggregate. Each begins with a line {@code -- name: claim};
 * what stands above the first such line is for readers. Names are unique over all files, {@code
 * ${schema}} is the schema, and {@code :now} is a parameter. {@code ${day}} is the number of the
 * table that the day's events go to: such a statement has a text for each.
 *
 * <p>What several statements say in the same words is a fragment: it begins with a line {@code --
 * fragment: clock} and is put in where a statement, or another fragment, says {@code ${>clock}}. So
 * a statement is composed of what its calls need, when the files are read.
 */
public final class Statements {
    private static final Pattern HEADING =
            Pattern.compile("^--[ \\t]*(name|fragment):[ \\t]*(.*?)[ \\t]*$", Pattern.MULTILINE);
    private static final Pattern FRAGMENT = Pattern.compile("\\$\\{>([^}]*)}");
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_.-]*");

    /** How many tables of events there are. */
    public static final int DAYS = 16;

    private static final String DAY = "${day}";

    private final SchemaName schema;
    private final Map<String, NamedStatement[]> byName;
    private final IntSupplier day;

    private Statements(SchemaName schema, Map<String, NamedStatement[]> byName, IntSupplier day) {
        this.schema = schema;
        this.byName = byName;
        this.day = day;
    }

    /** The same statements, in the text of whatever day it is. */
    public Statements on(IntSupplier today) {
        return new Statements(schema, byName, today);
    }

    /**
     * Reads files that lie beside a class.
     *
     * @param anchor the class whose resources the files are
     * @param files names relative to the class, as in {@link Class#getResourceAsStream}
     * @throws IllegalArgumentException when a file is missing or malformed
     */
    public static Statements load(Class<?> anchor, SchemaName schema, String... files) {
        var texts = new LinkedHashMap<String, String>();
        for (var file : files) {
            texts.put(file, resource(anchor, file));
        }
        return parse(schema, texts);
    }

    /** Reads statements from texts; the keys are only named in errors. */
    static Statements parse(SchemaName schema, Map<String, String> texts) {
        var statements = new LinkedHashMap<String, String>();
        var fragments = new LinkedHashMap<String, String>();
        texts.forEach((file, text) -> addAll(statements, fragments, file, schema.fill(text)));
        var byName = new LinkedHashMap<String, NamedStatement[]>();
        statements.forEach(
                (name, body) ->
                        byName.put(name, texts(name, composed(name, body, fragments, Set.of()))));
        return new Statements(schema, byName, () -> 0);
    }

    /** The text of a resource beside a class. */
    public static String resource(Class<?> anchor, String file) {
        try (var in = anchor.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalArgumentException(
                        "There is no resource %s beside %s.".formatted(file, anchor.getName()));
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("The resource " + file + " cannot be read.", e);
        }
    }

    /** The schema that the statements were filled with. */
    public SchemaName schema() {
        return schema;
    }

    /** The names of all statements. */
    public Set<String> names() {
        return Set.copyOf(byName.keySet());
    }

    NamedStatement named(String name) {
        var texts = byName.get(name);
        if (texts == null) {
            throw new IllegalArgumentException(
                    "There is no statement named %s; there are %s."
                            .formatted(name, byName.keySet()));
        }
        return texts.length == 1 ? texts[0] : texts[day.getAsInt()];
    }

    List<NamedStatement> all() {
        return byName.keySet().stream().map(this::named).toList();
    }

    private static void addAll(
            Map<String, String> statements,
            Map<String, String> fragments,
            String file,
            String text) {
        var unix = text.replace("\r\n", "\n");
        var headings = HEADING.matcher(unix);
        boolean more = headings.find();
        while (more) {
            var kind = headings.group(1).equals("name") ? "statement" : "fragment";
            var name = headings.group(2);
            int begin = headings.end();
            more = headings.find();
            var body = unix.substring(begin, more ? headings.start() : unix.length());
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        "%s: \"%s\" is no name for a %s.".formatted(file, name, kind));
            }
            if (body.isBlank()) {
                throw new IllegalArgumentException(
                        "%s: the %s %s is empty.".formatted(file, kind, name));
            }
            var others = kind.equals("statement") ? statements : fragments;
            if (others.put(name, body.strip()) != null) {
                throw new IllegalArgumentException(
                        "%s: there is already a %s named %s.".formatted(file, kind, name));
            }
        }
    }

    /** A text with its fragments put in; {@code around} are those that this one is part of. */
    private static String composed(
            String statement, String text, Map<String, String> fragments, Set<String> around) {
        return FRAGMENT.matcher(text)
                .replaceAll(
                        found -> {
                            var name = found.group(1);
                            var fragment = fragments.get(name);
                            if (fragment == null || around.contains(name)) {
                                throw new IllegalArgumentException(
                                        "The statement %s: the fragment %s %s."
                                                .formatted(
                                                        statement,
                                                        name,
                                                        fragment == null
                                                                ? "is not there"
                                                                : "is a part of itself"));
                            }
                            var inside = new HashSet<>(around);
                            inside.add(name);
                            return Matcher.quoteReplacement(
                                    composed(statement, fragment, fragments, inside));
                        });
    }

    private static NamedStatement[] texts(String name, String body) {
        return IntStream.range(0, body.contains(DAY) ? DAYS : 1)
                .mapToObj(day -> NamedStatement.parse(name, body.replace(DAY, "" + day)))
                .toArray(NamedStatement[]::new);
    }
}
