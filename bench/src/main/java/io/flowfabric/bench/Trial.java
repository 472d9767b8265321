package io.flowfabric.bench;

import io.flowfabric.bench.report.Run;

import java.sql.SQLException;

/** Something that is measured again and again. */
interface Trial {
    /** What the ratios call it. */
    String key();

    /** What people call it. */
    String name();

    /** Does it once, from a clean start, and makes sure that it was done right. */
    Run run(int executions) throws SQLException, InterruptedException;
}
