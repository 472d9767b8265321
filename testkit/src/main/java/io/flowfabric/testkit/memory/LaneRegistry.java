package io.flowfabric.testkit.memory;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.decision.Conflicts;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.LaneView;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The lanes that there are, with their settings. Those of executions are always among them. */
final class LaneRegistry {
    private final Map<Lane, LaneRecord> lanes = new TreeMap<>();

    /** Everything that is stored of one lane. */
    static final class LaneRecord {
        final Lane lane;
        final Instant since;
        final String registeredBy;
        LaneSettings settings = LaneSettings.DEFAULT;
        Instant changed;
        Optional<Attribution> changedBy = Optional.empty();

        LaneRecord(Lane lane, Instant since, String registeredBy) {
            this.lane = lane;
            this.since = since;
            this.registeredBy = registeredBy;
            this.changed = since;
        }

        LaneView view() {
            return new LaneView(lane, settings, since, registeredBy, changed);
        }
    }

    /** A lane, which comes into being with the first call that names it. */
    LaneRecord register(Lane lane, String by, Instant now) {
        return lanes.computeIfAbsent(lane, unknown -> new LaneRecord(lane, now, by));
    }

    Optional<LaneRecord> known(Lane lane) {
        return Optional.ofNullable(lanes.get(lane));
    }

    /**
     * @throws NotFound when nothing has named the lane so far
     */
    LaneRecord find(Lane lane) {
        return known(lane).orElseThrow(() -> new NotFound("lane", lane.toString()));
    }

    /** The settings of a lane that there is. */
    LaneSettings settings(Lane lane) {
        return find(lane).settings;
    }

    /** All lanes, in order. */
    Stream<Lane> all() {
        return lanes.keySet().stream();
    }

    /** The lanes of a namespace, in order. */
    Stream<Lane> in(Namespace namespace) {
        return all().filter(lane -> lane.namespace().equals(namespace));
    }

    /**
     * @throws Conflict when a lane of the namespace names what is to be deleted
     */
    void mustNotBeNamed(Namespace namespace, String name, Predicate<LaneSettings> names) {
        in(namespace)
                .filter(lane -> names.test(settings(lane)))
                .findFirst()
                .ifPresent(
                        lane -> {
                            throw Conflicts.namedByLane(lane, name);
                        });
    }
}
