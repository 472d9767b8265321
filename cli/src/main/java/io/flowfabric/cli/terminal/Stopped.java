package io.flowfabric.cli.terminal;

/** The user asked the program to stop while it was in the middle of something. */
public final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Stopped() {
        super("The program was asked to stop.");
    }
}
