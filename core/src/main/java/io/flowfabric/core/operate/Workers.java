package io.flowfabric.core.operate;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;
import io.flowfabric.core.SessionId;

/**
 * The worker processes, seen from outside. A dead one stays known for as long as there may be
 * events that name it.
 */
public interface Workers {
    /** Which sessions are asked for. */
    enum Scope {
        /** Those that can work now. */
        ALIVE,
        /** Also those that have died and are still known. */
        ALL
    }

    /**
     * The sessions of a namespace, in the order of their ids: of those that were minted here, the
     * oldest first.
     */
    Page<WorkerView> list(Namespace namespace, Scope scope, Cursor after, int max);

    /**
     * One session, alive or dead.
     *
     * @throws io.flowfabric.core.NotFound when it was never opened, or died long ago
     */
    WorkerView describe(SessionId session);

    /**
     * Ends a session at once, as if it had died: it never lives again, and its work returns to the
     * queue. Returns the session as it is then.
     *
     * <p>For one that is dead already there is nothing to do, and nothing is recorded.
     *
     * @throws io.flowfabric.core.NotFound when it was never opened, or died long ago
     */
    WorkerView markDead(SessionId session, Attribution by);
}
