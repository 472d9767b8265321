package io.flowfabric.postgres.internal.grant;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.PresentedTokens;
import io.flowfabric.core.lease.ClaimedForWorker;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Grant;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.signing.GrantToken;
import io.flowfabric.core.signing.KeyRing;
import io.flowfabric.core.signing.SigningKey;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.claim.GrantStub;
import io.flowfabric.postgres.internal.claim.LeaseReader;
import io.flowfabric.postgres.internal.claim.PostgresClaims;
import io.flowfabric.postgres.internal.claim.Quarantine;
import io.flowfabric.postgres.internal.claim.Receipts;
import io.flowfabric.postgres.internal.claim.TargetedClaims;
import io.flowfabric.postgres.internal.jdbc.ConstraintViolation;
import io.flowfabric.postgres.internal.session.PostgresSessions;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** How work is given out as signed tickets, and what becomes of these. */
public final class PostgresGrants implements Grants {
    private final PostgresContext postgres;
    private final PostgresClaims claiming;
    private final Receipts receipts;
    private final PostgresKeys keys;

    public PostgresGrants(PostgresContext postgres, PostgresClaims claiming) {
        this.postgres = postgres;
        this.claiming = claiming;
        this.receipts = new Receipts(postgres);
        this.keys = new PostgresKeys(postgres);
    }

    @Override
    public ClaimedForWorker claimForWorker(Claim claim, Duration ttl) {
        var checked = Grants.checkedTtl(ttl);
        // Before anything is given out that could not be signed.
        var key = keys.ring().current();
        var round = claiming.grant(claim, checked);
        return new ClaimedForWorker(
                signed(round.grants(), claim.session(), key), round.shut(), round.more());
    }

    private List<Grant> signed(List<GrantStub> stubs, SessionId session, SigningKey key) {
        var lanes =
                postgres.catalog()
                        .lanes()
                        .byNumber(postgres.db(), stubs.stream().map(GrantStub::lane).toList());
        return stubs.stream()
                .map(
                        stub ->
                                Grant.of(
                                        GrantToken.sign(
                                                key,
                                                stub.execution(),
                                                stub.epoch(),
                                                session,
                                                stub.until()),
                                        lanes.lane(stub.lane())))
                .toList();
    }

    @Override
    public Grant reclaimForWorker(ExecutionId execution, SessionId session, Duration ttl) {
        var checked = Grants.checkedTtl(ttl);
        var key = keys.ring().current();
        var stub = new TargetedClaims(postgres).reclaim(execution, session, checked);
        return signed(List.of(stub), session, key).getFirst();
    }

    // Redeeming.

    @Override
    public List<Answer<Lease>> redeem(Redemption redemption) {
        var ring = keys.ring();
        try {
            return redeemed(redemption, PresentedTokens.of(ring, redemption.tokens()))
                    .orElseGet(() -> again(redemption, ring));
        } catch (ConstraintViolation used) {
            // The same redemption was made twice at the same moment, and the other one was first.
            if (Receipts.taken(used)) {
                return again(redemption, ring);
            }
            throw used;
        }
    }

    /** Nothing, when the number may have been heard before, or the session is dead. */
    private Optional<List<Answer<Lease>>> redeemed(
            Redemption redemption, PresentedTokens presented) {
        var genuine = presented.genuine();
        var reader = new LeaseReader();
        var welcome = new boolean[1];
        postgres.db()
                .query("redeem")
                .set("now", postgres.now())
                .set("session", redemption.session().uuid())
                .set("number", redemption.number())
                .uuids("ids", genuine, token -> token.execution().uuid())
                .ints("parts", genuine, token -> token.execution().partition().number())
                .longs("epochs", genuine, GrantToken::epoch)
                .texts("keys", genuine, GrantToken::key)
                .each(
                        row -> {
                            welcome[0] = row.bool("may_claim");
                            if (row.uuidOrNull("id") != null) {
                                reader.add(row);
                            }
                        });
        // Whoever got nothing may have waited for the same redemption, made a moment before.
        if (!welcome[0] || (reader.isEmpty() && !genuine.isEmpty())) {
            return Optional.empty();
        }
        var read = reader.read(postgres.db(), postgres.catalog(), redemption.session());
        Quarantine.putAside(postgres, redemption.session(), read.unreadable());
        return Optional.of(answers(presented, byExecution(read.leases())));
    }

    /** What the same redemption was told before, as far as it still holds. */
    private List<Answer<Lease>> again(Redemption redemption, KeyRing ring) {
        var held = byExecution(receipts.leases(redemption.session(), redemption.number()));
        var presented = PresentedTokens.again(ring, redemption.tokens(), Set.copyOf(held.keySet()));
        return answers(presented, held);
    }

    /** For each token the lease that came of it; the second time it is shown, nothing. */
    private static List<Answer<Lease>> answers(
            PresentedTokens presented, Map<ExecutionId, Lease> leases) {
        return presented.answers(token -> Optional.ofNullable(leases.remove(token.execution())));
    }

    private static Map<ExecutionId, Lease> byExecution(List<Lease> leases) {
        var byExecution = new HashMap<ExecutionId, Lease>();
        leases.forEach(lease -> byExecution.put(lease.fence().execution(), lease));
        return byExecution;
    }

    @Override
    public List<Answer<Grant>> verify(SessionId session, List<String> tokens) {
        Limit.BATCH.checkCount("tokens", tokens.size());
        if (PostgresSessions.find(postgres, session)
                .filter(PostgresSessions.Known::alive)
                .isEmpty()) {
            throw new NotFound("session", session.toString());
        }
        var presented = PresentedTokens.of(keys.ring(), tokens);
        var lanes = new HashMap<UUID, Integer>();
        var genuine = presented.genuine();
        postgres.db()
                .query("granted")
                .set("now", postgres.now())
                .set("session", session.uuid())
                .uuids("ids", genuine, token -> token.execution().uuid())
                .ints("parts", genuine, token -> token.execution().partition().number())
                .longs("epochs", genuine, GrantToken::epoch)
                .each(row -> lanes.put(row.uuid("id"), row.intValue("lane")));
        var named = postgres.catalog().lanes().byNumber(postgres.db(), lanes.values());
        return presented.answers(
                token ->
                        Optional.ofNullable(lanes.get(token.execution().uuid()))
                                .map(lane -> Grant.of(token, named.lane(lane))));
    }
}
