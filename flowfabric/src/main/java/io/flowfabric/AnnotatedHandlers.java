package io.flowfabric;

import org.jspecify.annotations.Nullable;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** Finds the handlers among the methods of an object. */
final class AnnotatedHandlers {
    private AnnotatedHandlers() {}

    /** One annotated method. */
    record AnnotatedHandler(
            String kind, Object target, Method method, boolean takesTask, Class<Object> inputType)
            implements TaskHandler<Object, Object> {
        @Override
        public @Nullable Object handle(DurableTask task, Object input) throws Exception {
            var arguments = new ArrayList<@Nullable Object>();
            if (takesTask) {
                arguments.add(task);
            }
            if (arguments.size() < method.getParameterCount()) {
                arguments.add(input);
            }
            try {
                return method.invoke(target, arguments.toArray());
            } catch (InvocationTargetException thrown) {
                switch (thrown.getCause()) {
                    case Exception exception -> throw exception;
                    case Error error -> throw error;
                    case null, default -> throw thrown;
                }
            }
        }
    }

    static List<AnnotatedHandler> of(Object target) {
        var found = new ArrayList<AnnotatedHandler>();
        for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
            for (var method : type.getDeclaredMethods()) {
                var handles = method.getAnnotation(Handles.class);
                if (handles != null && !method.isBridge()) {
                    found.add(handler(handles.value(), target, method));
                }
            }
        }
        if (found.isEmpty()) {
            throw new IllegalArgumentException(
                    "%s has no method with @Handles.".formatted(target.getClass().getName()));
        }
        return found;
    }

    @SuppressWarnings("unchecked")
    private static AnnotatedHandler handler(String kind, Object target, Method method) {
        var types = method.getParameterTypes();
        boolean takesTask =
                types.length > 0
                        && types[0].isAssignableFrom(DurableTask.class)
                        && types[0] != Object.class;
        int inputs = types.length - (takesTask ? 1 : 0);
        if (inputs > 1) {
            throw new IllegalArgumentException(
                    "%s is no handler: it takes a DurableTask, the input, or both in this order."
                            .formatted(method));
        }
        method.setAccessible(true);
        var inputType = inputs == 0 ? Object.class : types[types.length - 1];
        return new AnnotatedHandler(kind, target, method, takesTask, (Class<Object>) inputType);
    }
}
