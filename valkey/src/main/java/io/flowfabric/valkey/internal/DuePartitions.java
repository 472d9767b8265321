package io.flowfabric.valkey.internal;

import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Partition;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.valkey.internal.ValkeyContext.Told;
import io.flowfabric.valkey.internal.wire.Item;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * When there is something to do in which partition. All are asked at once; those that do not answer
 * are noted, and keep no time from passing in the others.
 */
final class DuePartitions {
    private static final Logger log = LoggerFactory.getLogger(DuePartitions.class);

    /** How long partitions that do not answer are waited for: the others wait meanwhile. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** When a partition that does not answer is to be asked again. */
    private static final Duration AWAY = Duration.ofSeconds(1);

    private final ValkeyContext valkey;
    private final Set<Partition> away = ConcurrentHashMap.newKeySet();

    DuePartitions(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    /**
     * How long it is until there is something to do in a partition.
     *
     * @param sessions until a session dies
     * @param timers until anything else is due
     */
    private record Left(
            Partition partition, Optional<Duration> sessions, Optional<Duration> timers) {
        Optional<Duration> of(Chore chore) {
            return chore == Chore.SESSIONS ? sessions : timers;
        }
    }

    /** What those answered that did, and why the others did not. */
    private record View(List<Left> asked, List<FlowFabricException> failures) {}

    /**
     * Where there is something to do.
     *
     * @param unanswered how many partitions could not be asked
     * @param known how many there are in all
     */
    record Due(List<Partition> partitions, int unanswered, int known) {}

    /** How long it is until something is due anywhere, if anything is. */
    Optional<Duration> next() {
        var view = ask();
        var next = view.failures.isEmpty() ? Optional.<Duration>empty() : Optional.of(AWAY);
        for (var left : view.asked) {
            for (var one : List.of(left.sessions, left.timers)) {
                next = one.isPresent() ? Optional.of(earlier(one.get(), next)) : next;
            }
        }
        return next;
    }

    private static Duration earlier(Duration one, Optional<Duration> other) {
        return other.filter(it -> it.compareTo(one) < 0).orElse(one);
    }

    /** The partitions in which there is something to do for a chore. */
    Due now(Chore chore) {
        var view = ask();
        var due =
                view.asked.stream()
                        .filter(it -> it.of(chore).filter(left -> !left.isPositive()).isPresent())
                        .map(Left::partition)
                        .toList();
        int unanswered = view.failures.size();
        return new Due(due, unanswered, view.asked.size() + unanswered);
    }

    /** All partitions, for what cannot be asked. */
    Due all() {
        var partitions = valkey.partitions().lastKnown();
        return new Due(partitions, 0, partitions.size());
    }

    /**
     * @throws FlowFabricException when no partition answers
     */
    private View ask() {
        var partitions = valkey.partitions().lastKnown();
        var answers =
                valkey.readEach("next_due", partitions, PATIENCE, (out, partition) -> out.list(0));
        var asked = new ArrayList<Left>();
        var failures = new ArrayList<FlowFabricException>();
        for (int n = 0; n < partitions.size(); n++) {
            var partition = partitions.get(n);
            try {
                asked.add(left(partition, answers.get(n).orThrow()));
                isBack(partition);
            } catch (FlowFabricException unanswered) {
                isAway(partition, unanswered);
                failures.add(unanswered);
            }
        }
        if (asked.isEmpty()) {
            throw failures.getFirst();
        }
        return new View(asked, failures);
    }

    private static Left left(Partition partition, Told told) {
        return new Left(partition, left(told, 0), left(told, 1));
    }

    private static Optional<Duration> left(Told told, int place) {
        return told.answer()
                .at(place)
                .optional(Item::moment)
                .map(next -> Duration.between(told.now(), next));
    }

    /** Notes that a partition is as it should be. */
    void isBack(Partition partition) {
        if (away.remove(partition)) {
            log.info("The partition {} is looked after again", partition);
        }
    }

    /** Notes that something went wrong with a partition, which is said once. */
    void isAway(Partition partition, RuntimeException why) {
        if (away.add(partition)) {
            log.warn("The partition {} is passed over for now", partition, why);
        }
    }
}
