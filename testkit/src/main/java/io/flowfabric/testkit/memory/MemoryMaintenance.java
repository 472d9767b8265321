package io.flowfabric.testkit.memory;

import io.flowfabric.core.decision.Timer;
import io.flowfabric.core.state.ExecutionState.Finished;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.store.Maintenance;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** What happens because time passes. */
final class MemoryMaintenance implements Maintenance {
    /** How long events are kept at least. */
    private static final Duration EVENT_RETENTION = Duration.ofDays(7);

    /** How long dead sessions are known: longer than the last event that names them. */
    private static final Duration SESSION_RETENTION = EVENT_RETENTION.plusDays(2);

    private final MemoryState world;
    private final MemoryNamespaces namespaces;

    /** When the turn at each duty was last taken. */
    private final Map<Duty, Instant> turns = new EnumMap<>(Duty.class);

    MemoryMaintenance(MemoryState world, MemoryNamespaces namespaces) {
        this.world = world;
        this.namespaces = namespaces;
    }

    @Override
    public Round tick(Chore chore, int limit) {
        return world.call(
                () -> {
                    int processed =
                            switch (chore) {
                                case SESSIONS -> world.sessions.buryDead(limit);
                                case TIMERS -> timers(limit);
                                case RETENTION -> forget(limit);
                            };
                    return new Round(processed, world.executions.unreadable(), processed == limit);
                });
    }

    private int timers(int limit) {
        int done = 0;
        for (Timer timer : Timer.values()) {
            done +=
                    each(
                            limit - done,
                            row -> timer.due(row.facts()).filter(at -> world.isDue(row, at)),
                            row -> world.steps.apply(row, timer.ring(row.facts(), world.now())));
        }
        done += world.breaches.cancel(limit - done);
        wakeBehindQuotas();
        world.purses.resetDue(world.now());
        return done;
    }

    /** A window may have passed: then whoever waits for work should look again. */
    private void wakeBehindQuotas() {
        var room = new AdmissionCheck(world);
        world.executions.rows().stream()
                .filter(
                        row ->
                                row.state instanceof Ready
                                        && !world.meters.countsAgainst(row).isEmpty())
                .filter(room::admits)
                .forEach(row -> world.wakeups.wake(row.lane()));
    }

    private int forget(int limit) {
        int done = each(limit, this::keepUntil, world.steps::erase);
        world.flows.forget(flow -> namespaces.settings(flow.namespace()).retention());
        world.sessions.forgetBefore(world.now().minus(SESSION_RETENTION));
        // Whole days, so that a store can keep each in a place of its own and drop it at once.
        var oldest = world.now().minus(EVENT_RETENTION).truncatedTo(ChronoUnit.DAYS);
        return done + world.log.dropBefore(oldest);
    }

    private Optional<Instant> keepUntil(MemoryExecution row) {
        var otherwise = namespaces.settings(row.lane().namespace()).retention();
        return row.state instanceof Finished finished
                ? Optional.of(row.policy().keepUntil(finished.at(), otherwise))
                : Optional.empty();
    }

    /** Does something to each row that is due, the longest overdue first, and says to how many. */
    private int each(
            int limit,
            Function<MemoryExecution, Optional<Instant>> due,
            Consumer<MemoryExecution> act) {
        var overdue =
                world.executions.rows().stream()
                        .filter(
                                row ->
                                        due.apply(row)
                                                .filter(at -> !at.isAfter(world.now()))
                                                .isPresent())
                        .sorted(
                                Comparator.comparing(
                                                (MemoryExecution row) ->
                                                        due.apply(row).orElseThrow())
                                        .thenComparing(MemoryExecution.BY_ID))
                        .limit(limit)
                        .toList();
        overdue.forEach(act);
        return overdue.size();
    }

    @Override
    public Optional<Duration> nextDue(Duration within) {
        return world.call(
                () ->
                        Stream.of(
                                        world.executions.rows().stream()
                                                .flatMap(MemoryMaintenance::dueTimes),
                                        world.executions.rows().stream().flatMap(this::windows),
                                        world.purses.all().flatMap(p -> p.resets.stream()),
                                        world.sessions.unburied().map(living -> living.aliveUntil))
                                .flatMap(times -> times)
                                .min(Comparator.naturalOrder())
                                .map(next -> Duration.between(world.now(), next))
                                .filter(left -> left.compareTo(within) <= 0));
    }

    /** What is due next, by what it happens to. */
    MemoryStore.Upcoming upcoming() {
        return world.call(
                () ->
                        new MemoryStore.Upcoming(
                                first(
                                        world.executions.rows().stream()
                                                .flatMap(
                                                        row ->
                                                                Stream.concat(
                                                                        dueTimes(row),
                                                                        windows(row)))),
                                first(world.purses.all().flatMap(p -> p.resets.stream())),
                                first(world.sessions.unburied().map(living -> living.aliveUntil))));
    }

    private static Optional<Instant> first(Stream<Instant> times) {
        return times.min(Comparator.naturalOrder());
    }

    private static Stream<Instant> dueTimes(MemoryExecution row) {
        return Stream.of(Timer.values()).flatMap(timer -> timer.due(row.facts()).stream());
    }

    private Stream<Instant> windows(MemoryExecution row) {
        return row.state instanceof Ready
                ? world.meters.views(row, world.now()).flatMap(view -> view.opens().stream())
                : Stream.empty();
    }

    /**
     * Whether a store may look at something at a moment that is too early for it: at a stall that
     * reports have put off, counted from the lease or from an earlier report; or at the end of a
     * window that nothing waits for.
     */
    boolean mayBeEarly(Instant at) {
        return world.call(
                () ->
                        world.meters.reopenings().anyMatch(at::equals)
                                || world.executions.rows().stream()
                                        .anyMatch(row -> mayStallAt(row, at)));
    }

    private static boolean mayStallAt(MemoryExecution row, Instant at) {
        return row.state instanceof Running running
                && row.policy()
                        .stallDue(running.since())
                        .filter(due -> !at.isBefore(due))
                        .isPresent()
                && Timer.STALL.due(row.facts()).filter(at::isBefore).isPresent();
    }

    @Override
    public boolean takeTurn(Duty duty, Duration every) {
        return world.call(
                () -> {
                    var taken = Optional.ofNullable(turns.get(duty));
                    // One that was taken in the future was taken before the clock was set back.
                    boolean free =
                            taken.map(at -> Duration.between(at, world.now()).abs())
                                    .filter(since -> since.compareTo(every) < 0)
                                    .isEmpty();
                    if (free) {
                        turns.put(duty, world.now());
                    }
                    return free;
                });
    }
}
