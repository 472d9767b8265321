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

    /** Claims. Those of one session are made one after the other, so that each sees the last. */
    Round<T> claim(Visit<T> visit) {
        turns.lock();
        try {
            boolean heard = turns.isHeard(claim.number());
            return (claim.repeated() || heard) && isUsed(visit) ? same(visit) : anew(visit);
        } finally {
            turns.unlock();
        }
    }

    /** Whether something was claimed under the same number before, and what is left of it. */
    private boolean isUsed(Visit<T> visit) {
        var unheard = new Claim(claim.session(), claim.number(), claim.max());
        boolean used = false;
        for (var part : parts) {
            var round = visit.claim(part, unheard, 0);
            pieces.addAll(round.pieces());
            used |= round.again();
        }
        return used;
    }

    /** What is left of an earlier claim; its number is used up in all partitions. */
    private Round<T> same(Visit<T> visit) {
        if (claim.repeated()) {
            parts.forEach(part -> visit.claim(part, claim, 0));
        }
        return new Round<>(pieces, shut, false, true);
    }

    private Round<T> anew(Visit<T> visit) {
        // The call before a repeat may be on its way: its number is used up in all partitions.
        for (var part : claim.repeated() ? parts : turns.next()) {
            int wanted = claim.max() - pieces.size();
            if (wanted > 0 || claim.repeated()) {
                visit(visit, part, wanted);
            }
        }
        if (reached == 0 && failure.isPresent()) {
            throw failure.get();
        }
        boolean fewer = pieces.size() < claim.max();
        return new Round<>(pieces, shut, fewer && (more || turns.isMore()), false);
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
