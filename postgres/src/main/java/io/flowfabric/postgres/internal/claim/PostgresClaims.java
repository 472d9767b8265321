package io.flowfabric.postgres.internal.claim;

import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.claim.ClaimStatements.Look;
import io.flowfabric.postgres.internal.jdbc.ConstraintViolation;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Optional;

/** Which work a worker gets: one statement picks, leases, writes the receipt and the events. */
public final class PostgresClaims implements Claims {
    /** How many more are looked at than are wanted, for those that others are taking right now. */
    private static final int SLACK = 24;

    private final ClaimStatements statements;
    private final Receipts receipts;

    public PostgresClaims(PostgresContext postgres) {
        this.statements = new ClaimStatements(postgres);
        this.receipts = new Receipts(postgres);
    }

    /** Forgets what was remembered of gates, which may be those of another time. */
    public void forgetAll() {
        statements.forgetAll();
    }

    @Override
    public Claimed claim(Claim claim) {
        return given(claim, null)
                .map(round -> new Claimed(round.leases(), round.shut(), round.more()))
                .orElseGet(() -> Claimed.of(receipts.leases(claim.session(), claim.number())));
    }

    /** Picks as a claim does, and grants what it picked. */
    public ClaimRound grant(Claim claim, Duration ttl) {
        return given(claim, ttl.toMillis())
                .orElseGet(
                        () ->
                                ClaimRound.repeated(
                                        receipts.grants(claim.session(), claim.number())));
    }

    /** Nothing, when the number was heard before or the session is dead. */
    private Optional<ClaimRound> given(Claim claim, @Nullable Long ttl) {
        try {
            if (claim.repeated()) {
                receipts.await(claim);
            }
            var given = givenAnew(claim, ttl);
            if (claim.repeated() && given.isPresent() && given.get().size() == 0) {
                // The call that is repeated may still arrive, and must not be heard then.
                receipts.writeNothing(claim);
            }
            return given;
        } catch (ConstraintViolation used) {
            // Another call under this number was first.
            if (Receipts.taken(used)) {
                return Optional.empty();
            }
            throw used;
        }
    }

    /**
     * Looks until it was given something, which is what its receipt says, or there is nothing:
     * further where others are taking what was in sight, and again where nothing of it could be
     * read.
     */
    private Optional<ClaimRound> givenAnew(Claim claim, @Nullable Long ttl) {
        for (int window = claim.max() + SLACK; ; window *= 4) {
            var round = statements.look(new Look(claim, ttl, window));
            if (!round.welcome()) {
                return Optional.empty();
            }
            boolean over = !round.more() || 4 * window > ClaimStatements.WIDEST;
            if (round.size() > 0 || over) {
                return Optional.of(round);
            }
            if (round.unreadable() > 0) {
                receipts.free(claim);
            }
        }
    }
}
