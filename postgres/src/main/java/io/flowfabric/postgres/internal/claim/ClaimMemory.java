package io.flowfabric.postgres.internal.claim;

import io.flowfabric.core.SessionId;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What claims of sessions met, so that the next one begins with the statement that will do.
 *
 * <p>All of it may be forgotten or out of date: a statement that will not do takes nothing and says
 * so.
 */
final class ClaimMemory {
    private static final long HOLDS = Duration.ofSeconds(10).toNanos();
    private static final int REMEMBERED = 1_000;

    /** The statements that claim, the cheapest first; each one does what those before it do. */
    enum Form {
        /** Work of one lane that counts against nothing. */
        PLAIN("claim"),

        /** Work of one lane that counts against quotas of places. */
        COUNTED("claim_counted"),

        /** Every work of every lane. */
        ANY("claim_any");

        final String statement;

        Form(String statement) {
            this.statement = statement;
        }
    }

    /**
     * What is known of one session.
     *
     * @param busy behind how many gates its lane had work
     * @param since when it was noticed that a cheaper form will not do
     */
    private record Known(Form form, int busy, long since) {
        static final Known NOTHING = new Known(Form.PLAIN, 1, 0);
    }

    private final Map<SessionId, Known> sessions = new ConcurrentHashMap<>();
    private final Map<SessionId, Set<Integer>> crowded = new ConcurrentHashMap<>();
    private final Map<SessionId, Boolean> counting = new ConcurrentHashMap<>();

    /** The form to begin with. Lanes may become plain again, so the others hold for a while. */
    Form form(SessionId session) {
        var known = sessions.getOrDefault(session, Known.NOTHING);
        return System.nanoTime() - known.since < HOLDS ? known.form : Form.PLAIN;
    }

    int busy(SessionId session) {
        return sessions.getOrDefault(session, Known.NOTHING).busy;
    }

    void needs(SessionId session, Form form) {
        trim(sessions);
        sessions.put(session, new Known(form, busy(session), System.nanoTime()));
    }

    void sawBusy(SessionId session, int busy) {
        sessions.computeIfPresent(
                session, (id, known) -> new Known(known.form, Math.max(1, busy), known.since));
    }

    /** Whether what the session can be given may count against anything, ready or not. */
    boolean counts(SessionId session) {
        return counting.getOrDefault(session, true);
    }

    void sawCounting(SessionId session, boolean counts) {
        if (!counting.containsKey(session)) {
            trim(counting);
        }
        counting.put(session, counts);
    }

    /** The lanes of a session that have too many gates for a claim to look behind all of them. */
    Set<Integer> crowded(SessionId session) {
        return crowded.getOrDefault(session, Set.of());
    }

    void crowded(SessionId session, Collection<Integer> lanes) {
        trim(crowded);
        var all = new TreeSet<>(crowded(session));
        all.addAll(lanes);
        crowded.put(session, all);
    }

    private static void trim(Map<SessionId, ?> remembered) {
        if (remembered.size() >= REMEMBERED) {
            remembered.clear();
        }
    }
}
