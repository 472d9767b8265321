package io.flowfabric.testkit.memory;

import io.flowfabric.core.Fence;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.decision.Definitions;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.testkit.memory.MemoryWakeups.CommitNews;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * What is stored, part by part, with the one lock under which it changes and the one clock by which
 * it does. What belongs to one interface, as signing keys or the settings of namespaces, is kept by
 * the class that implements it.
 *
 * <p>The three rules that a broken store would get wrong, {@link #holds}, {@link #nextEpoch} and
 * {@link #isDue}, stand alone so that a test can break them.
 */
class MemoryState {
    final ExecutionTable executions = new ExecutionTable();
    final ExecutionSteps steps = new ExecutionSteps(this);
    final SessionRegistry sessions = new SessionRegistry(this);
    final LaneRegistry lanes = new LaneRegistry();
    final FairQueue shares = new FairQueue(this);
    final QuotaMeters meters = new QuotaMeters(this);
    final BudgetAccounts purses = new BudgetAccounts(this);
    final MemoryBreaches breaches = new MemoryBreaches(this);
    final FlowRegistry flows = new FlowRegistry(this);
    final EventLog log = new EventLog();
    final MemoryWakeups wakeups = new MemoryWakeups(this);

    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private boolean closed;

    MemoryState(InstantSource clock) {
        this.clock = clock;
    }

    /** Does one thing at a time, as one commit; nothing once the store is closed. */
    <T> T call(Supplier<T> commit) {
        var news = CommitNews.NONE;
        lock.lock();
        try {
            if (closed) {
                throw new Unavailable("The store is closed; open another one.");
            }
            var answer = commit.get();
            flows.settle();
            shares.place();
            news = wakeups.news();
            return answer;
        } finally {
            wakeups.forgetNews();
            lock.unlock();
            wakeups.tell(news);
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    /** The store's clock, in whole milliseconds. */
    Instant now() {
        return Instant.ofEpochMilli(clock.millis());
    }

    /**
     * @throws NotFound when one of these was never defined in the namespace, or deleted since
     */
    void mustExist(Namespace namespace, Collection<String> quotas, Collection<BudgetUse> budgets) {
        Definitions.mustExist(
                quotas,
                budgets,
                name -> meters.quota(namespace, name).isPresent(),
                name ->
                        purses.find(namespace, name)
                                .map(purse -> purse.budget.dimensions().keySet())
                                .orElse(Set.of()));
    }

    // The rules that everything rests on.

    /** Whether a fence allows writing: running, this attempt, this epoch, a living session. */
    boolean holds(MemoryExecution row, Fence fence) {
        return row.state instanceof Running running
                && fence.attempt() == row.attempts - 1
                && fence.epoch() == row.epoch
                && sessions.isAlive(running.session());
    }

    /** The epoch of the next lease or grant: every one ever given has its own. */
    long nextEpoch(MemoryExecution row) {
        return Fence.epochAfter(row.epoch, now());
    }

    /** Whether the time for something to happen to a row has come. */
    boolean isDue(MemoryExecution row, Instant at) {
        return !at.isAfter(now());
    }
}
