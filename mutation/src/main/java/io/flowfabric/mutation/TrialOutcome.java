package io.flowfabric.mutation;

/** What came of a change. */
enum TrialOutcome {
    /** A test failed, twice. */
    NOTICED,
    /** A test did not end in ten times its time. */
    ENDLESS,
    /** Every test that runs the statement passed. */
    SURVIVED,
    /** No test runs the statement. */
    NEVER_RUN,
    /** The process that tried it ended without an answer. */
    LOST,
    /** The server cannot parse it, so it is no statement at all and does not count. */
    STILLBORN
}
