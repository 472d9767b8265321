package io.flowfabric.postgres.internal.maintenance;

import io.flowfabric.core.Contended;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.SessionId;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.step.FactsReader;
import io.flowfabric.postgres.internal.step.FactsReader.Locked;
import io.flowfabric.postgres.internal.step.StepBatch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Takes the batches of a sweep through whatever stands in their way.
 *
 * <p>A row that another transaction has locked is passed over. Meters that another holds are waited
 * for a moment, then passed over together with the work that counts against them: whoever holds
 * them may be frozen. A batch that fails because of what is in it is split until the bad execution
 * is alone, and the others come through.
 */
final class SweepBatches {
    private static final Logger log = LoggerFactory.getLogger(SweepBatches.class);

    private final PostgresContext postgres;

    SweepBatches(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /**
     * What was done, and whom it concerns.
     *
     * @param lanes where work became ready, with the lowest number of what was not begun yet
     */
    record Done(
            int processed,
            int errors,
            Map<Integer, Long> lanes,
            Set<Integer> meters,
            Set<SessionId> losers) {
        static final Done NOTHING = failed(0);

        /** Nothing was done, and so many executions could not be dealt with. */
        static Done failed(int errors) {
            return new Done(0, errors, Map.of(), Set.of(), Set.of());
        }

        Done and(Done more) {
            return new Done(
                    processed + more.processed,
                    errors + more.errors,
                    lowest(lanes, more.lanes),
                    union(meters, more.meters),
                    union(losers, more.losers));
        }

        private static Map<Integer, Long> lowest(
                Map<Integer, Long> some, Map<Integer, Long> others) {
            var all = new HashMap<>(some);
            others.forEach((lane, seq) -> all.merge(lane, seq, Math::min));
            return all;
        }

        private static <T> Set<T> union(Set<T> some, Set<T> others) {
            var all = new HashSet<>(some);
            all.addAll(others);
            return all;
        }
    }

    /** What is done to a batch of executions in one transaction. */
    interface Work {
        /**
         * Decides and writes.
         *
         * @param locked those that could be locked; the others are left for the next round
         */
        Done run(Jdbc tx, List<UUID> executions, Map<UUID, Locked> locked);
    }

    /** Whether meters that another transaction holds are waited for. */
    private enum Meters {
        AWAITED,
        PASSED_OVER
    }

    /**
     * Does the work on as many of the executions as possible, and wakes those who wait for what
     * came of it.
     *
     * @param failed hears of each execution that the work fails for even alone
     */
    Done through(List<UUID> executions, Work work, Consumer<UUID> failed) {
        if (executions.isEmpty()) {
            return Done.NOTHING;
        }
        var done = split(executions, work, failed);
        postgres.returned(done.lanes);
        postgres.freed(done.meters);
        postgres.lost(done.losers);
        return done;
    }

    private Done split(List<UUID> executions, Work work, Consumer<UUID> failed) {
        try {
            return once(executions, work);
        } catch (RuntimeException failure) {
            if (!FlowFabricException.concernsRequest(failure)) {
                throw failure;
            }
            int size = executions.size();
            if (size > 1) {
                return split(executions.subList(0, size / 2), work, failed)
                        .and(split(executions.subList(size / 2, size), work, failed));
            }
            var bad = executions.getFirst();
            log.error("A sweep cannot do what is due for the execution {}", bad, failure);
            failed.accept(bad);
            return Done.failed(1);
        }
    }

    private Done once(List<UUID> executions, Work work) {
        try {
            return once(executions, work, Meters.AWAITED);
        } catch (Contended held) {
            log.debug("A sweep passes over what another transaction holds", held);
            return once(executions, work, Meters.PASSED_OVER);
        }
    }

    private Done once(List<UUID> executions, Work work, Meters meters) {
        return postgres.db()
                .transaction(
                        tx -> {
                            tx.query("patience_of_sweeps").run();
                            return work.run(tx, executions, lock(tx, executions, meters));
                        });
    }

    private Map<UUID, Locked> lock(Jdbc tx, List<UUID> executions, Meters meters) {
        var locked = FactsReader.lock("free_facts", tx, postgres, executions);
        if (meters == Meters.PASSED_OVER) {
            var free = lockUnheld(tx, locked.values());
            locked.values().removeIf(row -> !free.containsAll(row.slots()));
        }
        return locked;
    }

    private static Set<Integer> lockUnheld(Jdbc tx, Collection<Locked> rows) {
        var wanted = new HashSet<Integer>();
        rows.forEach(row -> wanted.addAll(row.slots()));
        return wanted.isEmpty()
                ? wanted
                : Set.copyOf(
                        tx.query("lock_unheld_meters")
                                .ints("ids", wanted, meter -> meter)
                                .list(row -> row.intValue("id")));
    }

    /** Writes what was decided. */
    Done write(Jdbc tx, StepBatch steps, int errors) {
        if (steps.isEmpty()) {
            return Done.failed(errors);
        }
        var written = steps.write(tx, postgres.now());
        var lanes = new HashMap<Integer, Long>();
        var meters = new HashSet<Integer>();
        for (var step : written) {
            meters.addAll(step.freed());
            if (step.ready()) {
                lanes.merge(step.lane(), step.fresh().orElse(Long.MAX_VALUE), Math::min);
            }
        }
        return new Done(written.size(), errors, lanes, meters, steps.losers());
    }
}
