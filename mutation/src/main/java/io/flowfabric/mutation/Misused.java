package io.flowfabric.mutation;

/** Words that the program does not understand. */
final class Misused extends RuntimeException {
    private static final long serialVersionUID = 1;

    Misused(String message) {
        super(message);
    }
}
