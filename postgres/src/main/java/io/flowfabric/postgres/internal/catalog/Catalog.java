package io.flowfabric.postgres.internal.catalog;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.policy.Policy;

import java.util.Collection;

/**
 * What this process knows of the small tables that hot rows refer to by number.
 *
 * <p>Their rows never change what they stand for, and no number is given twice. Gates and meters
 * without work are removed in the end, so who uses a number has the store see that it is still
 * there: by the generation of the gates of a lane, or by a foreign key. Only what is committed is
 * remembered.
 */
public record Catalog(LaneNumbers lanes, Gates gates, Meters meters, SharedPolicies policies) {
    /** One that knows nothing yet. */
    public static Catalog empty() {
        return new Catalog(new LaneNumbers(), new Gates(), new Meters(), new SharedPolicies());
    }

    /** Forgets everything, because the data may be that of another time. */
    public void forgetAll() {
        lanes.forgetAll();
        gates.forgetAll();
        meters.forgetAll();
        policies.forgetAll();
    }

    /**
     * Work that names these numbers was not taken, perhaps because gates were retired or removed,
     * or something that it names was deleted: what it refers to is to be looked up again.
     */
    public void forget(
            Namespace namespace,
            Policy policy,
            Collection<Integer> someGates,
            Collection<Integer> someLanes) {
        meters.forget(namespace, policy);
        gates.forget(someGates, someLanes);
    }
}
