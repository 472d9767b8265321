package io.flowfabric.testkit.harness;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;

import java.util.UUID;

/**
 * The ids of a run, made from its seed and a number that each operation carries: leaving out other
 * operations does not change them.
 */
record Identity(long seed) {
    private static final long VERSION_7 = 0x7000L;
    private static final long VERSION_MASK = ~0xF000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;

    /** An id as we mint them. */
    ExecutionId minted(long number) {
        return ExecutionId.of(uuid("execution", number));
    }

    /** An id as others may bring it: its partition has nothing to do with its UUID. */
    ExecutionId brought(long number) {
        long partition = Long.remainderUnsigned(mixed(number), Partition.COUNT);
        return new ExecutionId(new Partition((int) partition), uuid("brought", number));
    }

    SessionId session(long number) {
        return new SessionId(uuid("session", number));
    }

    /** An id that is never submitted. */
    ExecutionId unknown() {
        return ExecutionId.of(uuid("unknown", 0));
    }

    /** The same UUID under another partition, where nothing of it lives. */
    static ExecutionId elsewhere(ExecutionId id) {
        int other = (id.partition().number() + 1) % Partition.COUNT;
        return new ExecutionId(new Partition(other), id.uuid());
    }

    private UUID uuid(String purpose, long number) {
        long most = mixed(mixed(seed + purpose.hashCode()) + number);
        long least = mixed(most);
        return new UUID((most & VERSION_MASK) | VERSION_7, VARIANT | (least >>> 2));
    }

    /** A number that looks random (the finaliser of SplitMix64). */
    static long mixed(long number) {
        long z = number + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
