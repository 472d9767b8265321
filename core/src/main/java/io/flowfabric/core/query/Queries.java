package io.flowfabric.core.query;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Step;

import java.util.ArrayList;
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
     * What happened to one execution, in order, with the steps that were recorded; each heartbeat
     * of its holder is shown, and that an operator marked it dead. Refusal: {@code NotFound}.
     */
    List<Event> history(ExecutionId execution);

    /**
     * The steps that were recorded of one execution, in that order. A page has no more bytes than a
     * message should have, so that it may hold fewer than were asked for. Refusal: {@code
     * NotFound}.
     */
    Page<Step> steps(ExecutionId execution, Cursor after, int max);

    /** All steps of an execution, from all pages. Refusal: {@code NotFound}. */
    default List<Step> allSteps(ExecutionId execution) {
        var steps = new ArrayList<Step>();
        var after = Cursor.START;
        while (!after.equals(Cursor.END)) {
            var page = steps(execution, after, (int) Limit.PAGE.max());
            steps.addAll(page.items());
            after = page.next();
        }
        return List.copyOf(steps);
    }

    /** All steps of the execution of a lease, whether they came with it or are to be read. */
    default List<Step> allSteps(Lease lease) {
        return lease.stepsApart() ? allSteps(lease.fence().execution()) : lease.steps();
    }

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
