package io.flowfabric.cli;

import io.flowfabric.core.store.Store;
import io.flowfabric.core.store.Stores;

/** The code that docs/choosing-a-store.md shows; {@link StoreByUrlTest} compares, and runs it. */
final class ChoosingExample {
    private ChoosingExample() {}

    // [PAGE
    static Store open(String url, String user, String password) {
        return Stores.open(url, user, password);
    }
    // PAGE]
}
