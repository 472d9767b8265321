package io.flowfabric.core.query;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.feed.Event;

import java.util.List;
import java.util.Map;

/**
 * What is. Reads never lie: public state is derived, counts match rows, what was accepted is found
 * until its retention ends.
 */
public interface Queries {
    /** Executions as they are. Refusal: {@code NotFound}. */
    List<Answer<ExecutionView>> describe(List<ExecutionId> executions);

    /** What executions were given. Refusal: {@code NotFound}. */
    List<Answer<Payload>> inputs(List<ExecutionId> executions);

    /**
     * What executions came to. Refusals: {@code NotFound}; {@code Conflict} while one has not
     * ended.
     */
    List<Answer<Result>> results(List<ExecutionId> executions);

    /**
     * What happened to one execution, in order; each heartbeat of its holder is shown, and that an
     * operator marked it dead. Refusal: {@code NotFound}.
     */
    List<Event> history(ExecutionId execution);

    /**
     * Executions that fit a filter, in the order of submission or against it. Going on from a
     * cursor shows everything that fitted all the while, once.
     */
    Page<ExecutionView> search(Search search, Cursor after, int max);

    /**
     * How many executions of each lane are in each public state; what there is none of is absent.
     */
    Map<Lane, Map<PublicState, Long>> counts(Namespace namespace);

    /** Why an execution is not running, with the facts. Refusal: {@code NotFound}. */
    Explanation explain(ExecutionId execution);

    /** What waits for what in a lane, counted. Refusal: {@code NotFound}. */
    LaneExplanation explain(Lane lane);
}
