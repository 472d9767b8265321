package io.flowfabric.core.signing;

import io.flowfabric.core.Unavailable;

import org.jspecify.annotations.Nullable;

import java.util.Optional;

/**
 * The secret of a signing key as a store keeps it.
 *
 * @param bytes wrapped, or as they are
 * @param by the name of the master key that has wrapped them; null when none has
 */
@SuppressWarnings("ArrayRecordComponent") // They are read and passed on, never compared.
public record KeptSecret(byte[] bytes, @Nullable String by) {
    /** The secret of a key, wrapped if anything wraps it. */
    public static KeptSecret of(SigningKey key, Optional<KeyWrapping> wrapping) {
        return wrapping.map(w -> new KeptSecret(w.wrap(key.id(), key.secret()), w.name()))
                .orElseGet(() -> new KeptSecret(key.secret(), null));
    }

    /**
     * The key again. What was not wrapped when it was made is as it is, whatever wraps now.
     *
     * @throws Unavailable when it is wrapped, and what would unwrap it is not here
     */
    public SigningKey open(String id, Optional<KeyWrapping> wrapping) {
        if (by == null) {
            return new SigningKey(id, bytes);
        }
        var unwrapped =
                wrapping.orElseThrow(
                                () ->
                                        new Unavailable(
                                                "The key %s is wrapped by %s: open the store with"
                                                                .formatted(id, by)
                                                        + " what unwraps it."))
                        .unwrap(by, id, bytes);
        return new SigningKey(id, unwrapped);
    }
}
