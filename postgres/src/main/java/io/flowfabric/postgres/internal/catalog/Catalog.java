package io.flowfabric.postgres.internal.catalog;

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

    /** Something that is remembered has been removed: all of it is to be looked up again. */
    public void forgetGates() {
        gates.forgetNumbers();
        meters.forgetNumbers();
    }
}
