package io.flowfabric.valkey.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;

import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * The partitions of a namespace. Most have one. In a namespace that is spread over several, work
 * lies where its key leads to, or else its id; what counts against a quota or a budget lies in the
 * main partition, so that everything that a limit is decided by lies together.
 *
 * @param main the one that the name of the namespace leads to
 * @param count how many there are
 * @param placement which of them ids and keys lead to
 */
record Spread(Partition main, int count, Placement placement) {
    static Spread of(Namespace namespace, int count, Placement placement) {
        return new Spread(Partition.of(namespace), count, placement);
    }

    /** All of them, the main one first. */
    List<Partition> all() {
        return IntStream.range(0, count).mapToObj(this::at).toList();
    }

    boolean isWide() {
        return count > 1;
    }

    /** One of them. Neighbours are far apart, so that two spreads seldom share their partitions. */
    private Partition at(int index) {
        return new Partition((main.number() + index * (Partition.COUNT / count)) % Partition.COUNT);
    }

    private Partition by(byte[] name) {
        return at(placement.index(name, count));
    }

    /** Where an id of the main partition leads to. */
    Partition of(UUID id) {
        return by(Signposts.bytes(id));
    }

    /** Where an idempotency key leads to. */
    Partition of(String key) {
        return by(key.getBytes(UTF_8));
    }

    /** Where work belongs, as far as it says itself. */
    Partition of(Submission submission) {
        if (countsAgainstLimits(submission.policy())) {
            return main;
        }
        return submission.key().map(this::of).orElseGet(() -> of(submission.id().uuid()));
    }

    private static boolean countsAgainstLimits(Policy policy) {
        return !policy.quotas().isEmpty() || !policy.budgets().isEmpty();
    }
}
