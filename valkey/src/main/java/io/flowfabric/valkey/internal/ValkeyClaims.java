package io.flowfabric.valkey.internal;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.admission.AdmissionBlock;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.valkey.internal.record.Codes;
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Which work a worker gets. */
public final class ValkeyClaims implements Claims {
    private static final int MOST = 10_000;

    private final ValkeyContext valkey;
    private final Abilities abilities;
    private final UnreadableWork unreadable;
    private final LargeInputs inputs;

    /** Of sessions in namespaces that are spread over several partitions. */
    private final Map<SessionId, PartitionTurns> turns = LatelyUsed.ofMost(MOST);

    public ValkeyClaims(ValkeyContext valkey, Abilities abilities, UnreadableWork unreadable) {
        this.valkey = valkey;
        this.abilities = abilities;
        this.unreadable = unreadable;
        this.inputs = new LargeInputs(valkey);
    }

    @Override
    public Claimed claim(Claim claim) {
        var round = claim(claim, Optional.empty(), piece -> lease(piece, claim.session()));
        return new Claimed(round.pieces, round.shut, round.more);
    }

    /**
     * What one claim came to.
     *
     * @param again whether its number was used before, and this is what is left of what it gave
     */
    record Round<T>(List<T> pieces, Set<AdmissionBlock> shut, boolean more, boolean again) {}

    /**
     * Claims. What cannot be read is held for an operator, and keeps nothing from the others.
     *
     * @param ttl how long grants hold; none for leases
     * @param reader makes a lease or a grant of what is told of it
     */
    <T> Round<T> claim(Claim claim, Optional<Duration> ttl, Function<Item, T> reader) {
        var parts = valkey.parts(claim.session());
        return parts.size() == 1
                ? claimIn(parts.getFirst(), claim, claim.max(), ttl, reader)
                : new SpreadClaim<T>(claim, parts, turns(claim.session(), parts))
                        .claim((part, some, wanted) -> claimIn(part, some, wanted, ttl, reader));
    }

    /** Notes that a number of a session was used otherwise than for a claim. */
    void used(SessionId session, List<Partition> parts, long number) {
        if (parts.size() > 1) {
            boolean unused = turns(session, parts).isHeard(number);
        }
    }

    private PartitionTurns turns(SessionId session, List<Partition> parts) {
        return turns.computeIfAbsent(
                session, first -> new PartitionTurns(first, parts, valkey.placement()));
    }

    private <T> Round<T> claimIn(
            Partition home,
            Claim claim,
            int wanted,
            Optional<Duration> ttl,
            Function<Item, T> reader) {
        while (true) {
            var round = round(home, claim, wanted, ttl);
            var given = ReadablePieces.of(whole(home, round, ttl), reader);
            if (given.damaged().isEmpty()) {
                return new Round<>(given.readable(), round.shut, round.more, round.again);
            }
            boolean numberIsFree =
                    unreadable.putAside(home, claim.session(), claim.number(), given.damaged());
            if (!given.readable().isEmpty() || !numberIsFree) {
                return new Round<>(given.readable(), round.shut, true, round.again);
            }
        }
    }

    /** With their inputs. Leases whose inputs cannot be fetched are given all the same. */
    private List<Item> whole(Partition home, Round<Item> round, Optional<Duration> ttl) {
        return ttl.isPresent()
                ? round.pieces
                : AppliedParts.after(() -> inputs.fetched(home, round.pieces));
    }

    private Round<Item> round(Partition home, Claim claim, int wanted, Optional<Duration> ttl) {
        while (true) {
            var judged = abilities.of(claim.session(), home);
            var answer = ask(home, claim, wanted, judged, ttl);
            switch (answer.at(0).text()) {
                case "dead" -> throw ValkeySessions.unknown(claim.session());
                case "used" -> throw used(claim.number());
                case "again" -> {
                    return new Round<>(answer.at(1).list(), Set.of(), false, true);
                }
                default -> {
                    var unknown = answer.at(2);
                    if (unknown.list().isEmpty()) {
                        return new Round<>(
                                PlainPieces.before(answer.at(5), answer.at(1).list()),
                                blocks(answer.at(3)),
                                answer.at(4).truth(),
                                false);
                    }
                    judged.learn(unknown);
                }
            }
        }
    }

    private Item ask(
            Partition home,
            Claim claim,
            int wanted,
            Abilities.Judged judged,
            Optional<Duration> ttl) {
        return valkey.call(
                        "claim",
                        home,
                        out ->
                                out.list(7)
                                        .uuid(claim.session().uuid())
                                        .number(claim.number())
                                        .number(wanted)
                                        .truth(claim.repeated())
                                        .list(judged.able(), (o, route) -> o.number(route))
                                        .list(judged.unable(), (o, route) -> o.number(route))
                                        .optional(ttl, Packer::duration))
                .answer();
    }

    static Invalid used(long number) {
        return new Invalid(
                Invalid.Code.CLAIM_NUMBER_USED,
                "claim number",
                "%d was acknowledged by a heartbeat; claim with a higher one.".formatted(number));
    }

    private static Set<AdmissionBlock> blocks(Item told) {
        var blocks = new HashSet<AdmissionBlock>();
        for (var one : told.list()) {
            var word = one.text();
            blocks.add(
                    switch (word.charAt(0)) {
                        case 'c' -> AdmissionBlock.Quota.CONCURRENCY;
                        case 'r' -> AdmissionBlock.Quota.RATE;
                        default -> new AdmissionBlock.Budget(word.substring(1));
                    });
        }
        return blocks;
    }

    /**
     * A lease, as {@code claim.lua} tells of it.
     *
     * @throws Item.Unreadable when what was submitted is damaged, or of a newer program
     */
    static Lease lease(Item piece, SessionId session) {
        var id = new ExecutionId(new Partition(piece.at(1).small()), piece.at(0).uuid());
        var submission = SubmissionRecord.read(id, piece.at(10), piece.at(11));
        var lease =
                new Lease(
                        new Fence(id, piece.at(2).small() - 1, piece.at(3).number()),
                        session,
                        Codes.PURPOSES.word(piece.at(4)),
                        submission.lane(),
                        submission.kind(),
                        submission.input(),
                        submission.tags(),
                        submission.policy(),
                        piece.at(5).small(),
                        piece.at(7).moment(),
                        piece.at(6).optional(Item::moment));
        return UpstreamsOfLeases.with(ValkeySteps.with(lease, piece.at(12)), piece.at(13));
    }
}
