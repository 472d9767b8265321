package io.flowfabric.core.store;

import io.flowfabric.core.admission.Budgets;
import io.flowfabric.core.admission.Quotas;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.flow.Flows;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Leases;
import io.flowfabric.core.lease.Sessions;
import io.flowfabric.core.operate.Keys;
import io.flowfabric.core.operate.Lanes;
import io.flowfabric.core.operate.Namespaces;
import io.flowfabric.core.operate.Operations;
import io.flowfabric.core.operate.Workers;
import io.flowfabric.core.query.Queries;
import io.flowfabric.core.schedule.Schedules;
import io.flowfabric.core.signal.Signals;
import io.flowfabric.core.stream.Streams;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submissions;
import io.flowfabric.core.submit.Submitted;

/** A FlowFabric to talk to, here or far away, one interface for each audience. */
public interface Backend extends AutoCloseable {
    /** For submitters: handing in work. */
    Submissions submissions();

    /**
     * Accepts one piece of work, or throws why not: the short form of {@link Submissions#submit}.
     *
     * @return the execution, and whether this call created it
     * @throws io.flowfabric.core.FlowFabricException the refusal
     */
    default Submitted submit(Submission submission) {
        return submissions().submit(submission);
    }

    /** For worker processes: being alive. */
    Sessions sessions();

    /** For worker processes: getting work. */
    Claims claims();

    /** For dispatchers and the workers that they do not trust: work as signed tickets. */
    Grants grants();

    /** For worker processes: writing about the work they hold. */
    Leases leases();

    /** For submitters and operators: graphs of executions. */
    Flows flows();

    /** For anyone: what executions wait for. */
    Signals signals();

    /** For operators: the tenants. */
    Namespaces namespaces();

    /** For operators: the queues. */
    Lanes lanes();

    /** For operators: how much may run. */
    Quotas quotas();

    /** For operators: how much may be used up. */
    Budgets budgets();

    /** For operators: what is submitted again and again. */
    Schedules schedules();

    /** For operators: the worker processes. */
    Workers workers();

    /** For operators: what signs that which is handed to outsiders. */
    Keys keys();

    /** For operators: one execution. */
    Operations operations();

    /** For anyone: what is. */
    Queries queries();

    /** For anyone: what happened. */
    Feeds feeds();

    /** For anyone: what workers say while they work. */
    Streams streams();

    /**
     * Lets go of everything it holds. Later calls answer {@link io.flowfabric.core.Unavailable};
     * closing again does nothing.
     */
    @Override
    void close();
}
