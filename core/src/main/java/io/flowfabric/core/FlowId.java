package io.flowfabric.core;

import java.util.UUID;

/**
 * The id of a flow: a UUID and the partition that it lives in with its members, written like the
 * {@link ExecutionId} of an execution.
 */
public record FlowId(Partition partition, UUID uuid) {
    private static final int HEX_OF_A_HALF = 16;
    private static final long VERSION = 0xF000L;
    private static final long VERSION_8 = 0x8000L;
    private static final long VARIANT_MASK = 0x3FFF_FFFF_FFFF_FFFFL;
    private static final long VARIANT = 0x8000_0000_0000_0000L;

    /** A new id for a flow of a namespace. */
    public static FlowId mint(Namespace namespace) {
        return of(ExecutionId.mint(namespace));
    }

    /**
     * The id that a key has in a namespace, always the same: whoever submits a flow under it again
     * submits the same flow.
     */
    public static FlowId of(Namespace namespace, String key) {
        Text.name("flow key", key, Limit.NAME_BYTES);
        return of(
                Digest.of("flow key").text(namespace.name()).text(key).done(),
                Partition.of(namespace));
    }

    /** The id of a flow below an execution, always the same; it names the execution's partition. */
    public static FlowId below(ExecutionId execution, String name) {
        Text.name("flow name", name, Limit.NAME_BYTES);
        return of(
                Digest.of("flow below").text(execution.toString()).text(name).done(),
                execution.partition());
    }

    private static FlowId of(Digest digest, Partition partition) {
        var hex = digest.hex();
        long most = Long.parseUnsignedLong(hex.substring(0, HEX_OF_A_HALF), 16);
        long least = Long.parseUnsignedLong(hex.substring(HEX_OF_A_HALF, 2 * HEX_OF_A_HALF), 16);
        var uuid = new UUID((most & ~VERSION) | VERSION_8, (least & VARIANT_MASK) | VARIANT);
        return of(ExecutionId.stamped(uuid, partition));
    }

    /** The id whose partition is the last byte of its UUID, as in every id that we mint. */
    public static FlowId of(UUID uuid) {
        return of(ExecutionId.of(uuid));
    }

    /**
     * Reads {@code {fp:N}:<uuid>} or a bare UUID.
     *
     * @throws Invalid when it is anything else
     */
    public static FlowId parse(String text) {
        return of(ExecutionId.parse(text));
    }

    private static FlowId of(ExecutionId same) {
        return new FlowId(same.partition(), same.uuid());
    }

    @Override
    public String toString() {
        return partition + ":" + uuid;
    }
}
