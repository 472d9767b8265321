package io.flowfabric.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;

/** The memory of processes. */
final class ProcessMemory {
    private ProcessMemory() {}

    /** In megabytes, what they share counted once; nothing where Linux is not. */
    static double of(Collection<Long> pids) {
        return pids.stream().mapToDouble(ProcessMemory::of).sum();
    }

    private static double of(long pid) {
        try (var lines = Files.lines(Path.of("/proc/%d/smaps_rollup".formatted(pid)))) {
            return lines.filter(line -> line.startsWith("Pss:"))
                    .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")) / 1024)
                    .findFirst()
                    .orElse(0);
        } catch (IOException | RuntimeException e) {
            // It has ended, or this is not Linux.
            return 0;
        }
    }
}
