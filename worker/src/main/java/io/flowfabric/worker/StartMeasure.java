package io.flowfabric.worker;

import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.engine.EngineMetrics;

import java.time.Duration;
import java.time.Instant;

/** Measures how long fresh work has waited for a worker. */
final class StartMeasure {
    private static final int MILLIS_SHIFT = 16;
    private static final int TIMED_VERSION = 7;

    private StartMeasure() {}

    /** Tells of work that begins for the first time; ids that were not minted here tell no time. */
    static void begun(Lease lease, EngineMetrics metrics) {
        var uuid = lease.fence().execution().uuid();
        if (lease.next() != LeasePurpose.FIRST || uuid.version() != TIMED_VERSION) {
            return;
        }
        var submitted = Instant.ofEpochMilli(uuid.getMostSignificantBits() >>> MILLIS_SHIFT);
        var startable =
                switch (lease.policy().start()) {
                    case Due.After(var delay) -> submitted.plus(delay);
                    case Due.At(var time) -> time.isAfter(submitted) ? time : submitted;
                };
        var waited = Duration.between(startable, lease.since());
        metrics.begun(lease.lane(), waited.isNegative() ? Duration.ZERO : waited);
    }
}
