package io.flowfabric.core.signing;

import java.time.Instant;

/** Something that a store has sealed and handed out, and that is shown to it again later. */
public sealed interface SealedToken permits GrantToken, WaitpointToken {
    /** The name of the key that sealed it. */
    String key();

    /** When it is worth nothing any more. */
    Instant until();

    /** What it is, in one word. */
    String what();

    /**
     * Checks the seal.
     *
     * @param signer the key that the token names
     * @throws io.flowfabric.core.Denied when another key made it, or what it says was changed
     */
    void verify(SigningKey signer);
}
