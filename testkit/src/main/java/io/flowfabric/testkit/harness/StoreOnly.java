package io.flowfabric.testkit.harness;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Grant;
import io.flowfabric.core.lease.Grants.Redemption;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Store;
import io.flowfabric.testkit.StoreFixture;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A store without a model, for many threads: nothing is foretold, the history will judge.
 *
 * <p>Calls run side by side, but time passes only between them. A store reads its clock once in a
 * call and may then wait for a lock; half a minute that passes meanwhile would put events out of
 * order in a way that no real clock does, and the checker could not tell it from a defect.
 */
final class StoreOnly implements Stage {
    private final StoreFixture fixture;
    private final boolean exclusive;

    // Fair: calls that never pause would otherwise stop the clock for ever.
    private final ReadWriteLock time = new ReentrantReadWriteLock(true);

    /**
     * A stage for one store.
     *
     * @param exclusive whether only one thread uses it
     */
    StoreOnly(StoreFixture fixture, boolean exclusive) {
        this.fixture = fixture;
        this.exclusive = exclusive;
        fixture.store().keys().first();
    }

    @Override
    public <T> Reply<T> call(String what, Object request, Function<Store, T> call) {
        return holding(time.readLock(), () -> Reply.of(() -> call.apply(fixture.store())));
    }

    @Override
    public Reply<List<Lease>> claim(Claims.Claim claim) {
        return call("claim", claim, store -> store.claims().claim(claim).leases());
    }

    @Override
    public Reply<List<Grant>> grant(Claims.Claim claim, Duration ttl) {
        return call("grant", claim, store -> store.grants().claimForWorker(claim, ttl).grants());
    }

    @Override
    public Reply<Grant> reclaim(ExecutionId execution, SessionId session, Duration ttl) {
        return call(
                "reclaim",
                execution,
                store -> store.grants().reclaimForWorker(execution, session, ttl));
    }

    @Override
    public Reply<List<Answer<Lease>>> redeem(Redemption redemption) {
        return call("redeem", redemption, store -> store.grants().redeem(redemption));
    }

    @Override
    public void tick(Chore chore, int limit) {
        var unused = call("tick", chore, store -> SweepRounds.of(store, chore, limit));
    }

    @Override
    public void advance(Duration step) {
        var unused =
                holding(
                        time.writeLock(),
                        () -> {
                            fixture.advance(step);
                            return step;
                        });
    }

    @Override
    public Instant now() {
        return fixture.now();
    }

    @Override
    public boolean exclusive() {
        return exclusive;
    }

    private static <T> T holding(Lock lock, Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }
}
