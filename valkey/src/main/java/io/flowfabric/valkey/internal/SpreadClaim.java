package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.admission.AdmissionBlock;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.valkey.internal.ValkeyClaims.Round;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One claim in a namespace that is spread over several partitions: it visits some of them, until it
 * has what is wanted. A partition that cannot be reached is passed over.
 */
final class SpreadClaim<T> {
    private static final Logger log = LoggerFactory.getLogger(SpreadClaim.class);

    private final Claim claim;
    private final List<Partition> parts;
    private final PartitionTurns turns;
    private final List<T> pieces = new ArrayList<>();
    private final Set<AdmissionBlock> shut = new HashSet<>();
    private boolean more;
    private int reached;
    private Optional<StoreFailure> failure = Optional.empty();

    SpreadClaim(Claim claim, List<Partition> parts, PartitionTurns turns) {
        this.claim = claim;
        this.parts = parts;
        this.turns = turns;
    }

    /** Claims so much in one partition. */
    interface Visit<T> {
        Round<T> claim(Partition part, Claim claim, int wanted);
    }

    Round<T> claim(Visit<T> visit) {
        boolean heard = turns.isHeard(claim.number());
        if (claim.repeated() || heard) {
            var held = held(visit);
            if (!held.isEmpty() || claim.repeated()) {
                return again(visit, held);
            }
        }
        return once(visit);
    }

    /** What was given under the same number before, wherever that was. */
    private List<T> held(Visit<T> visit) {
        var unheard = new Claim(claim.session(), claim.number(), claim.max());
        var held = new ArrayList<T>();
        for (var part : parts) {
            held.addAll(visit.claim(part, unheard, 0).pieces());
        }
        return held;
    }

    private Round<T> once(Visit<T> visit) {
        for (var part : turns.next()) {
            if (pieces.size() == claim.max()) {
                break;
            }
            visit(visit, part, claim.max() - pieces.size());
        }
        if (reached == 0 && failure.isPresent()) {
            throw failure.get();
        }
        return new Round<>(pieces, shut, pieces.size() < claim.max() && (more || turns.isMore()));
    }

    /**
     * What the claim before gave under the same number. If it gave nothing, work is claimed now;
     * either way the number is used up everywhere, because the call before may be on its way.
     */
    private Round<T> again(Visit<T> visit, List<T> held) {
        pieces.addAll(held);
        for (var part : parts) {
            var round =
                    visit.claim(part, claim, held.isEmpty() ? claim.max() - pieces.size() : 0);
            if (held.isEmpty()) {
                pieces.addAll(round.pieces());
                shut.addAll(round.shut());
                more |= round.more();
            }
        }
        return new Round<>(pieces, shut, pieces.size() < claim.max() && more);
    }

    private void visit(Visit<T> visit, Partition part, int wanted) {
        try {
            var round = visit.claim(part, claim, wanted);
            reached++;
            turns.visited(part, !round.pieces().isEmpty());
            pieces.addAll(round.pieces());
            shut.addAll(round.shut());
            more |= round.more();
        } catch (StoreFailure away) {
            if (away.mayHaveApplied()) {
                // A repeat of the number gets what was given here, and in the others.
                throw away;
            }
            log.debug("The partition {} is passed over by a claim", part, away);
            turns.visited(part, false);
            failure = Optional.of(away);
        }
    }
}
