package io.flowfabric.core.decision;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Text;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Capabilities;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Whether a live worker could take ready work, and in words why none could.
 *
 * <p>This is only how the work reads. It is not stored, and no claim asks for it: a worker that
 * could take it just does.
 */
public final class CapabilityRouting {
    private CapabilityRouting() {}

    /**
     * Why no live worker could take this work; empty when one could.
     *
     * @param alive at least those that serve its lane
     */
    public static Optional<String> obstacle(
            Lane lane, String kind, Capabilities needs, Collection<Session> alive) {
        var serving = alive.stream().filter(session -> session.serves(lane)).toList();
        if (serving.stream().anyMatch(session -> session.able(kind, needs))) {
            return Optional.empty();
        }
        if (serving.isEmpty() && needs.words().isEmpty()) {
            // What needs nothing waits for the first worker to come, as all work does.
            return Optional.empty();
        }
        return Optional.of(Text.mended(inWords(lane, kind, needs, serving), Limit.MESSAGE_BYTES));
    }

    private static String inWords(
            Lane lane, String kind, Capabilities needs, List<Session> serving) {
        var wanted = "needs " + listed(needs.words());
        if (serving.isEmpty()) {
            return "%s; no live worker in lane %s".formatted(wanted, lane);
        }
        var handling =
                serving.stream().filter(session -> session.able(kind, Capabilities.NONE)).toList();
        if (handling.isEmpty()) {
            return "is of kind %s; %s in lane %s, %s it"
                    .formatted(
                            kind,
                            workers(serving),
                            lane,
                            none(serving, "handles", "does not handle"));
        }
        var some = handling.size() < serving.size() ? " for kind " + kind : "";
        return "%s; %s%s in lane %s, %s %s"
                .formatted(
                        wanted,
                        workers(handling),
                        some,
                        lane,
                        none(handling, "has", "lacks"),
                        lacking(handling, needs));
    }

    private static String workers(List<Session> sessions) {
        return sessions.size() == 1 ? "1 live worker" : sessions.size() + " live workers";
    }

    private static String none(List<Session> sessions, String many, String one) {
        return sessions.size() == 1 ? "which " + one : "none " + many;
    }

    /** What none of them has; they may have everything, and no one all of it. */
    private static String lacking(List<Session> sessions, Capabilities needs) {
        var lacking = new TreeSet<>(needs.words());
        for (Session session : sessions) {
            lacking.retainAll(session.offers().missing(needs).words());
        }
        return lacking.isEmpty() ? "all of it" : listed(lacking);
    }

    private static String listed(Collection<String> words) {
        return String.join(", ", words);
    }
}
