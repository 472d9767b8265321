package io.flowfabric.testkit.harness;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Grant;
import io.flowfabric.core.lease.Grants.Redemption;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;

/** Where operations are performed: on a store beside its model, or on a store alone. */
interface Stage {
    /**
     * Calls the store.
     *
     * @param what the name of the call, the same for all calls of its kind
     * @param request what is asked for
     */
    <T> Reply<T> call(String what, Object request, Function<Store, T> call);

    /** Claims, the one call whose answer a store may choose. */
    Reply<List<Lease>> claim(Claims.Claim claim);

    /** Has work granted: a store may choose here, too. */
    Reply<List<Grant>> grant(Claims.Claim claim, Duration ttl);

    /** Has one execution granted that lost its lease. */
    Reply<Grant> reclaim(ExecutionId execution, SessionId session, Duration ttl);

    /** Looks at tickets, and redeems them. */
    Reply<List<Answer<Lease>>> redeem(Redemption redemption);

    /** Does a chore in rounds of a limit, until nothing is due. */
    void tick(Chore chore, int limit);

    void advance(Duration step);

    Instant now();

    /** Whether no other thread acts at the same time, so that answers can be foretold. */
    boolean exclusive();
}
