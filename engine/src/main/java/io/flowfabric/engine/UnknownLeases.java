package io.flowfabric.engine;

import java.util.function.IntSupplier;

/**
 * Leases that the store has of a session and that the session does not know.
 *
 * <p>A store that has lost commits, because it was restored or a standby took over, may think that
 * a session has leases which it has ended. No worker works on those, and heartbeats keep them.
 *
 * <p>The store counts at some moment between a heartbeat and its answer. Whatever it counts then
 * was held before, or has been given since. Belongs to the heart of a session.
 */
final class UnknownLeases {
    /**
     * After so many heartbeats in a row with leases that are not known here, no claim can still be
     * on its way: the store must have lost the ends of some.
     */
    private static final int BELIEVED = 3;

    private final NumberedClaims claims;
    private long given;
    private int held;
    private int inARow;

    UnknownLeases(NumberedClaims claims) {
        this.claims = claims;
    }

    /** Looks at what the session knows before the store is asked. */
    void asking(IntSupplier holds) {
        // In this order: what is given meanwhile counts twice then, which hides it for once.
        given = claims.given();
        held = holds.getAsInt();
    }

    /** Hears how many leases the store has, and says whether there must be unknown ones. */
    boolean believed(int leases) {
        // A claim under way may have got some of them, and says nothing about the others.
        if (!claims.underWay()) {
            long known = held + claims.given() - given;
            inARow = leases > known ? inARow + 1 : 0;
        }
        return inARow >= BELIEVED;
    }
}
