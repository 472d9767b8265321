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
import java.util.Optional;
import java.util.Set;

/** Which work a worker gets. */
public final class ValkeyClaims implements Claims {
    private final ValkeyContext valkey;
    private final Abilities abilities;

    public ValkeyClaims(ValkeyContext valkey, Abilities abilities) {
        this.valkey = valkey;
        this.abilities = abilities;
    }

    @Override
    public Claimed claim(Claim claim) {
        var round = claim(claim, Optional.empty());
        var leases = round.pieces.stream().map(piece -> lease(piece, claim.session())).toList();
        return new Claimed(leases, round.shut, round.more);
    }

    /** What one claim came to. */
    record Round(List<Item> pieces, Set<AdmissionBlock> shut, boolean more) {}

    /**
     * @param ttl how long grants hold; none for leases
     */
    Round claim(Claim claim, Optional<Duration> ttl) {
        var home =
                valkey.home(claim.session())
                        .orElseThrow(() -> ValkeySessions.unknown(claim.session()));
        while (true) {
            var answer = ask(home, claim, ttl);
            switch (answer.at(0).text()) {
                case "dead" -> throw ValkeySessions.unknown(claim.session());
                case "used" -> throw used(claim.number());
                case "again" -> {
                    return new Round(answer.at(1).list(), Set.of(), false);
                }
                default -> {
                    var unknown = answer.at(2);
                    if (unknown.list().isEmpty()) {
                        return new Round(
                                answer.at(1).list(), blocks(answer.at(3)), answer.at(4).truth());
                    }
                    abilities.learn(claim.session(), home, unknown);
                }
            }
        }
    }

    private Item ask(Partition home, Claim claim, Optional<Duration> ttl) {
        var able = abilities.of(claim.session(), home);
        return valkey.call(
                        "claim",
                        home,
                        out ->
                                out.list(7)
                                        .uuid(claim.session().uuid())
                                        .number(claim.number())
                                        .number(claim.max())
                                        .truth(claim.repeated())
                                        .list(able.able(), (o, route) -> o.number(route))
                                        .list(able.unable(), (o, route) -> o.number(route))
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

    /** A lease, as {@code claim.lua} tells of it. */
    static Lease lease(Item piece, SessionId session) {
        var id = new ExecutionId(new Partition(piece.at(1).small()), piece.at(0).uuid());
        var submission = SubmissionRecord.read(id, piece.at(10), piece.at(11));
        return new Lease(
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
    }
}
