package io.flowfabric.testkit.fault;

import io.flowfabric.core.store.Store;

import org.jspecify.annotations.Nullable;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.Callable;

/** A store whose every call goes through a hook: to count, to fail, to hang. */
public final class HookedStore {
    private HookedStore() {}

    /** A call that has not been made yet. */
    public static final class Call implements Callable<Object> {
        private static final Object[] NONE = {};

        private final Object target;
        private final Method method;
        private final Object[] arguments;

        private Call(Object target, Method method, Object @Nullable [] arguments) {
            this.target = target;
            this.method = method;
            // Reflection says null where there are none.
            this.arguments = arguments == null ? NONE : arguments;
        }

        @Override
        public Object call() throws Exception {
            return invoke(target, method, arguments);
        }

        /** What the call is about: its first argument; without any, an empty list. */
        public Object argument() {
            return arguments.length == 0 ? List.of() : arguments[0];
        }

        /** How many items the call is about. */
        public int size() {
            return argument() instanceof List<?> items ? items.size() : 1;
        }
    }

    /** What happens instead of a call. */
    public interface Hook {
        /**
         * Makes the call, or does something else.
         *
         * @param name the name of the method, such as {@code claim}
         */
        Object around(String name, Call call) throws Exception;
    }

    /** A store behind a hook. */
    public static Store over(Store store, Hook hook) {
        return (Store)
                proxy(
                        Store.class,
                        (self, method, arguments) -> {
                            var part = invoke(store, method, arguments);
                            var type = method.getReturnType();
                            return type.isInterface() ? hooked(type, part, hook) : part;
                        });
    }

    private static Object hooked(Class<?> type, Object part, Hook hook) {
        return proxy(
                type,
                (self, method, arguments) ->
                        hook.around(method.getName(), new Call(part, method, arguments)));
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(
                HookedStore.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    @SuppressWarnings("NullAway") // reflection says null where there is nothing
    private static Object invoke(Object target, Method method, Object[] arguments)
            throws Exception {
        try {
            method.setAccessible(true);
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
