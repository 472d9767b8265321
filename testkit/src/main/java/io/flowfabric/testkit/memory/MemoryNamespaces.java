package io.flowfabric.testkit.memory;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;
import io.flowfabric.core.Tags;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.operate.NamespaceSettings;
import io.flowfabric.core.operate.NamespaceView;
import io.flowfabric.core.operate.Namespaces;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** How namespaces are kept. */
final class MemoryNamespaces implements Namespaces {
    private final MemoryState world;

    /** What namespaces have been told to do otherwise than by default. */
    private final Map<Namespace, NamespaceSettings> configured = new TreeMap<>();

    MemoryNamespaces(MemoryState world) {
        this.world = world;
    }

    @Override
    public NamespaceView configure(
            Namespace namespace, NamespaceSettings settings, Attribution by) {
        by.mustBeOperator();
        return world.call(
                () -> {
                    if (!settings(namespace).equals(settings)) {
                        world.log.append(
                                new Event.NamespaceChange(namespace, settings, by, world.now()),
                                Tags.NONE);
                    }
                    configured.put(namespace, settings);
                    return view(namespace);
                });
    }

    @Override
    public NamespaceView describe(Namespace namespace) {
        return world.call(() -> view(namespace));
    }

    @Override
    public Page<NamespaceView> list(Cursor after, int max) {
        return world.call(
                () -> {
                    var start = ListingPages.nameAfter(after);
                    var known =
                            Stream.concat(
                                            configured.keySet().stream(),
                                            world.lanes.all().map(Lane::namespace))
                                    .distinct()
                                    .filter(namespace -> namespace.name().compareTo(start) > 0)
                                    .sorted()
                                    .map(this::view)
                                    .toList();
                    return ListingPages.byName(known, max, view -> view.namespace().name());
                });
    }

    /** How a namespace is to be kept; the caller has begun a commit. */
    NamespaceSettings settings(Namespace namespace) {
        return configured.getOrDefault(namespace, NamespaceSettings.DEFAULT);
    }

    private NamespaceView view(Namespace namespace) {
        return new NamespaceView(namespace, settings(namespace));
    }
}
