package io.flowfabric.postgres.internal.provider;

import io.flowfabric.core.store.Store;
import io.flowfabric.core.store.StoreProvider;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.PostgresStore;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** Opens the store on Postgres for whoever has its URL. */
public final class PostgresProvider implements StoreProvider {
    @Override
    public List<String> schemes() {
        return List.of("jdbc:postgresql:", "postgres:", "postgresql:");
    }

    @Override
    public Store open(String url, @Nullable String user, @Nullable String password) {
        var address = PostgresUrl.parse(url);
        return PostgresStore.open(
                DatabaseOptions.of(address.jdbc())
                        .withLogin(
                                user == null ? address.user().orElse(null) : user,
                                password == null ? address.password().orElse(null) : password));
    }
}
