package io.flowfabric.engine;

import io.flowfabric.core.lease.Lease;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a waiter is told: that it should look for work.
 *
 * <p>A notice of one piece of work that an engine has taken charge of knows who still has it: one
 * waiter in each room, and the thread that gives it out. When the last of them lets go of it, and
 * none of them got the work, it is passed on to other engines. So it does not matter what a waiter
 * finds instead, or why it does not look.
 */
final class WorkNotice {
    /** The notice to look for whatever there is; others were told as well, or have no reason to. */
    static final WorkNotice HINT = new WorkNotice();

    private final @Nullable UUID work;
    private final Runnable pass;
    private final AtomicInteger holders = new AtomicInteger(1);
    private volatile boolean met;

    private WorkNotice() {
        work = null;
        pass = () -> {};
    }

    /**
     * A notice that the caller holds.
     *
     * @param work the piece of work that it is about
     * @param pass tells other engines
     */
    WorkNotice(UUID work, Runnable pass) {
        this.work = work;
        this.pass = pass;
    }

    /** Has one more holder. */
    void hold() {
        holders.incrementAndGet();
    }

    /** Whether its work is among these leases; otherwise the work may still be waiting. */
    boolean isMetBy(Collection<Lease> leases) {
        boolean among =
                leases.stream().anyMatch(lease -> lease.fence().execution().uuid().equals(work));
        if (among) {
            met = true;
        }
        return among;
    }

    /** Has one holder less. */
    void letGo() {
        if (work != null && holders.decrementAndGet() == 0 && !met) {
            pass.run();
        }
    }
}
