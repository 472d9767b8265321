package io.flowfabric.core.store;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Unavailable;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Opens the store that a URL names, as JDBC finds its driver. A program that wants more than the
 * defaults opens the store of its choice itself, with the options of that store.
 */
public final class Stores {
    /** Which artifact opens what, for those who do not have it yet. */
    private static final Map<String, List<String>> OURS =
            new TreeMap<>(
                    Map.of(
                            "io.flowfabric:flowfabric-postgres",
                            List.of("jdbc:postgresql:", "postgres:", "postgresql:"),
                            "io.flowfabric:flowfabric-valkey",
                            List.of("redis:", "rediss:", "valkey:", "valkeys:")));

    private Stores() {}

    /**
     * Opens a store with the login that its URL or the environment says.
     *
     * @throws Invalid when no kind of store has such URLs
     * @throws Unavailable when the dependency for it is missing, or the server does not serve
     */
    public static Store open(String url) {
        return open(url, null, null);
    }

    /**
     * Opens a store.
     *
     * @param user null when the URL or the environment says it
     * @param password null when the URL or the environment says it
     * @throws Invalid when no kind of store has such URLs
     * @throws Unavailable when the dependency for it is missing, or the server does not serve
     */
    public static Store open(String url, @Nullable String user, @Nullable String password) {
        var providers = providers();
        for (var provider : providers) {
            if (schemeOf(url, provider.schemes()).isPresent()) {
                return provider.open(url, user, password);
            }
        }
        throw unknown(url, providers);
    }

    /**
     * Those that the thread can see, and then those beside this class: a thread of a pool may have
     * been made by somebody who cannot see as much.
     */
    private static List<StoreProvider> providers() {
        var found = new ArrayList<StoreProvider>();
        ServiceLoader.load(StoreProvider.class).forEach(found::add);
        ServiceLoader.load(StoreProvider.class, Stores.class.getClassLoader()).forEach(found::add);
        return found;
    }

    private static Optional<String> schemeOf(String url, List<String> schemes) {
        return schemes.stream().filter(url::startsWith).findFirst();
    }

    /** The URL itself may hold a password, so only its beginning is told. */
    private static RuntimeException unknown(String url, List<StoreProvider> providers) {
        for (var artifact : OURS.entrySet()) {
            var scheme = schemeOf(url, artifact.getValue());
            if (scheme.isPresent()) {
                return new Unavailable(
                        "Nothing on the class path opens %s URLs: add the dependency %s."
                                .formatted(scheme.get(), artifact.getKey()));
            }
        }
        var here =
                providers.stream()
                        .flatMap(provider -> provider.schemes().stream())
                        .distinct()
                        .sorted()
                        .collect(Collectors.joining(", "));
        var all =
                OURS.entrySet().stream()
                        .map(
                                one ->
                                        "%s by %s"
                                                .formatted(
                                                        String.join(", ", one.getValue()),
                                                        one.getKey()))
                        .collect(Collectors.joining("; "));
        return new Invalid(
                Invalid.Code.MALFORMED_URL,
                "url",
                "no store has URLs that begin with '%s'. On the class path: %s. What there is: %s."
                        .formatted(beginning(url), here.isEmpty() ? "none" : here, all));
    }

    private static String beginning(String url) {
        int colon = url.indexOf(':');
        return colon < 0 ? "" : url.substring(0, colon + 1);
    }
}
