package io.flowfabric.testkit.memory;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.admission.Budgets;
import io.flowfabric.core.admission.Quotas;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.flow.Flows;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.ClaimedForWorker;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Leases;
import io.flowfabric.core.lease.Sessions;
import io.flowfabric.core.operate.Keys;
import io.flowfabric.core.operate.Lanes;
import io.flowfabric.core.operate.Namespaces;
import io.flowfabric.core.operate.Operations;
import io.flowfabric.core.operate.Workers;
import io.flowfabric.core.query.Queries;
import io.flowfabric.core.schedule.Firings;
import io.flowfabric.core.schedule.Schedules;
import io.flowfabric.core.signal.Signals;
import io.flowfabric.core.store.Maintenance;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.store.Wakeups;
import io.flowfabric.core.stream.Streams;
import io.flowfabric.core.submit.Submissions;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * The store in memory: what every other store is compared with.
 *
 * <p>Every call is one commit under one lock. It forgets everything when it is closed.
 */
public final class MemoryStore implements Store {
    private final MemoryState world;
    private final MemoryClaims claims;
    private final MemoryKeys keys;
    private final MemoryGrants grants;
    private final MemoryNamespaces namespaces;
    private final MemoryMaintenance maintenance;
    private final MemorySchedules schedules;

    public MemoryStore(InstantSource clock) {
        this(new MemoryState(clock));
    }

    /** A store in a world with other rules, for tests that test the tests. */
    MemoryStore(MemoryState world) {
        this.world = world;
        this.claims = new MemoryClaims(world);
        this.keys = new MemoryKeys(world);
        this.grants = new MemoryGrants(world, claims, keys);
        this.namespaces = new MemoryNamespaces(world);
        this.maintenance = new MemoryMaintenance(world, namespaces);
        this.schedules = new MemorySchedules(world);
    }

    @Override
    public Submissions submissions() {
        return new MemorySubmissions(world);
    }

    @Override
    public Sessions sessions() {
        return new MemorySessions(world);
    }

    @Override
    public Claims claims() {
        return claims;
    }

    @Override
    public Grants grants() {
        return grants;
    }

    @Override
    public Leases leases() {
        return new MemoryLeases(world);
    }

    @Override
    public Flows flows() {
        return new MemoryFlows(world);
    }

    @Override
    public Signals signals() {
        return new MemorySignals(world, keys);
    }

    @Override
    public Namespaces namespaces() {
        return namespaces;
    }

    @Override
    public Lanes lanes() {
        return new MemoryLanes(world);
    }

    @Override
    public Quotas quotas() {
        return new MemoryQuotas(world);
    }

    @Override
    public Budgets budgets() {
        return new MemoryBudgets(world);
    }

    @Override
    public Schedules schedules() {
        return schedules;
    }

    @Override
    public Firings firings() {
        return schedules;
    }

    @Override
    public Workers workers() {
        return new MemoryWorkers(world);
    }

    @Override
    public Keys keys() {
        return keys;
    }

    @Override
    public Operations operations() {
        return new MemoryOperations(world);
    }

    @Override
    public Queries queries() {
        return new MemoryQueries(world);
    }

    @Override
    public Feeds feeds() {
        return new MemoryQueries(world);
    }

    @Override
    public Streams streams() {
        return new MemoryStreams(world);
    }

    @Override
    public Maintenance maintenance() {
        return maintenance;
    }

    @Override
    public Wakeups wakeups() {
        return world.wakeups;
    }

    /**
     * Claims exactly what another store claimed, so that a model can follow it.
     *
     * @param picks in the order in which they were given
     * @param more whether the other store said that there is more
     * @throws AssertionError when no store may pick so: it passed over what is ahead in a lane or a
     *     lane whose turn it was, took what the worker cannot see, or took fewer than it could
     */
    public Claimed follow(Claims.Claim claim, List<ExecutionId> picks, boolean more) {
        return claims.follow(claim, new PickJudge.PickedWork(picks, more));
    }

    /** Grants exactly what another store granted, judged in the same way. */
    public ClaimedForWorker follow(
            Claims.Claim claim, Duration ttl, List<ExecutionId> picks, boolean more) {
        return grants.follow(claim, ttl, new PickJudge.PickedWork(picks, more));
    }

    /**
     * Whether a store may say that something is due at a moment at which nothing is in this one: it
     * may come too early for what a report of progress has put off, and for a rate that nothing
     * waits for.
     */
    public boolean mayBeEarly(Instant at) {
        return maintenance.mayBeEarly(at);
    }

    /**
     * What is due next, for tests that move the clock there.
     *
     * @param work when a delay, a wait, an attempt or an execution runs out of time, or a window of
     *     a quota opens for work that waits
     * @param budgets when a budget begins another period
     * @param sessions when a session dies unless it gives a sign of life
     */
    public record Upcoming(
            Optional<Instant> work, Optional<Instant> budgets, Optional<Instant> sessions) {}

    /** What is due next, as far as is known now. */
    public Upcoming upcoming() {
        return maintenance.upcoming();
    }

    /** Damages what is stored of an execution. */
    void poison(ExecutionId execution) {
        world.call(() -> world.executions.find(execution).poisoned = true);
    }

    /** Mends it again. */
    void heal(ExecutionId execution) {
        world.call(() -> world.executions.byUuid(execution.uuid()).orElseThrow().poisoned = false);
    }

    @Override
    public void close() {
        world.close();
    }
}
