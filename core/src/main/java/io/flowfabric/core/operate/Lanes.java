package io.flowfabric.core.operate;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;

/** The queues. A lane comes into being with its first submission, or with its first settings. */
public interface Lanes {
    /**
     * Sets how a lane behaves, from now on. Returns the lane as it is then.
     *
     * @throws io.flowfabric.core.NotFound when it names a quota, a budget or a dimension that
     *     nobody defined
     */
    LaneView configure(Lane lane, LaneSettings settings, Attribution by);

    /**
     * One lane.
     *
     * @throws io.flowfabric.core.NotFound when nothing was ever submitted to it and nobody
     *     configured it
     */
    LaneView describe(Lane lane);

    /** The lanes of a namespace, by name. */
    Page<LaneView> list(Namespace namespace, Cursor after, int max);
}
