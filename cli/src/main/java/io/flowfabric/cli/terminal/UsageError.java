package io.flowfabric.cli.terminal;

/** The words on the command line make no sense together; the message says why, in one sentence. */
public final class UsageError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UsageError(String sentence) {
        super(sentence);
    }
}
