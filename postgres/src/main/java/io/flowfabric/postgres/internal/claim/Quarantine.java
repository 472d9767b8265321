package io.flowfabric.postgres.internal.claim;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.SessionId;
import io.flowfabric.postgres.internal.PostgresContext;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.UUID;

/**
 * Where executions go that were claimed and cannot be read: one bad row never stops a claim. The
 * engine holds them back as an operator would, with an event that says why; what a newer program
 * wrote is not claimed in the first place.
 */
public final class Quarantine {
    /** What an execution says that was put aside because it cannot be read. */
    static final String UNREADABLE = "what is stored of it cannot be read by this version";

    private static final Logger log = LoggerFactory.getLogger(Quarantine.class);

    private Quarantine() {}

    /** Puts aside, for an operator, what a session was just given. */
    public static void putAside(
            PostgresContext postgres, SessionId session, List<UUID> executions) {
        if (executions.isEmpty()) {
            return;
        }
        log.error(
                "These executions cannot be read by this program, and are held for an operator: {}."
                        + " Resume or cancel them with a program that can read them, or mend what"
                        + " is stored of them.",
                executions);
        postgres.db()
                .query("quarantine")
                .set("now", postgres.now())
                .set("actor", Attribution.ENGINE)
                .set("session", session.uuid())
                .set("detail", UNREADABLE)
                .uuids("ids", executions, id -> id)
                .update();
    }
}
