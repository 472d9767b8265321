package io.flowfabric.core.admission;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;
import io.flowfabric.core.policy.QuotaUse;

/** The bounds on how much runs at once, and how often. */
public interface Quotas {
    /**
     * Defines a quota, or changes one. The new bounds hold from now on; what runs over them goes on
     * running.
     */
    QuotaView define(Quota quota, Attribution by);

    /**
     * How a quota stands, for one key or for what has none.
     *
     * @throws io.flowfabric.core.NotFound when it was not defined
     */
    QuotaView describe(Namespace namespace, QuotaUse use);

    /** The quotas of a namespace, by name. */
    Page<Quota> list(Namespace namespace, Cursor after, int max);

    /**
     * Takes the bounds away. Work that names the quota is no longer held back, and new work cannot
     * name it. Deleting again is success.
     *
     * @throws io.flowfabric.core.Conflict while a lane names it
     */
    void delete(Namespace namespace, String quota, Attribution by);

    /**
     * Counts anew what runs against each quota of a namespace, from the work that runs, and puts
     * right what says otherwise. It is exact beside claims and endings, which wait for it where
     * they count against the same quotas. Starts within a window are not counted anew.
     */
    QuotaRecount recount(Namespace namespace);
}
