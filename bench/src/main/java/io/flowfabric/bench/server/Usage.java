package io.flowfabric.bench.server;

/**
 * What the server has done since it was made.
 *
 * @param walBytes how much it wrote to its log
 * @param commits how many transactions wrote something; each has drawn a transaction id
 */
public record Usage(long walBytes, long commits) {

    public Usage since(Usage before) {
        return new Usage(walBytes - before.walBytes, commits - before.commits);
    }
}
