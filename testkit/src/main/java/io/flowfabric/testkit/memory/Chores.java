package io.flowfabric.testkit.memory;

import io.flowfabric.core.Failure;
import io.flowfabric.core.contract.By;
import io.flowfabric.core.contract.Maintenance;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Finished;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What happens because time passes. */
final class Chores implements Maintenance {
    /** How long events are kept. */
    private static final Duration EVENT_RETENTION = Duration.ofDays(7);

    private final World world;

    Chores(World world) {
        this.world = world;
    }

    @Override
    public Round tick(Chore chore, int limit) {
        return world.call(
                () -> {
                    int processed =
                            switch (chore) {
                                case SESSIONS -> bury(limit);
                                case TIMERS -> timers(limit);
                                case RETENTION -> forget(limit);
                            };
                    return new Round(processed, world.unreadable(), processed == limit);
                });
    }

    private int bury(int limit) {
        int done = 0;
        for (World.Living living : world.dead()) {
            for (Row row : world.heldBy(living.session.id())) {
                if (done == limit) {
                    return done;
                }
                world.lapse(row, Optional.empty());
                done++;
            }
            world.bury(living);
        }
        return done;
    }

    private int timers(int limit) {
        int done = each(limit, Row::live, row -> row.deadline, this::expire);
        done += each(limit - done, Row::live, Row::attemptDue, this::timeOut);
        done += each(limit - done, Row::live, Row::stallDue, this::stall);
        done += each(limit - done, this::mayWake, Row::wakeDue, this::wake);
        return done;
    }

    private int forget(int limit) {
        int done = each(limit, row -> true, Chores::keepUntil, world::erase);
        return done + world.log.dropBefore(world.now().minus(EVENT_RETENTION), limit - done);
    }

    private static Optional<Instant> keepUntil(Row row) {
        return row.state instanceof Finished finished
                ? Optional.of(row.policy().keepUntil(finished.at()))
                : Optional.empty();
    }

    private void expire(Row row) {
        world.finish(
                row,
                Transition.EXPIRE,
                Outcome.EXPIRED,
                Optional.of(By.engine("deadline")),
                Optional.empty());
    }

    private void timeOut(Row row) {
        var failure =
                Failure.of(
                        Failure.TIMEOUT,
                        "the attempt took longer than "
                                + row.policy().attemptTimeout().orElseThrow());
        var verdict = row.policy().retry().decide(row.id(), failure, row.retries);
        world.fail(row, failure, verdict, Optional.of(By.engine("attempt timeout")));
    }

    private void stall(Row row) {
        var silence = row.policy().stallTimeout().orElseThrow();
        world.lapse(row, Optional.of(By.engine("no progress for " + silence)));
    }

    private boolean mayWake(Row row) {
        return row.state instanceof Delayed delayed && world.isDue(delayed);
    }

    private void wake(Row row) {
        var next = ((Delayed) row.state).next();
        world.leave(row, Transition.WAKE, new Ready(next), Optional.empty(), Optional.empty());
    }

    /** Does something to each row that is due, the longest overdue first, and says to how many. */
    private int each(
            int limit,
            Predicate<Row> candidate,
            Function<Row, Optional<Instant>> due,
            Consumer<Row> act) {
        var overdue =
                world.rows().stream()
                        .filter(candidate)
                        .filter(
                                row ->
                                        due.apply(row)
                                                .filter(at -> !at.isAfter(world.now()))
                                                .isPresent())
                        .sorted(Comparator.comparing((Row row) -> due.apply(row).orElseThrow()))
                        .limit(limit)
                        .toList();
        overdue.forEach(act);
        return overdue.size();
    }

    @Override
    public Optional<Instant> nextDue() {
        return world.call(
                () ->
                        Stream.concat(
                                        world.rows().stream().flatMap(Chores::dueTimes),
                                        world.sessions().map(living -> living.aliveUntil))
                                .min(Comparator.naturalOrder()));
    }

    private static Stream<Instant> dueTimes(Row row) {
        var live = row.live() ? row.deadline : Optional.<Instant>empty();
        return List.of(live, row.attemptDue(), row.stallDue(), row.wakeDue(), keepUntil(row))
                .stream()
                .flatMap(Optional::stream);
    }
}
