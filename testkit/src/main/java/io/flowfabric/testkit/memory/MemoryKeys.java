package io.flowfabric.testkit.memory;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Tags;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.operate.KeyView;
import io.flowfabric.core.operate.Keys;
import io.flowfabric.core.signing.KeyRing;
import io.flowfabric.core.signing.SigningKey;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** The keys that sign grants. */
final class MemoryKeys implements Keys {
    private final MemoryState world;

    /** The newest first: it is the one that signs. */
    private final Deque<Kept> keys = new ArrayDeque<>();

    record Kept(SigningKey key, KeyView view) {
        boolean believed(Instant now) {
            return view.retires().map(now::isBefore).orElse(true);
        }

        Kept retiring(Instant at) {
            return new Kept(key, new KeyView(view.id(), view.made(), Optional.of(at), view.by()));
        }
    }

    MemoryKeys(MemoryState world) {
        this.world = world;
    }

    @Override
    public KeyView first() {
        return world.call(
                () ->
                        keys.isEmpty()
                                ? add(SigningKey.mintId(), Attribution.engine("the first key"))
                                : keys.getFirst().view);
    }

    @Override
    public KeyView rotate(Rotation rotation, Attribution by) {
        by.mustBeOperator();
        return world.call(
                () ->
                        keys.stream()
                                .map(Kept::view)
                                .filter(view -> view.id().equals(rotation.id()))
                                .findFirst()
                                .orElseGet(() -> rotated(rotation, by)));
    }

    private KeyView rotated(Rotation rotation, Attribution by) {
        keys.removeIf(kept -> !kept.believed(world.now()));
        if (!keys.isEmpty()) {
            keys.addFirst(keys.removeFirst().retiring(world.now().plus(rotation.grace())));
        }
        world.log.append(
                new Event.KeyRotation(rotation.id(), rotation.grace(), by, world.now()), Tags.NONE);
        return add(rotation.id(), by);
    }

    private KeyView add(String id, Attribution by) {
        var view = new KeyView(id, world.now(), Optional.empty(), by);
        keys.addFirst(new Kept(SigningKey.mint(id), view));
        return view;
    }

    @Override
    public List<KeyView> list() {
        return world.call(() -> keys.stream().map(Kept::view).toList());
    }

    KeyRing ring() {
        return new KeyRing(
                keys.stream().map(kept -> new KeyRing.Kept(kept.key, kept.view.retires())).toList(),
                world.now());
    }
}
