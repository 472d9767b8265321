package io.flowfabric.valkey.internal;

import io.flowfabric.valkey.internal.wire.Packer;

import java.util.Optional;
import java.util.UUID;

/**
 * Which part of a call one is of several for the same partition that are on their way at once. A
 * partition takes a part only after the one that it follows.
 *
 * @param mark by which the next part knows this one, if there is a next one
 * @param follows the mark of the part before, if that was not answered yet
 */
record PartOrder(Optional<UUID> mark, Optional<UUID> follows) {
    /** Everything before it was answered. */
    static final PartOrder ALONE = new PartOrder(Optional.empty(), Optional.empty());

    void write(Packer out) {
        out.list(2).optional(mark, Packer::uuid).optional(follows, Packer::uuid);
    }
}
