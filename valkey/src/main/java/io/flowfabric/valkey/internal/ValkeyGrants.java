package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Partition;
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
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** How work is given out as signed tickets, and what becomes of these. */
public final class ValkeyGrants implements Grants {
    private final ValkeyContext valkey;
    private final ValkeyClaims claims;
    private final UnreadableWork unreadable;
    private final ValkeyKeys keys;
    private final ReclaimGrants reclaims;
    private final LargeInputs inputs;

    public ValkeyGrants(
            ValkeyContext valkey, ValkeyClaims claims, UnreadableWork unreadable, ValkeyKeys keys) {
        this.valkey = valkey;
        this.claims = claims;
        this.unreadable = unreadable;
        this.keys = keys;
        this.reclaims = new ReclaimGrants(valkey);
        this.inputs = new LargeInputs(valkey);
    }

    @Override
    public ClaimedForWorker claimForWorker(Claim claim, Duration ttl) {
        var checked = Grants.checkedTtl(ttl);
        // Before anything is given out that could not be signed.
        var key = keys.ring().current();
        var round =
                claims.claim(
                        claim, Optional.of(checked), piece -> grant(piece, claim.session(), key));
        return new ClaimedForWorker(round.pieces(), round.shut(), round.more());
    }

    private static Grant grant(Item piece, SessionId session, SigningKey key) {
        var id = new ExecutionId(new Partition(piece.at(1).small()), piece.at(0).uuid());
        var lane = SubmissionRecord.withoutInput(id, piece.at(10)).lane();
        long epoch = piece.at(3).number();
        return Grant.of(GrantToken.sign(key, id, epoch, session, piece.at(8).moment()), lane);
    }

    @Override
    public Grant reclaimForWorker(ExecutionId execution, SessionId session, Duration ttl) {
        var checked = Grants.checkedTtl(ttl);
        var key = keys.ring().current();
        var given = reclaims.grant(execution, session, checked);
        return Grant.of(
                GrantToken.sign(key, execution, given.epoch(), session, given.until()),
                given.lane());
    }

    // Redeeming.

    @Override
    public List<Answer<Lease>> redeem(Redemption redemption) {
        var ring = keys.ring();
        var session = redemption.session();
        var presented = PresentedTokens.of(ring, redemption.tokens());
        claims.used(session, valkey.parts(session), redemption.number());
        boolean again = false;
        var leases = new HashMap<ExecutionId, Lease>();
        for (var group : byHome(tickets(presented, session), session).entrySet()) {
            var home = group.getKey();
            var told = redeem(home, redemption, group.getValue());
            switch (told.at(0).text()) {
                case "dead" -> throw ValkeySessions.unknown(session);
                case "used" -> throw ValkeyClaims.used(redemption.number());
                default -> {
                    again |= told.at(0).text().equals("again");
                    leases.putAll(leases(home, redemption, told.at(1)));
                }
            }
        }
        return again ? again(redemption, ring, leases) : answers(presented, leases);
    }

    private Item redeem(Partition home, Redemption redemption, List<GrantToken> tickets) {
        return valkey.call(
                        "redeem",
                        home,
                        out ->
                                out.list(3)
                                        .uuid(redemption.session().uuid())
                                        .number(redemption.number())
                                        .list(tickets, ValkeyGrants::write))
                .answer();
    }

    /**
     * Tickets by where their executions lie. A session without tickets is asked about all the same,
     * and so are all partitions that may have what it redeemed before.
     */
    private Map<Partition, List<GrantToken>> byHome(List<GrantToken> tickets, SessionId session) {
        var groups = new LinkedHashMap<Partition, List<GrantToken>>();
        var parts = valkey.parts(session);
        parts.forEach(part -> groups.put(part, new ArrayList<>()));
        for (var ticket : tickets) {
            var home = parts.size() == 1 ? parts.getFirst() : valkey.home(ticket.execution());
            groups.computeIfAbsent(home, first -> new ArrayList<>()).add(ticket);
        }
        return groups;
    }

    /** What the same redemption was told before, as far as it still holds. */
    private static List<Answer<Lease>> again(
            Redemption redemption, KeyRing ring, Map<ExecutionId, Lease> held) {
        return answers(
                PresentedTokens.again(ring, redemption.tokens(), Set.copyOf(held.keySet())), held);
    }

    /** For each token the lease that came of it; the second time it is shown, nothing. */
    private static List<Answer<Lease>> answers(
            PresentedTokens presented, Map<ExecutionId, Lease> leases) {
        return presented.answers(token -> Optional.ofNullable(leases.remove(token.execution())));
    }

    /** What was redeemed; what cannot be read is held for an operator. */
    private Map<ExecutionId, Lease> leases(Partition home, Redemption redemption, Item pieces) {
        var session = redemption.session();
        var given =
                ReadablePieces.of(
                        AppliedParts.after(() -> inputs.fetched(home, pieces.list())),
                        piece -> ValkeyClaims.lease(piece, session));
        if (!given.damaged().isEmpty()) {
            boolean unused =
                    unreadable.putAside(home, session, redemption.number(), given.damaged());
        }
        var leases = new HashMap<ExecutionId, Lease>();
        given.readable().forEach(lease -> leases.put(lease.fence().execution(), lease));
        return leases;
    }

    @Override
    public List<Answer<Grant>> verify(SessionId session, List<String> tokens) {
        Limit.BATCH.checkCount("tokens", tokens.size());
        // An unknown session is refused whatever it shows.
        var unused = valkey.parts(session);
        var presented = PresentedTokens.of(keys.ring(), tokens);
        var good = new HashMap<GrantToken, Grant>();
        byHome(tickets(presented, session), session)
                .forEach((home, tickets) -> good.putAll(granted(home, session, tickets)));
        return presented.answers(token -> Optional.ofNullable(good.get(token)));
    }

    private Map<GrantToken, Grant> granted(
            Partition home, SessionId session, List<GrantToken> tickets) {
        var told =
                valkey.read(
                                "granted",
                                home,
                                out ->
                                        out.list(2)
                                                .uuid(session.uuid())
                                                .list(tickets, ValkeyGrants::write))
                        .answer();
        if (told.isAbsent()) {
            throw ValkeySessions.unknown(session);
        }
        var good = new HashMap<GrantToken, Grant>();
        for (int n = 0; n < tickets.size(); n++) {
            var token = tickets.get(n);
            told.at(n)
                    .optional(stored -> stored)
                    .flatMap(stored -> lane(token.execution(), stored))
                    .ifPresent(lane -> good.put(token, Grant.of(token, lane)));
        }
        return good;
    }

    /** What cannot be read cannot be redeemed. */
    private static Optional<Lane> lane(ExecutionId execution, Item stored) {
        try {
            return Optional.of(SubmissionRecord.withoutInput(execution, stored).lane());
        } catch (Item.Unreadable damaged) {
            return Optional.empty();
        }
    }

    /** The genuine tokens of a session; those of others open nothing to it. */
    private static List<GrantToken> tickets(PresentedTokens presented, SessionId session) {
        return presented.genuine().stream()
                .filter(token -> token.session().equals(session))
                .toList();
    }

    private static void write(Packer out, GrantToken token) {
        out.list(3)
                .uuid(token.execution().uuid())
                .number(token.execution().partition().number())
                .number(token.epoch());
    }
}
