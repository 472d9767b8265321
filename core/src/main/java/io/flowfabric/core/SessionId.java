package io.flowfabric.core;

import java.util.UUID;

/**
 * The id of a session: one life of one worker process. The worker mints it, so that opening can be
 * repeated.
 */
public record SessionId(UUID uuid) implements Comparable<SessionId> {
    /** A new id. */
    public static SessionId mint() {
        return new SessionId(IdSource.SYSTEM.uuid());
    }

    /**
     * Reads a UUID.
     *
     * @throws Invalid when it is anything else
     */
    public static SessionId parse(String text) {
        return new SessionId(ExecutionId.parseUuid("session id", text));
    }

    @Override
    public int compareTo(SessionId other) {
        return uuid.toString().compareTo(other.uuid.toString());
    }

    @Override
    public String toString() {
        return uuid.toString();
    }
}
