package io.flowfabric.testkit.memory;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.lease.Session;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Everything that is stored of one session, from its opening until it is forgotten. */
final class SessionRecord {
    final Session session;
    final Instant opened;
    Instant aliveUntil;

    /** When its death was noticed. */
    Optional<Instant> died = Optional.empty();

    /** The highest claim number whose answer has arrived: none up to it is used again. */
    private long acknowledged;

    /** What was given under each claim number, to answer its repeats. */
    private final Map<Long, List<GivenWork>> receipts = new HashMap<>();

    /** What a claim gave: the lease or the grant of this epoch. */
    record GivenWork(ExecutionId execution, long epoch) {
        static GivenWork of(MemoryExecution row) {
            return new GivenWork(row.id(), row.epoch);
        }
    }

    SessionRecord(Session session, Instant now) {
        this.session = session;
        this.opened = now;
        this.aliveUntil = now.plus(session.ttl());
    }

    Owner owner() {
        return new Owner(session.id(), session.worker(), session.instance());
    }

    boolean isAlive(Instant now) {
        return died.isEmpty() && aliveUntil.isAfter(now);
    }

    /** When it was last heard of. */
    Instant renewed() {
        return aliveUntil.minus(session.ttl());
    }

    /** Until when it lives, or lived. */
    Instant end() {
        return died.filter(aliveUntil::isAfter).orElse(aliveUntil);
    }

    /**
     * What was given under a claim number before, if it was used.
     *
     * @throws Invalid when the session has acknowledged the answer
     */
    Optional<List<GivenWork>> receipt(long number) {
        if (number <= acknowledged) {
            throw new Invalid(
                    Invalid.Code.CLAIM_NUMBER_USED,
                    "claim number",
                    "%d was acknowledged by a heartbeat; claim with a higher one."
                            .formatted(number));
        }
        return Optional.ofNullable(receipts.get(number));
    }

    /** Keeps what was given under a claim number. */
    void keepReceipt(long number, List<MemoryExecution> rows) {
        receipts.put(number, rows.stream().map(GivenWork::of).toList());
    }

    /** Drops the receipts that nothing asks for any more. */
    void acknowledge(long number) {
        acknowledged = Math.max(acknowledged, number);
        receipts.keySet().removeIf(used -> used <= acknowledged);
    }
}
