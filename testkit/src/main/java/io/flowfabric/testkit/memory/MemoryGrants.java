package io.flowfabric.testkit.memory;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Denied;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.OperatorDecisions;
import io.flowfabric.core.decision.ReclaimDecisions;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Grant;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.signing.GrantToken;
import io.flowfabric.core.signing.SigningKey;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.testkit.memory.MemoryState.Given;
import io.flowfabric.testkit.memory.MemoryState.SessionRecord;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
    public List<Grant> claimForWorker(Claim claim, Duration ttl) {
        return granted(claim, ttl, living -> claiming.pick(living, claim.max()));
    }

    /** Grants exactly these, as another store has done, after judging that it was allowed to. */
    List<Grant> follow(Claim claim, Duration ttl, List<ExecutionId> picks) {
        return granted(claim, ttl, living -> claiming.judged(living, claim.max(), picks));
    }

    private List<Grant> granted(
            Claim claim, Duration ttl, Function<SessionRecord, List<MemoryExecution>> choice) {
        var checked = Grants.checkedTtl(ttl);
        return world.call(
                () -> {
                    var living = world.alive(claim.session());
                    var key = keys.current();
                    return claiming.receipt(living, claim.number())
                            .map(given -> outstanding(given, living, key))
                            .orElseGet(() -> grant(claim, checked, living, choice, key));
                });
    }

    private List<Grant> grant(
            Claim claim,
            Duration ttl,
            SessionRecord living,
            Function<SessionRecord, List<MemoryExecution>> choice,
            SigningKey key) {
        var picks = choice.apply(living);
        picks.forEach(world.shares::started);
        picks.forEach(row -> world.grant(row, living, world.now().plus(ttl)));
        claiming.keep(living, claim.number(), picks);
        return picks.stream().map(row -> ticket(row, key)).toList();
    }

    /** What a receipt gave that is neither redeemed nor over. */
    private List<Grant> outstanding(List<Given> receipt, SessionRecord living, SigningKey key) {
        return receipt.stream()
                .flatMap(given -> world.byUuid(given.execution().uuid()).stream())
                .filter(row -> !row.poisoned && grantedTo(row, living.session.id()))
                .filter(row -> receipt.contains(new Given(row.id(), row.epoch)))
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
                    var living = world.alive(session);
                    var key = keys.current();
                    var row = world.find(execution);
                    if (!grantedTo(row, session)) {
                        ReclaimDecisions.mustBeReclaimable(
                                row.facts(),
                                row.pastDeadline(world.now()),
                                row.lane(),
                                world.gives(row.lane()),
                                row.submission.kind(),
                                living.session);
                        OperatorDecisions.mustAfford(row.id(), world.purses.obstacle(row));
                        OperatorDecisions.mustHaveRoom(
                                row.id(), world.meters.views(row, world.now()).toList());
                        world.grant(row, living, world.now().plus(checked));
                    }
                    return ticket(row, key);
                });
    }

    @Override
    public List<Answer<Lease>> redeem(Redemption redemption) {
        return world.call(
                () -> {
                    var living = world.alive(redemption.session());
                    var before = claiming.receipt(living, redemption.number());
                    var leased = new ArrayList<MemoryExecution>();
                    var answers = new ArrayList<Answer<Lease>>();
                    for (String token : redemption.tokens()) {
                        answers.add(
                                ItemAnswers.of(
                                        () ->
                                                before.isPresent()
                                                        ? again(before.get(), living, token)
                                                        : redeemed(living, token, leased)));
                    }
                    claiming.keep(living, redemption.number(), leased);
                    return answers;
                });
    }

    private Lease redeemed(SessionRecord living, String token, List<MemoryExecution> leased) {
        var row = genuine(living.session.id(), token);
        leased.add(row);
        return world.redeem(row, living);
    }

    /** What the same redemption was told before, as far as it still holds. */
    private Lease again(List<Given> receipt, SessionRecord living, String text) {
        var token = GrantToken.parse(text);
        // For what became a lease time does not matter any more.
        return claiming.stillHeld(receipt, living.session.id()).stream()
                .filter(lease -> lease.fence().execution().equals(token.execution()))
                .peek(lease -> token.verify(keys.kept(token.key()).key()))
                .findFirst()
                .orElseThrow(() -> refusal(living.session.id(), text));
    }

    private Denied refusal(SessionId session, String token) {
        try {
            genuine(session, token);
        } catch (Denied refusal) {
            return refusal;
        }
        return unknown();
    }

    @Override
    public List<Answer<Grant>> verify(SessionId session, List<String> tokens) {
        Limit.BATCH.checkCount("tokens", tokens.size());
        return world.call(
                () -> {
                    world.alive(session);
                    return tokens.stream()
                            .map(token -> ItemAnswers.of(() -> verified(session, token)))
                            .toList();
                });
    }

    private Grant verified(SessionId session, String token) {
        return Grant.of(GrantToken.parse(token), genuine(session, token).lane());
    }

    /** The execution that a token is for. */
    private MemoryExecution genuine(SessionId session, String text) {
        var token = GrantToken.parse(text);
        token.verify(keys.believed(token.key()));
        if (!token.until().isAfter(world.now())) {
            throw new Denied(
                    Denied.Code.TOKEN_EXPIRED,
                    "The grant was good until %s.".formatted(token.until()));
        }
        return world.byUuid(token.execution().uuid())
                .filter(row -> !row.poisoned && row.id().equals(token.execution()))
                .filter(row -> grantedTo(row, session) && token.session().equals(session))
                .filter(row -> row.epoch == token.epoch())
                .filter(row -> !row.pastDeadline(world.now()))
                .orElseThrow(MemoryGrants::unknown);
    }

    private static Denied unknown() {
        return new Denied(
                Denied.Code.UNKNOWN_GRANT,
                "The execution is not granted to this session, or not any more.");
    }
}
