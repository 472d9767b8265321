package io.flowfabric.core.signing;

import io.flowfabric.core.Denied;
import io.flowfabric.core.Unavailable;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The keys of a store at one moment: which of them signs, and whose seals are believed.
 *
 * @param now the moment, by the store's clock
 */
public record KeyRing(List<Kept> keys, Instant now) {
    /**
     * A key.
     *
     * @param retires until when its seals are believed; the one that signs has no such time
     */
    public record Kept(SigningKey key, Optional<Instant> retires) {}

    /**
     * The key that signs.
     *
     * @throws Unavailable when there is none
     */
    public SigningKey current() {
        return keys.stream()
                .filter(kept -> kept.retires.isEmpty())
                .findFirst()
                .orElseThrow(
                        () ->
                                new Unavailable(
                                        "There is no key to sign with; start an engine, or"
                                                + " rotate."))
                .key;
    }

    /**
     * Checks a token without looking at the execution that it is for.
     *
     * @throws Denied when its seal is not genuine, its key no longer believed, or its time over
     */
    public void check(SealedToken token) {
        var signer = signer(token);
        if (signer.retires.filter(at -> !now.isBefore(at)).isPresent()) {
            throw unknown(token);
        }
        token.verify(signer.key);
        if (!token.until().isAfter(now)) {
            throw new Denied(
                    Denied.Code.TOKEN_EXPIRED,
                    "The %s was good until %s: ask for another one."
                            .formatted(token.what(), token.until()));
        }
    }

    /** Checks only that a key that is still kept has sealed a token, believed or not. */
    public void checkSeal(SealedToken token) {
        token.verify(signer(token).key);
    }

    private Kept signer(SealedToken token) {
        return keys.stream()
                .filter(kept -> kept.key.id().equals(token.key()))
                .findFirst()
                .orElseThrow(() -> unknown(token));
    }

    private static Denied unknown(SealedToken token) {
        return new Denied(
                Denied.Code.UNKNOWN_KEY,
                "The key %s is not known, or not believed any more: ask for another %s."
                        .formatted(token.key(), token.what()));
    }
}
