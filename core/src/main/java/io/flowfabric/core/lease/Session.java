package io.flowfabric.core.lease;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Text;
import io.flowfabric.core.policy.Capabilities;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * One life of a worker process.
 *
 * @param worker the name that outlives restarts
 * @param instance the name of this one process
 * @param lanes where it takes work from
 * @param kinds which kinds it can handle; none named means all
 * @param offers what it is able to do: words and attributes, no comparisons
 * @param ttl how long it counts as alive after each sign of life
 */
public record Session(
        SessionId id,
        Namespace namespace,
        String worker,
        String instance,
        SortedSet<String> lanes,
        SortedSet<String> kinds,
        Capabilities offers,
        Duration ttl) {

    /** Half a minute: a heartbeat every five seconds. */
    public static final Duration DEFAULT_TTL = Duration.ofSeconds(30);

    /** Of a time to live: one part between heartbeats, all but one until it gives itself up. */
    private static final int PARTS = 6;

    private static final long SHORTEST_TTL_MILLIS = 10;

    public Session {
        Text.name("worker", worker, Limit.NAME_BYTES);
        Text.name("instance", instance, Limit.NAME_BYTES);
        if (lanes.isEmpty()) {
            throw new Invalid(Invalid.Code.EMPTY, "lanes", "A session serves at least one lane.");
        }
        Limit.SESSION_LANES.checkCount("lanes", lanes.size());
        for (String lane : lanes) {
            new Lane(namespace, lane);
        }
        Limit.SESSION_KINDS.checkCount("kinds", kinds.size());
        kinds.forEach(kind -> Text.name("kind", kind, Limit.NAME_BYTES));
        long longest = Limit.SESSION_TTL_MILLIS.max();
        // Compared as durations: the milliseconds of a very long one would overflow.
        if (ttl.compareTo(Duration.ofMillis(SHORTEST_TTL_MILLIS)) < 0
                || ttl.compareTo(Duration.ofMillis(longest)) > 0) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    "session ttl",
                    "%s is outside of %d to %d ms.".formatted(ttl, SHORTEST_TTL_MILLIS, longest));
        }
        offers = offers.asOffer();
        // As plain collections: another order than the natural one does not come along.
        lanes = Collections.unmodifiableSortedSet(new TreeSet<>((Collection<String>) lanes));
        kinds = Collections.unmodifiableSortedSet(new TreeSet<>((Collection<String>) kinds));
        ttl = Duration.ofMillis(ttl.toMillis());
    }

    /**
     * A new session of a worker in lanes of the default namespace, for every kind, with no special
     * abilities.
     */
    public static Session of(String worker, String instance, String... lanes) {
        return new Session(
                SessionId.mint(),
                Namespace.DEFAULT,
                worker,
                instance,
                new TreeSet<>(List.of(lanes)),
                Collections.emptySortedSet(),
                Capabilities.NONE,
                DEFAULT_TTL);
    }

    /** This session under another id. */
    public Session id(SessionId other) {
        return new Session(other, namespace, worker, instance, lanes, kinds, offers, ttl);
    }

    /** This session in another namespace. */
    public Session namespace(Namespace other) {
        return new Session(id, other, worker, instance, lanes, kinds, offers, ttl);
    }

    /** This session for these kinds only; none named means all. */
    public Session kinds(String... others) {
        return new Session(
                id,
                namespace,
                worker,
                instance,
                lanes,
                new TreeSet<>(List.of(others)),
                offers,
                ttl);
    }

    /** This session with other capabilities. */
    public Session offers(Capabilities others) {
        return new Session(id, namespace, worker, instance, lanes, kinds, others, ttl);
    }

    /** This session with another time to live after each heartbeat. */
    public Session ttl(Duration other) {
        return new Session(id, namespace, worker, instance, lanes, kinds, offers, other);
    }

    /**
     * The time between two heartbeats, and how long each waits for its answer: a sixth of the time
     * to live.
     */
    public Duration heartbeatEvery() {
        return heartbeatEvery(ttl);
    }

    /** The time between two heartbeats of a session with this time to live. */
    static Duration heartbeatEvery(Duration ttl) {
        return ttl.dividedBy(PARTS);
    }

    /**
     * How long after its last acknowledged heartbeat a session counts itself as dead: one part
     * before the store does, so that it never believes longer than the store that it holds its
     * leases.
     */
    public Duration givesItselfUpAfter() {
        return heartbeatEvery().multipliedBy(PARTS - 1);
    }

    /** Whether this worker can handle that work, wherever it queues. */
    public boolean able(String kind, Capabilities needs) {
        return (kinds.isEmpty() || kinds.contains(kind)) && offers.cover(needs);
    }

    /** Whether this worker takes work from that lane. */
    public boolean serves(Lane lane) {
        return namespace.equals(lane.namespace()) && lanes.contains(lane.name());
    }
}
