package io.flowfabric.postgres.internal.claim;

import io.flowfabric.core.SessionId;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.postgres.internal.PostgresContext;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Which gates a session passes, of those whose needs compare: the database can look for the same
 * words, but versions are compared by the core.
 *
 * <p>A claim says what is known here. When it comes upon a gate of its lanes that was not judged
 * yet it takes nothing and names the gate, which is judged, and the claim is made again. What a
 * session offers and what a gate needs never change, so a judgement holds for good, and forgetting
 * one costs a round trip.
 */
public final class CapabilityCache {
    private static final int REMEMBERED = 10_000;

    /** What is known of one session. */
    public record Fit(Set<Integer> fitting, Set<Integer> unfitting) {
        static final Fit UNKNOWN = new Fit(Set.of(), Set.of());
    }

    /** The session that claimed longest ago goes first. */
    private final Map<SessionId, Fit> sessions =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<SessionId, Fit> eldest) {
                    return size() > REMEMBERED;
                }
            };

    synchronized void forgetAll() {
        sessions.clear();
    }

    public synchronized Fit of(SessionId session) {
        return sessions.getOrDefault(session, Fit.UNKNOWN);
    }

    /** Judges gates for a session. One that cannot be read fits nobody. */
    public void judge(
            PostgresContext postgres,
            SessionId session,
            Capabilities offers,
            Collection<Integer> gates) {
        var known = postgres.catalog().gates().byNumber(postgres.db(), gates);
        var fitting = new HashSet<Integer>();
        var unfitting = new HashSet<Integer>();
        for (Integer number : gates) {
            var gate = known.get(number);
            (gate != null && offers.cover(gate.needs()) ? fitting : unfitting).add(number);
        }
        remember(session, new Fit(fitting, unfitting));
    }

    synchronized void remember(SessionId session, Fit more) {
        sessions.merge(
                session,
                new Fit(Set.copyOf(more.fitting), Set.copyOf(more.unfitting)),
                (one, two) ->
                        new Fit(
                                union(one.fitting, two.fitting),
                                union(one.unfitting, two.unfitting)));
    }

    private static Set<Integer> union(Set<Integer> one, Set<Integer> two) {
        var union = new HashSet<>(one);
        union.addAll(two);
        return Set.copyOf(union);
    }
}
