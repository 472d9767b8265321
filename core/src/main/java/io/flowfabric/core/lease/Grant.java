package io.flowfabric.core.lease;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.signing.GrantToken;

import java.time.Instant;

/**
 * A ticket for one execution: the session that redeems it in time gets the lease.
 *
 * @param session who may redeem it
 * @param until when it is worth nothing any more
 * @param token the ticket itself
 */
public record Grant(
        ExecutionId execution, Lane lane, SessionId session, Instant until, String token) {

    /** The grant that a token carries. */
    public static Grant of(GrantToken token, Lane lane) {
        return new Grant(token.execution(), lane, token.session(), token.until(), token.text());
    }

    /** Without the token: what is logged must not be worth anything. */
    @Override
    public String toString() {
        return "grant of %s to session %s until %s".formatted(execution, session, until);
    }
}
