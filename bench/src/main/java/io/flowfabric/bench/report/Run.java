package io.flowfabric.bench.report;

import java.time.Duration;

/**
 * One measured go.
 *
 * @param executions how many were done
 * @param walBytes what the server wrote to its log meanwhile
 * @param commits how many transactions wrote something meanwhile
 */
public record Run(int executions, Duration time, long walBytes, long commits) {

    public double perSecond() {
        return executions / seconds();
    }

    public double seconds() {
        return time.toNanos() / 1e9;
    }

    double walBytesEach() {
        return (double) walBytes / executions;
    }

    double commitsEach() {
        return (double) commits / executions;
    }
}
