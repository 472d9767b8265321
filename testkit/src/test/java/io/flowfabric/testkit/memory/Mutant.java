package io.flowfabric.testkit.memory;

import io.flowfabric.core.Fence;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.VirtualClock;

import java.time.Instant;

/**
 * Stores that are broken on purpose, each in one rule. A suite that passes one of them is
 * worthless.
 */
public enum Mutant {
    /** Whoever once held a lease may write, as long as anybody holds one. */
    NO_FENCE_ON_FINISH {
        @Override
        MemoryState world(VirtualClock clock) {
            return new MemoryState(clock) {
                @Override
                boolean holds(MemoryExecution row, Fence fence) {
                    return row.state instanceof Running;
                }
            };
        }
    },
    /** The lease that takes over a lapsed one cannot be told from it. */
    EPOCH_NOT_RAISED_ON_RECLAIM {
        @Override
        MemoryState world(VirtualClock clock) {
            return new MemoryState(clock) {
                @Override
                long nextEpoch(MemoryExecution row) {
                    return row.state.equals(new Ready(LeasePurpose.RECLAIM))
                            ? row.epoch
                            : super.nextEpoch(row);
                }
            };
        }
    },
    /** A retry that waits for its backoff waits for ever. */
    LOST_WAKE_UP_AFTER_RETRY {
        @Override
        MemoryState world(VirtualClock clock) {
            return new MemoryState(clock) {
                @Override
                boolean isDue(MemoryExecution row, Instant at) {
                    boolean retries =
                            row.state instanceof Delayed delayed
                                    && delayed.next() == LeasePurpose.RETRY;
                    return !retries && super.isDue(row, at);
                }
            };
        }
    };

    abstract MemoryState world(VirtualClock clock);

    /** A fresh broken store. */
    public StoreFixture open() {
        var clock = new VirtualClock();
        return new MemoryFixture(new MemoryStore(world(clock)), clock);
    }
}
