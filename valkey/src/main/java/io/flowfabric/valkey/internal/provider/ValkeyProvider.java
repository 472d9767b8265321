package io.flowfabric.valkey.internal.provider;

import io.flowfabric.core.store.Store;
import io.flowfabric.core.store.StoreProvider;
import io.flowfabric.valkey.ValkeyOptions;
import io.flowfabric.valkey.ValkeyStore;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** Opens the store on Valkey or Redis for whoever has its URL. */
public final class ValkeyProvider implements StoreProvider {
    @Override
    public List<String> schemes() {
        return List.of("redis:", "rediss:", "valkey:", "valkeys:");
    }

    @Override
    public Store open(String url, @Nullable String user, @Nullable String password) {
        return ValkeyStore.open(ValkeyOptions.of(url).withUser(user).withPassword(password));
    }
}
