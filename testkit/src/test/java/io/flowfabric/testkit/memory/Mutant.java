package io.flowfabric.testkit.memory;

import io.flowfabric.core.Fence;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.Next;
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
        World world(VirtualClock clock) {
            return new World(clock) {
                @Override
                boolean holds(Row row, Fence fence) {
                    return row.state instanceof Running;
                }
            };
        }
    },
    /** The lease that takes over a lapsed one cannot be told from it. */
    EPOCH_NOT_RAISED_ON_RECLAIM {
        @Override
        World world(VirtualClock clock) {
            return new World(clock) {
                @Override
                long nextEpoch(Row row) {
                    return row.state.equals(new Ready(Next.RECLAIM))
                            ? row.epoch
                            : super.nextEpoch(row);
                }
            };
        }
    },
    /** A retry that waits for its backoff waits for ever. */
    LOST_WAKE_UP_AFTER_RETRY {
        @Override
        World world(VirtualClock clock) {
            return new World(clock) {
                @Override
                boolean isDue(Row row, Instant at) {
                    boolean retries =
                            row.state instanceof Delayed delayed && delayed.next() == Next.RETRY;
                    return !retries && super.isDue(row, at);
                }
            };
        }
    };

    abstract World world(VirtualClock clock);

    /** A fresh broken store. */
    public StoreFixture open() {
        var clock = new VirtualClock();
        return new MemoryFixture(new MemoryStore(world(clock)), clock);
    }
}
