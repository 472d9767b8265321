package io.flowfabric.testing;

/**
 * Thrown to a test that awaits what will not happen, however much time passes: it says what the
 * work waits for.
 */
public final class NothingHappens extends AssertionError {
    private static final long serialVersionUID = 1L;

    NothingHappens(String message) {
        super(message);
    }
}
