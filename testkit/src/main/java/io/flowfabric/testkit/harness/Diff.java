package io.flowfabric.testkit.harness;

import io.flowfabric.core.Payload;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Finds where two values differ, so that only that much has to be read. */
final class Diff {
    private static final int MOST_LINES = 12;

    private final List<String> lines = new ArrayList<>();

    private Diff() {}

    /** One line for each place in which they differ; none when they are equal. */
    static List<String> between(Object expected, Object actual) {
        var contrast = new Diff();
        contrast.walk("", expected, actual);
        return contrast.lines;
    }

    /** What is not as usual about a record, component by component, each after a comma. */
    static String unusual(Record usual, Record record) {
        var words = new StringBuilder();
        for (RecordComponent component : usual.getClass().getRecordComponents()) {
            var value = value(component, record);
            if (!value.equals(value(component, usual))) {
                words.append(", ").append(component.getName()).append(' ').append(shown(value));
            }
        }
        return words.toString();
    }

    private void walk(String path, Object expected, Object actual) {
        if (expected.equals(actual) || lines.size() >= MOST_LINES) {
            return;
        }
        switch (expected) {
            case List<?> list
                    when actual instanceof List<?> other && list.size() == other.size() -> {
                for (int i = 0; i < list.size(); i++) {
                    walk(path + "[" + i + "]", list.get(i), other.get(i));
                }
            }
            case Map<?, ?> map when actual instanceof Map<?, ?> other -> walkMaps(path, map, other);
            case Optional<?> some
                    when actual instanceof Optional<?> other
                            && some.isPresent()
                            && other.isPresent() ->
                    walk(path, some.get(), other.get());
            case Record record when record.getClass() == actual.getClass() ->
                    walkRecords(path, record, (Record) actual);
            default ->
                    lines.add(
                            "%s: expected %s, but it is %s"
                                    .formatted(
                                            path.isEmpty() ? "it" : path,
                                            shown(expected),
                                            shown(actual)));
        }
    }

    private void walkMaps(String path, Map<?, ?> expected, Map<?, ?> actual) {
        Set<Object> keys = new LinkedHashSet<>(expected.keySet());
        keys.addAll(actual.keySet());
        for (Object key : keys) {
            Optional<?> before = Optional.ofNullable(expected.get(key));
            Optional<?> after = Optional.ofNullable(actual.get(key));
            walk(path + "{" + key + "}", before, after);
        }
    }

    private void walkRecords(String path, Record expected, Record actual) {
        for (RecordComponent component : expected.getClass().getRecordComponents()) {
            walk(
                    path + "." + component.getName(),
                    value(component, expected),
                    value(component, actual));
        }
    }

    private static Object value(RecordComponent component, Record record) {
        try {
            var accessor = component.getAccessor();
            accessor.setAccessible(true);
            return accessor.invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the components of a record can be read", e);
        }
    }

    private static String shown(Object value) {
        return switch (value) {
            case Payload payload -> "'%s' (%s)".formatted(payload.asText(), payload);
            case Optional<?> some -> some.map(Diff::shown).orElse("nothing");
            default -> value.toString();
        };
    }
}
