package io.flowfabric.postgres.internal.claim;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.ConstraintViolation;
import io.flowfabric.postgres.internal.jdbc.Query;
import io.flowfabric.postgres.internal.session.PostgresSessions;

import java.util.List;

/** What sessions were given under the numbers of their claims, for those that repeat one. */
public final class Receipts {
    private final PostgresContext postgres;

    public Receipts(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /** Whether a statement has failed because another call under its number was first. */
    public static boolean taken(ConstraintViolation violation) {
        return violation.unique() && violation.table().equals("receipt");
    }

    /** Waits until no call under the number of a claim is under way. */
    void await(Claim claim) {
        query("await_claim", claim.session(), claim.number()).run();
    }

    /** Uses the number of a claim up that was given nothing. */
    void writeNothing(Claim claim) {
        query("receipt_of_nothing", claim.session(), claim.number()).update();
    }

    /** Frees the number of a claim of which nothing is left. */
    void free(Claim claim) {
        query("free_number", claim.session(), claim.number()).update();
    }

    /** What is still held of what was leased to a session under a number that it repeats. */
    public List<Lease> leases(SessionId session, long number) {
        mustBeRepeatable(session, number);
        var reader = new LeaseReader();
        query("receipt_leases", session, number).each(reader::add);
        return reader.read(postgres.db(), postgres.catalog(), session).leases();
    }

    /** What is still granted of it. */
    List<GrantStub> grants(SessionId session, long number) {
        mustBeRepeatable(session, number);
        return query("receipt_grants", session, number)
                .set("now", postgres.now())
                .list(GrantStub::of);
    }

    private Query query(String statement, SessionId session, long number) {
        return postgres.db().query(statement).set("session", session.uuid()).set("number", number);
    }

    private void mustBeRepeatable(SessionId session, long number) {
        var known = PostgresSessions.find(postgres, session);
        if (known.isEmpty() || !known.get().alive()) {
            throw new NotFound("session", session.toString());
        }
        if (number <= known.get().acknowledged()) {
            throw new Invalid(
                    Invalid.Code.CLAIM_NUMBER_USED,
                    "claim number",
                    "%d was acknowledged by a heartbeat; claim with a higher one."
                            .formatted(number));
        }
    }
}
