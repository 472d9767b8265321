package io.flowfabric.postgres.internal.step;

import io.flowfabric.core.Contended;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.SessionId;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.ready.ReadyLanes;
import io.flowfabric.postgres.internal.step.FactsReader.Locked;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Takes the batches of a sweep through whatever stands in their way.
 *
 * <p>A row that another transaction has locked is passed over. What else another holds is waited
 * for a moment, then passed over together with the work that needs it, because the holder may be
 * frozen: meters, and where keys share their rounds. A batch that is held up all the same, or fails
 * because of what is in it, is split until the execution in question is alone, and the others come
 * through.
 */
public final class SweepBatches {
    private static final Logger log = LoggerFactory.getLogger(SweepBatches.class);

    /**
     * How long a batch is split to find out what holds it up; the rest waits for the next round.
     */
    private static final Duration LONGEST_SEARCH = Duration.ofSeconds(2);

    private final PostgresContext postgres;

    public SweepBatches(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /**
     * What was done, and whom it concerns.
     *
     * @param left how many executions were left to newer programs
     */
    public record Done(
            int processed,
            int errors,
            int left,
            ReadyLanes lanes,
            Set<Integer> meters,
            Set<SessionId> losers,
            Set<UUID> streamed) {
        public static final Done NOTHING = failed(0);

        /** Nothing was done, and so many executions could not be dealt with. */
        static Done failed(int errors) {
            return new Done(0, errors, 0, new ReadyLanes(), Set.of(), Set.of(), Set.of());
        }

        public Done leaving(int more) {
            return new Done(processed, errors, left + more, lanes, meters, losers, streamed);
        }

        public Done and(Done more) {
            var ready = new ReadyLanes();
            ready.addAll(lanes);
            ready.addAll(more.lanes);
            return new Done(
                    processed + more.processed,
                    errors + more.errors,
                    left + more.left,
                    ready,
                    union(meters, more.meters),
                    union(losers, more.losers),
                    union(streamed, more.streamed));
        }

        private static <T> Set<T> union(Set<T> some, Set<T> others) {
            var all = new HashSet<>(some);
            all.addAll(others);
            return all;
        }
    }

    /** What is done to a batch of executions in one transaction. */
    public interface Work {
        /**
         * Decides and writes.
         *
         * @param locked those that could be locked; the others are left for the next round
         */
        Done run(Jdbc tx, List<UUID> executions, Map<UUID, Locked> locked);
    }

    /**
     * Does the work on as many of the executions as possible, and wakes those who wait for what
     * came of it. What another transaction holds up is left for the next round.
     *
     * @param sweep what the work does, as the log names it
     * @param failed hears of each execution that the work fails for even alone; it leaves that one
     *     alone for a minute
     */
    public Done through(String sweep, List<UUID> executions, Work work, Consumer<UUID> failed) {
        if (executions.isEmpty()) {
            return Done.NOTHING;
        }
        var done = pass(sweep, executions, work, failed, Way.AWAITING);
        postgres.returned(done.lanes);
        postgres.freed(done.meters);
        postgres.lost(done.losers);
        postgres.streamed(done.streamed);
        return done;
    }

    /**
     * How a batch meets what other transactions hold.
     *
     * @param awaits whether it waits for that, or passes it over
     * @param until until when it is split to find out what it could not pass over
     */
    private record Way(boolean awaits, long until) {
        static final Way AWAITING = new Way(true, 0);

        static Way passingOver() {
            return new Way(false, System.nanoTime() + LONGEST_SEARCH.toNanos());
        }

        boolean isOver() {
            return System.nanoTime() - until > 0;
        }
    }

    private Done pass(
            String sweep, List<UUID> executions, Work work, Consumer<UUID> failed, Way way) {
        int size = executions.size();
        try {
            return once(executions, work, way);
        } catch (Contended held) {
            log.debug("A sweep passes over what another transaction holds", held);
            if (way.awaits) {
                return pass(sweep, executions, work, failed, Way.passingOver());
            }
            if (size == 1 || way.isOver()) {
                return Done.NOTHING;
            }
        } catch (RuntimeException failure) {
            if (!FlowFabricException.concernsRequest(failure)) {
                throw failure;
            }
            if (size == 1) {
                var bad = executions.getFirst();
                log.error(
                        "The sweep of {} cannot deal with the execution {}; it is tried again in a"
                                + " minute, and the others were done.",
                        sweep,
                        bad,
                        failure);
                failed.accept(bad);
                return Done.failed(1);
            }
        }
        return pass(sweep, executions.subList(0, size / 2), work, failed, way)
                .and(pass(sweep, executions.subList(size / 2, size), work, failed, way));
    }

    private Done once(List<UUID> executions, Work work, Way way) {
        return postgres.db()
                .transaction(
                        tx -> {
                            tx.query(way.awaits ? "patience_of_sweeps" : "little_patience").run();
                            return work.run(tx, executions, lock(tx, executions, way));
                        });
    }

    private Map<UUID, Locked> lock(Jdbc tx, List<UUID> executions, Way way) {
        var locked = FactsReader.lock("free_facts", tx, postgres, executions);
        if (!way.awaits && !locked.isEmpty()) {
            locked.keySet()
                    .removeAll(
                            tx.query("lock_unheld_rounds")
                                    .uuids("ids", locked.keySet(), id -> id)
                                    .list(row -> row.uuid("id")));
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
    public Done write(Jdbc tx, StepBatch steps, int errors) {
        if (steps.isEmpty()) {
            return Done.failed(errors);
        }
        var written = steps.write(tx, postgres.now());
        var lanes = new ReadyLanes();
        var meters = new HashSet<Integer>();
        for (var step : written) {
            meters.addAll(step.freed());
            if (step.ready()) {
                lanes.add(step.lane(), step.id());
                step.fresh().ifPresent(seq -> lanes.addFresh(step.lane(), seq));
            }
        }
        return new Done(written.size(), errors, 0, lanes, meters, steps.losers(), steps.streamed());
    }
}
