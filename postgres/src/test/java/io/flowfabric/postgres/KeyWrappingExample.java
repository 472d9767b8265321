package io.flowfabric.postgres;

import io.flowfabric.core.signing.AesKeyWrapping;

import java.util.HexFormat;

import javax.crypto.spec.SecretKeySpec;

/** Code that docs/grants.md shows; {@link KeyWrappingTest} compares, and runs it. */
final class KeyWrappingExample {
    private KeyWrappingExample() {}

    // [PAGE
    /** A store with wrapped signing keys; the master key is what `openssl rand -hex 32` prints. */
    static PostgresStore open(DatabaseOptions options, SchemaName schema, String master) {
        var key = new SecretKeySpec(HexFormat.of().parseHex(master), "AES");
        return PostgresStore.open(options, schema, AesKeyWrapping.of(key));
    }

    // PAGE]
}
