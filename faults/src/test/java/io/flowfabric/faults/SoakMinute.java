package io.flowfabric.faults;

import java.util.Map;

/**
 * What was seen in a minute of a {@link Soak}, sizes in megabytes.
 *
 * @param latencies from the submission of plain work to its first lease
 * @param heap what is reachable in the driver
 * @param veteranHeap what is reachable in the worker that is never touched
 * @param veteran the memory of its process
 * @param children the memory of all worker and engine processes
 * @param server the memory of all processes of the server
 * @param tables without the log, which is kept for days
 * @param log the events, and the sessions that they name
 */
record SoakMinute(
        Latencies latencies,
        double endedPerSecond,
        double heap,
        double veteranHeap,
        double veteran,
        double children,
        double server,
        long connections,
        Map<String, Double> tables,
        double log) {
    double tablesTogether() {
        return tables.values().stream().mapToDouble(size -> size).sum();
    }
}
