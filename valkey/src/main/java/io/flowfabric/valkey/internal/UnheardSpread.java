package io.flowfabric.valkey.internal;

/**
 * A partition did nothing, because its ids lead into a namespace that is spread over several, and
 * this process has not heard of that one yet.
 */
final class UnheardSpread extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnheardSpread() {
        super("a namespace was spread that this process has not heard of", null, false, false);
    }
}
