package io.flowfabric.core.signing;

import io.flowfabric.core.Unavailable;

/**
 * What protects the secrets of signing keys in a store, so that a reader of what it keeps, or of a
 * copy, cannot sign.
 *
 * <p>The master key stays outside: in the environment, in a file, or in a service that does the
 * wrapping itself, for which this is implemented. All processes of a store have the same.
 */
public interface KeyWrapping {
    /** The name of the master key that wraps now; it is kept beside what it has wrapped. */
    String name();

    /**
     * Wraps a secret.
     *
     * @param key the name of the signing key, to which the result is bound
     */
    byte[] wrap(String key, byte[] secret);

    /**
     * Undoes {@link #wrap}.
     *
     * @param name of the master key that has wrapped it, perhaps one before that of now
     * @throws Unavailable when there is no such master key here, or it has not wrapped this
     */
    byte[] unwrap(String name, String key, byte[] wrapped);
}
