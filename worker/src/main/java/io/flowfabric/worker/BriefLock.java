package io.flowfabric.worker;

import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock that is held for a moment, by threads of handlers and by those that keep their worker
 * alive.
 *
 * <p>A virtual thread does not queue for it, but tries until it has it. In the queue it could be
 * without a carrier when its turn comes, because other handlers compute; and every thread behind it
 * would wait for that.
 */
final class BriefLock extends ReentrantLock {
    private static final long serialVersionUID = 1L;

    @Override
    public void lock() {
        if (Thread.currentThread().isVirtual()) {
            while (!tryLock()) {
                Thread.onSpinWait();
            }
        } else {
            super.lock();
        }
    }
}
