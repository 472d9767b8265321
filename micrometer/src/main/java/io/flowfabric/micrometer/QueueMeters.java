package io.flowfabric.micrometer;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Lane;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.query.Queries;
import io.flowfabric.core.query.Search;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * How much waits in a lane, and since when: the gauges {@code ff.queue.depth} and {@code
 * ff.queue.age}.
 *
 * <p>They are read from the store when the registry is asked, every ten seconds at most, so that
 * only those pay who look. One process of a fleet is enough: all would say the same. While the
 * store cannot be reached they are not a number.
 */
public final class QueueMeters implements MeterBinder {
    private static final Duration KEPT = Duration.ofSeconds(10);

    private final Queries queries;
    private final Lane lane;
    private final InstantSource clock;
    private Instant read = Instant.MIN;
    private double depth;
    private double age;

    /** Meters of a lane. */
    public QueueMeters(Queries queries, Lane lane) {
        this(queries, lane, InstantSource.system());
    }

    QueueMeters(Queries queries, Lane lane, InstantSource clock) {
        this.queries = queries;
        this.lane = lane;
        this.clock = clock;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        var label = lane.toString();
        Gauge.builder("ff.queue.depth", this, QueueMeters::depth)
                .tag("lane", label)
                .strongReference(true)
                .register(registry);
        Gauge.builder("ff.queue.age", this, QueueMeters::age)
                .tag("lane", label)
                .baseUnit("seconds")
                .strongReference(true)
                .register(registry);
    }

    private synchronized double depth() {
        refresh();
        return depth;
    }

    private synchronized double age() {
        refresh();
        return age;
    }

    private void refresh() {
        var now = clock.instant();
        if (now.isBefore(read.equals(Instant.MIN) ? read : read.plus(KEPT))) {
            return;
        }
        read = now;
        try {
            var counts = queries.counts(lane.namespace()).get(lane);
            depth = counts == null ? 0 : (double) counts.getOrDefault(PublicState.WAITING, 0L);
            age = depth == 0 ? 0 : oldest(now);
        } catch (FlowFabricException unreachable) {
            depth = Double.NaN;
            age = Double.NaN;
        }
    }

    private double oldest(Instant now) {
        var waiting = Search.in(lane.namespace()).lane(lane.name()).states(PublicState.WAITING);
        return queries.search(waiting, Cursor.START, 1).items().stream()
                .mapToDouble(
                        one -> Math.max(0, Duration.between(one.submitted(), now).toMillis()) / 1e3)
                .findFirst()
                .orElse(0);
    }
}
