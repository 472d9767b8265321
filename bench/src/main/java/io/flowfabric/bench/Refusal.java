package io.flowfabric.bench;

/** Words on the command line that make no sense; the message says which, and what would. */
final class Refusal extends RuntimeException {
    Refusal(String message) {
        super(message);
    }
}
