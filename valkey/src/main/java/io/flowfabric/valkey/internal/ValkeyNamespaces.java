package io.flowfabric.valkey.internal;

import static java.util.stream.Collectors.groupingBy;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;
import io.flowfabric.core.Partition;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.codec.SettingsCodec;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.operate.NamespaceSettings;
import io.flowfabric.core.operate.NamespaceView;
import io.flowfabric.core.operate.Namespaces;
import io.flowfabric.valkey.internal.GuardedWrites.Draft;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How namespaces are kept: each where everything of it lies, and their names in the partition of
 * the default one.
 */
public final class ValkeyNamespaces implements Namespaces {
    private final ValkeyContext valkey;
    private final GuardedWrites writes;

    public ValkeyNamespaces(ValkeyContext valkey, GuardedWrites writes) {
        this.valkey = valkey;
        this.writes = writes;
    }

    @Override
    public NamespaceView configure(
            Namespace namespace, NamespaceSettings settings, Attribution by) {
        by.mustBeOperator();
        return writes.decide(
                valkey.inUse(namespace).main(),
                "namespace " + namespace,
                draft -> configure(draft, namespace, settings, by));
    }

    private static NamespaceView configure(
            Draft draft, Namespace namespace, NamespaceSettings settings, Attribution by) {
        var stored = draft.read("namespace", namespace.name());
        var before = stored.map(ValkeyNamespaces::written).orElse(JsonObject.EMPTY);
        boolean changes = !SettingsCodec.namespace(before).equals(settings);
        if (changes) {
            draft.tell(new Event.NamespaceChange(namespace, settings, by, draft.now()));
        }
        if (changes || stored.isEmpty()) {
            draft.set("namespace", namespace.name(), packed(settings, before));
        }
        return new NamespaceView(namespace, settings);
    }

    /** The retention, for functions, and everything as it is written. */
    private static byte[] packed(NamespaceSettings settings, JsonObject before) {
        return new Packer()
                .list(2)
                .duration(settings.retention())
                .text(SettingsCodec.write(settings, before).toString())
                .done();
    }

    private static JsonObject written(byte[] packed) {
        return Json.parseObject(Item.read(packed).at(1).text());
    }

    @Override
    public NamespaceView describe(Namespace namespace) {
        var stored =
                NameListing.values(
                        valkey, valkey.home(namespace), "namespace", List.of(namespace.name()));
        return view(namespace, stored.getFirst());
    }

    private static NamespaceView view(Namespace namespace, Optional<byte[]> stored) {
        return new NamespaceView(
                namespace,
                stored.map(packed -> SettingsCodec.namespace(written(packed)))
                        .orElse(NamespaceSettings.DEFAULT));
    }

    @Override
    public Page<NamespaceView> list(Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var start = ListingPages.nameAfter(after);
        var views = new ArrayList<NamespaceView>();
        while (views.size() <= max) {
            int wanted = max + 1 - views.size();
            var names = NameListing.namespaces(valkey, start, wanted);
            views.addAll(views(names));
            if (names.size() < wanted) {
                break;
            }
            start = names.getLast().name();
        }
        return ListingPages.byName(views, max, view -> view.namespace().name());
    }

    /** Those of these namespaces that have settings or lanes. Others were only asked about. */
    private List<NamespaceView> views(List<Namespace> namespaces) {
        var found = new HashMap<Namespace, NamespaceView>();
        namespaces.stream()
                .collect(groupingBy(valkey::home))
                .forEach((home, some) -> found.putAll(views(home, some)));
        return namespaces.stream().filter(found::containsKey).map(found::get).toList();
    }

    private Map<Namespace, NamespaceView> views(Partition home, List<Namespace> namespaces) {
        var names = namespaces.stream().map(Namespace::name).toList();
        var stored = NameListing.values(valkey, home, "namespace", names);
        var lanes =
                valkey.read("range", home, out -> out.list(namespaces, ValkeyNamespaces::firstLane))
                        .answer();
        var views = new HashMap<Namespace, NamespaceView>();
        for (int i = 0; i < namespaces.size(); i++) {
            if (stored.get(i).isPresent()
                    || !lanes.at(i).list().isEmpty()
                    || hasLaneElsewhere(namespaces.get(i))) {
                views.put(namespaces.get(i), view(namespaces.get(i), stored.get(i)));
            }
        }
        return views;
    }

    private boolean hasLaneElsewhere(Namespace namespace) {
        var spread = valkey.spread(namespace);
        return spread.all().stream()
                .skip(1)
                .anyMatch(
                        part ->
                                !valkey.read(
                                                "range",
                                                part,
                                                out -> firstLane(out.list(1), namespace))
                                        .answer()
                                        .at(0)
                                        .list()
                                        .isEmpty());
    }

    private static void firstLane(Packer out, Namespace namespace) {
        out.list(4).text("listing").text("l" + NameListing.whole(namespace, "")).absent().number(1);
    }
}
