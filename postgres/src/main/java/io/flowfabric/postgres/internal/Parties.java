package io.flowfabric.postgres.internal;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.postgres.internal.jdbc.Row;

import java.util.Optional;

/** Whom a row names: the worker whose lease it is about, and the person who acted. */
public final class Parties {
    private Parties() {}

    public static Optional<Owner> owner(Row row) {
        return Optional.ofNullable(row.uuidOrNull("session"))
                .map(
                        session ->
                                new Owner(
                                        new SessionId(session),
                                        row.text("worker"),
                                        row.text("instance")));
    }

    public static Optional<Attribution> by(Row row) {
        return Optional.ofNullable(row.textOrNull("actor"))
                .map(actor -> new Attribution(actor, row.text("reason")));
    }
}
