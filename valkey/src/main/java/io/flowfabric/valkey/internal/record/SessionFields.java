package io.flowfabric.valkey.internal.record;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Instant;
import java.util.Optional;
import java.util.TreeSet;

/**
 * A session as it is stored. The places of its fields are those of {@code constants.lua}, less one.
 */
public record SessionFields(SessionId id, Item fields) {
    /** All that a session was opened with, but its id. */
    public static byte[] describe(Session session) {
        return new Packer()
                .list(7)
                .text(session.namespace().name())
                .text(session.worker())
                .text(session.instance())
                .texts(session.lanes())
                .texts(session.kinds())
                .texts(session.offers().words())
                .duration(session.ttl())
                .done();
    }

    public static SessionFields read(SessionId id, byte[] packed) {
        return new SessionFields(id, Item.read(packed));
    }

    public Session session() {
        var told = Item.read(fields.at(10).bytes());
        return new Session(
                id,
                new Namespace(told.at(0).text()),
                told.at(1).text(),
                told.at(2).text(),
                new TreeSet<>(told.at(3).list(Item::text)),
                new TreeSet<>(told.at(4).list(Item::text)),
                Capabilities.of(new TreeSet<>(told.at(5).list(Item::text))),
                told.at(6).duration());
    }

    public Owner owner() {
        return new Owner(id, fields.at(8).text(), fields.at(9).text());
    }

    public Instant aliveUntil() {
        return fields.at(3).moment();
    }

    public Instant opened() {
        return fields.at(7).moment();
    }

    public Optional<Instant> died() {
        return fields.at(5).optional(Item::moment);
    }

    /** When it was last heard of. */
    public Instant renewed() {
        return aliveUntil().minus(fields.at(2).duration());
    }

    public boolean isAlive(Instant now) {
        return died().isEmpty() && aliveUntil().isAfter(now);
    }

    /** Until when it lives, or lived. */
    public Instant end() {
        return died().filter(aliveUntil()::isAfter).orElse(aliveUntil());
    }

    /** Which entries of the log are about it: how often some were moved, and the last of them. */
    public byte[] steps() {
        return fields.at(11).bytes();
    }
}
