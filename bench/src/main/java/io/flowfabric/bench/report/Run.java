package io.flowfabric.bench.report;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One measured go.
 *
 * @param executions how many were done
 * @param used what it took meanwhile, by name: bytes, commits, microseconds of a processor
 */
public record Run(int executions, Duration time, Map<String, Long> used) {
    static final String WAL_BYTES = "wal_bytes";
    static final String COMMITS = "commits";

    public Run {
        used = Collections.unmodifiableMap(new LinkedHashMap<>(used));
    }

    /**
     * One on Postgres.
     *
     * @param walBytes what the server wrote to its log meanwhile
     * @param commits how many transactions wrote something meanwhile
     */
    public Run(int executions, Duration time, long walBytes, long commits) {
        this(executions, time, wal(walBytes, commits));
    }

    private static Map<String, Long> wal(long walBytes, long commits) {
        var used = new LinkedHashMap<String, Long>();
        used.put(WAL_BYTES, walBytes);
        used.put(COMMITS, commits);
        return used;
    }

    public double perSecond() {
        return executions / seconds();
    }

    public double seconds() {
        return time.toNanos() / 1e9;
    }

    /** How much of something each execution took. */
    double each(String what) {
        return (double) Optional.ofNullable(used.get(what)).orElseThrow() / executions;
    }
}
