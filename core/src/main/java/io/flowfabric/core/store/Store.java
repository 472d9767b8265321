package io.flowfabric.core.store;

import io.flowfabric.core.schedule.Firings;

/** A backend that keeps the data itself, and so has chores that an engine tends to. */
public interface Store extends Backend {
    /** For engines: what happens because time passes. */
    Maintenance maintenance();

    /** For engines: what schedules submit. */
    Firings firings();

    /** For engines: what wakes a worker that waits for work. */
    Wakeups wakeups();
}
