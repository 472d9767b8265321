package io.flowfabric.postgres.internal.claim;

import io.flowfabric.core.Fence;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.policy.Due;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.lease.EndingBatch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** Where executions go that were claimed and cannot be read: one bad row never stops a claim. */
public final class Quarantine {
    /** What an execution says that was put aside because it cannot be read. */
    public static final String UNREADABLE = "what is stored of it cannot be read by this version";

    /**
     * How long work is kept from everyone that a newer program wrote and this one was given: long
     * enough not to keep the older ones busy with it, short enough to wait for in an upgrade.
     */
    private static final Duration LATER = Duration.ofSeconds(15);

    private static final Logger log = LoggerFactory.getLogger(Quarantine.class);

    private Quarantine() {}

    /**
     * Puts aside what a session was just given and cannot be read: for an operator what is damaged,
     * and for newer programs, in a while, what they wrote.
     */
    public static void putAside(PostgresContext postgres, SessionId session, LeaseReader.Read read) {
        hold(postgres.db(), session, read.unreadable());
        giveBack(postgres, read.ofNewerPrograms());
    }

    private static void giveBack(PostgresContext postgres, List<Fence> fences) {
        if (fences.isEmpty()) {
            return;
        }
        log.warn(
                "A newer program wrote these executions, and this one leaves them to it: {}",
                fences.stream().map(Fence::execution).toList());
        var delays =
                fences.stream().<Ending>map(f -> new Ending.Delay(f, Due.in(LATER))).toList();
        var given = new EndingBatch(delays).write(postgres.db(), postgres.now());
        postgres.freed(given.freed());
    }

    private static void hold(Jdbc db, SessionId session, List<UUID> executions) {
        if (executions.isEmpty()) {
            return;
        }
        log.error("These executions cannot be read, and are held for an operator: {}", executions);
        db.query("quarantine")
                .set("session", session.uuid())
                .set("detail", UNREADABLE)
                .uuids("ids", executions, id -> id)
                .update();
    }
}
