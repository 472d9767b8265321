package io.flowfabric.core.store;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Opens stores of one kind. {@link Stores} finds all that are on the class path or the module path
 * with {@link java.util.ServiceLoader}, so that a program names its store in its configuration
 * alone.
 */
public interface StoreProvider {
    /** What the URLs that it opens begin with, as in {@code redis:}. */
    List<String> schemes();

    /**
     * Opens a store, with the defaults of its kind for everything that is not said here.
     *
     * @param url begins with one of its schemes
     * @param user null when the URL or the environment says it
     * @param password null when the URL or the environment says it
     */
    Store open(String url, @Nullable String user, @Nullable String password);
}
