package io.flowfabric.core;

import java.lang.reflect.RecordComponent;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Looks at records component by component, so that a component that is added later is not
 * forgotten.
 */
public final class Components {
    private Components() {}

    /** The names of all components. */
    public static Set<String> of(Class<? extends Record> type) {
        return Stream.of(type.getRecordComponents())
                .map(RecordComponent::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The names of those components in which two records differ. */
    public static <R extends Record> Set<String> changed(R before, R after) {
        return Stream.of(before.getClass().getRecordComponents())
                .filter(part -> !Objects.equals(value(part, before), value(part, after)))
                .map(RecordComponent::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Object value(RecordComponent part, Record record) {
        try {
            return part.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the accessor of a public record is public", e);
        }
    }
}
