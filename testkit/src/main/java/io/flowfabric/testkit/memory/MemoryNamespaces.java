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

import java.util.stream.Stream;

/** How namespaces are kept. */
final class MemoryNamespaces implements Namespaces {
    private final MemoryState world;

    MemoryNamespaces(MemoryState world) {
        this.world = world;
    }

    @Override
    public NamespaceView configure(
            Namespace namespace, NamespaceSettings settings, Attribution by) {
        by.mustBeOperator();
        return world.call(
                () -> {
                    if (!world.namespace(namespace).equals(settings)) {
                        world.log.append(
                                new Event.NamespaceChange(namespace, settings, by, world.now()),
                                Tags.NONE);
                    }
                    world.namespaces.put(namespace, settings);
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
                                            world.namespaces.keySet().stream(),
                                            world.lanes.keySet().stream().map(Lane::namespace))
                                    .distinct()
                                    .filter(namespace -> namespace.name().compareTo(start) > 0)
                                    .sorted()
                                    .map(this::view)
                                    .toList();
                    return ListingPages.byName(known, max, view -> view.namespace().name());
                });
    }

    private NamespaceView view(Namespace namespace) {
        return new NamespaceView(namespace, world.namespace(namespace));
    }
}
