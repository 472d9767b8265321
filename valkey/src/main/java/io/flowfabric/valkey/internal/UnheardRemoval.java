package io.flowfabric.valkey.internal;

/**
 * A partition did nothing, because since this process has last heard of it something was removed
 * that work of it had left in others. What lets the new work be found may have gone with that.
 */
final class UnheardRemoval extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final long removals;

    UnheardRemoval(long removals) {
        super("leftovers were removed of which this process has not heard", null, false, false);
        this.removals = removals;
    }

    /** How many removals there were. */
    long removals() {
        return removals;
    }
}
