package io.flowfabric.valkey.internal;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.operate.KeyView;
import io.flowfabric.core.operate.Keys;
import io.flowfabric.core.signing.KeptSecret;
import io.flowfabric.core.signing.KeyRing;
import io.flowfabric.core.signing.KeyWrapping;
import io.flowfabric.core.signing.SigningKey;
import io.flowfabric.valkey.internal.GuardedWrites.Draft;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The keys that sign grants. They are read anew whenever something is signed or believed: a process
 * that remembered them would go on believing what was withdrawn.
 */
public final class ValkeyKeys implements Keys {
    private static final Partition HOME = Partition.of(Namespace.DEFAULT);
    private static final String HASH = "global";
    private static final String FIELD = "keys";

    private final ValkeyContext valkey;
    private final GuardedWrites writes;
    private final Optional<KeyWrapping> wrapping;

    /**
     * @param wrapping what protects the secrets, if anything does
     */
    public ValkeyKeys(ValkeyContext valkey, Optional<KeyWrapping> wrapping) {
        this.valkey = valkey;
        this.wrapping = wrapping;
        this.writes = new GuardedWrites(valkey);
    }

    /** A key that is kept; the newest is the first, and signs. */
    private record Kept(KeptSecret secret, KeyView view) {

        static Kept read(Item fields) {
            var id = fields.at(0).text();
            return new Kept(
                    new KeptSecret(
                            fields.at(1).bytes(), fields.at(6).optional(Item::text).orElse(null)),
                    new KeyView(
                            id,
                            fields.at(2).moment(),
                            fields.at(3).optional(Item::moment),
                            new Attribution(fields.at(4).text(), fields.at(5).text())));
        }

        static void write(Packer out, Kept kept) {
            out.list(7)
                    .text(kept.view.id())
                    .bytes(kept.secret.bytes())
                    .moment(kept.view.made())
                    .optional(kept.view.retires(), Packer::moment)
                    .text(kept.view.by().actor())
                    .text(kept.view.by().reason())
                    .optional(Optional.ofNullable(kept.secret.by()), Packer::text);
        }

        boolean isBelieved(Instant now) {
            return view.retires().map(now::isBefore).orElse(true);
        }

        Kept retiring(Instant at) {
            return new Kept(
                    secret, new KeyView(view.id(), view.made(), Optional.of(at), view.by()));
        }
    }

    private Kept mint(String id, Attribution by, Instant now) {
        return new Kept(
                KeptSecret.of(SigningKey.mint(id), wrapping),
                new KeyView(id, now, Optional.empty(), by));
    }

    private static List<Kept> read(Optional<byte[]> stored) {
        return stored.map(packed -> Item.read(packed).list(Kept::read)).orElse(List.of());
    }

    /** The keys of this moment. */
    KeyRing ring() {
        var told =
                valkey.read(
                        "read", HOME, out -> out.list(1).list(2).text(HASH).list(1).text(FIELD));
        var kept = read(told.answer().at(0).at(0).optional(Item::bytes));
        return new KeyRing(
                kept.stream().flatMap(one -> opened(one, told.now()).stream()).toList(),
                told.now());
    }

    /** A key; nothing, when it is not believed any more and what has wrapped it is gone. */
    private Optional<KeyRing.Kept> opened(Kept kept, Instant now) {
        try {
            var key = kept.secret.open(kept.view.id(), wrapping);
            return Optional.of(new KeyRing.Kept(key, kept.view.retires()));
        } catch (RuntimeException wrapped) {
            if (kept.isBelieved(now)) {
                throw wrapped;
            }
            return Optional.empty();
        }
    }

    @Override
    public KeyView first() {
        return writes.decide(
                HOME,
                "the first key",
                draft -> {
                    var before = read(draft.read(HASH, FIELD));
                    if (!before.isEmpty()) {
                        return before.getFirst().view;
                    }
                    var by = Attribution.engine("the first key");
                    return add(draft, mint(SigningKey.mintId(), by, draft.now()), before);
                });
    }

    @Override
    public KeyView rotate(Rotation rotation, Attribution by) {
        by.mustBeOperator();
        return writes.decide(
                HOME,
                "the keys",
                draft -> {
                    var before = read(draft.read(HASH, FIELD));
                    return before.stream()
                            .map(Kept::view)
                            .filter(view -> view.id().equals(rotation.id()))
                            .findFirst()
                            .orElseGet(() -> rotated(draft, rotation, by, before));
                });
    }

    private KeyView rotated(Draft draft, Rotation rotation, Attribution by, List<Kept> before) {
        var now = draft.now();
        var kept = new ArrayList<>(before);
        kept.removeIf(key -> !key.isBelieved(now));
        if (!kept.isEmpty()) {
            kept.set(0, kept.getFirst().retiring(now.plus(rotation.grace())));
        }
        draft.tell(new Event.KeyRotation(rotation.id(), rotation.grace(), by, now));
        return add(draft, mint(rotation.id(), by, now), kept);
    }

    private static KeyView add(Draft draft, Kept key, List<Kept> others) {
        var all = new ArrayList<>(others);
        all.addFirst(key);
        draft.set(HASH, FIELD, new Packer().list(all, Kept::write).done());
        return key.view;
    }

    @Override
    public List<KeyView> list() {
        var told =
                valkey.read(
                        "read", HOME, out -> out.list(1).list(2).text(HASH).list(1).text(FIELD));
        return read(told.answer().at(0).at(0).optional(Item::bytes)).stream()
                .map(Kept::view)
                .toList();
    }
}
