package io.flowfabric.testkit.memory;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.OperatorDecisions;
import io.flowfabric.core.decision.PresentedTokens;
import io.flowfabric.core.decision.ReclaimDecisions;
import io.flowfabric.core.lease.ClaimedForWorker;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Grant;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.signing.GrantToken;
import io.flowfabric.core.signing.SigningKey;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.testkit.memory.SessionRecord.GivenWork;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** How work is given out as signed tickets, and what becomes of these. */
final class MemoryGrants implements Grants {
    private final MemoryState world;
    private final MemoryClaims claiming;
    private final MemoryKeys keys;

    MemoryGrants(MemoryState world, MemoryClaims claiming, MemoryKeys keys) {
        this.world = world;
        this.claiming = claiming;
        this.keys = keys;
    }

    @Override
    public ClaimedForWorker claimForWorker(Claim claim, Duration ttl) {
        return granted(claim, ttl, living -> claiming.pick(living, claim.max()));
    }

    /** Grants exactly this, as another store has done, after judging that it was allowed to. */
    ClaimedForWorker follow(Claim claim, Duration ttl, PickJudge.PickedWork given) {
        return granted(claim, ttl, living -> claiming.judged(living, claim.max(), given));
    }

    private ClaimedForWorker granted(
            Claim claim, Duration ttl, Function<SessionRecord, List<MemoryExecution>> choice) {
        var checked = Grants.checkedTtl(ttl);
        return world.call(
                () -> {
                    var living = world.sessions.alive(claim.session());
                    var key = keys.ring().current();
                    return living.receipt(claim.number())
                            .map(given -> repeated(outstanding(given, living, key)))
                            .orElseGet(() -> grant(claim, checked, living, choice, key));
                });
    }

    private static ClaimedForWorker repeated(List<Grant> grants) {
        return new ClaimedForWorker(grants, Set.of(), false);
    }

    private ClaimedForWorker grant(
            Claim claim,
            Duration ttl,
            SessionRecord living,
            Function<SessionRecord, List<MemoryExecution>> choice,
            SigningKey key) {
        var shut = claiming.shut(living);
        var picks = choice.apply(living);
        picks.forEach(world.shares::started);
        picks.forEach(row -> world.steps.grant(row, living, world.now().plus(ttl)));
        claiming.keep(living, claim, picks);
        var grants = picks.stream().map(row -> ticket(row, key)).toList();
        return new ClaimedForWorker(grants, shut, false);
    }

    /** What a receipt gave that is neither redeemed nor over. */
    private List<Grant> outstanding(List<GivenWork> receipt, SessionRecord living, SigningKey key) {
        return receipt.stream()
                .flatMap(given -> world.executions.byUuid(given.execution().uuid()).stream())
                .filter(row -> !row.poisoned && grantedTo(row, living.session.id()))
                .filter(row -> receipt.contains(GivenWork.of(row)))
                .map(row -> ticket(row, key))
                .toList();
    }

    private boolean grantedTo(MemoryExecution row, SessionId session) {
        return row.state instanceof Granted granted
                && granted.to().equals(session)
                && granted.until().isAfter(world.now());
    }

    private static Grant ticket(MemoryExecution row, SigningKey key) {
        var granted = (Granted) row.state;
        return Grant.of(
                GrantToken.sign(key, row.id(), row.epoch, granted.to(), granted.until()),
                row.lane());
    }

    @Override
    public Grant reclaimForWorker(ExecutionId execution, SessionId session, Duration ttl) {
        var checked = Grants.checkedTtl(ttl);
        return world.call(
                () -> {
                    var living = world.sessions.alive(session);
                    var key = keys.ring().current();
                    var row = world.executions.find(execution);
                    if (!grantedTo(row, session)) {
                        ReclaimDecisions.mustBeReclaimable(
                                row.facts(),
                                world.now(),
                                row.lane(),
                                world.lanes.settings(row.lane()).state().gives(),
                                row.submission.kind(),
                                living.session);
                        OperatorDecisions.mustBeAdmitted(
                                row.id(),
                                world.purses.obstacle(row),
                                world.meters.views(row, world.now()));
                        world.steps.grant(row, living, world.now().plus(checked));
                    }
                    return ticket(row, key);
                });
    }

    @Override
    public List<Answer<Lease>> redeem(Redemption redemption) {
        return world.call(
                () -> {
                    var living = world.sessions.alive(redemption.session());
                    return living.receipt(redemption.number())
                            .map(given -> again(given, redemption))
                            .orElseGet(() -> redeemed(living, redemption));
                });
    }

    private List<Answer<Lease>> redeemed(SessionRecord living, Redemption redemption) {
        var leased = new ArrayList<MemoryExecution>();
        var answers =
                PresentedTokens.of(keys.ring(), redemption.tokens())
                        .answers(
                                token ->
                                        granted(living.session.id(), token)
                                                .map(
                                                        row -> {
                                                            leased.add(row);
                                                            return world.steps.redeem(row, living);
                                                        }));
        // As with a claim, a number that gave nothing can still be used.
        if (!leased.isEmpty()) {
            living.keepReceipt(redemption.number(), leased);
        }
        return answers;
    }

    /** What the same redemption was told before, as far as it still holds. */
    private List<Answer<Lease>> again(List<GivenWork> receipt, Redemption redemption) {
        var held = new HashMap<ExecutionId, Lease>();
        claiming.stillHeld(receipt, redemption.session())
                .forEach(lease -> held.put(lease.fence().execution(), lease));
        return PresentedTokens.again(keys.ring(), redemption.tokens(), Set.copyOf(held.keySet()))
                .answers(token -> Optional.ofNullable(held.remove(token.execution())));
    }

    @Override
    public List<Answer<Grant>> verify(SessionId session, List<String> tokens) {
        Limit.BATCH.checkCount("tokens", tokens.size());
        return world.call(
                () -> {
                    world.sessions.alive(session);
                    return PresentedTokens.of(keys.ring(), tokens)
                            .answers(
                                    token ->
                                            granted(session, token)
                                                    .map(row -> Grant.of(token, row.lane())));
                });
    }

    /** The execution that a genuine token opens. */
    private Optional<MemoryExecution> granted(SessionId session, GrantToken token) {
        return world.executions
                .byUuid(token.execution().uuid())
                .filter(row -> !row.poisoned && row.id().equals(token.execution()))
                .filter(row -> grantedTo(row, session) && token.session().equals(session))
                .filter(row -> row.epoch == token.epoch())
                .filter(row -> !row.facts().pastDeadline(world.now()));
    }
}
