package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Explanation;
import io.flowfabric.core.query.LaneExplanation;
import io.flowfabric.core.query.Queries;
import io.flowfabric.core.query.Result;
import io.flowfabric.core.query.Search;

import java.util.List;
import java.util.Map;

/** What is. */
public final class ValkeyQueries implements Queries {
    private final ExecutionReads reads;
    private final ValkeyHistory history;
    private final ValkeySteps steps;
    private final ValkeySearch search;
    private final ValkeyCounts counts;
    private final ValkeyExplanations explanations;

    public ValkeyQueries(ValkeyContext valkey) {
        this.reads = new ExecutionReads(valkey);
        this.history = new ValkeyHistory(valkey);
        this.steps = new ValkeySteps(valkey);
        this.search = new ValkeySearch(valkey);
        this.counts = new ValkeyCounts(valkey);
        this.explanations = new ValkeyExplanations(valkey);
    }

    @Override
    public List<Answer<ExecutionView>> describe(List<ExecutionId> executions) {
        return reads.each(executions, StoredExecution.VIEWED, true, StoredExecution::view);
    }

    @Override
    public List<Answer<Payload>> inputs(List<ExecutionId> executions) {
        return reads.each(
                executions,
                StoredExecution.INPUT,
                false,
                (stored, around) -> stored.whole().input());
    }

    @Override
    public List<Answer<Result>> results(List<ExecutionId> executions) {
        return reads.each(
                executions, StoredExecution.RESULT, false, (stored, around) -> stored.result());
    }

    @Override
    public List<Event> history(ExecutionId execution) {
        return history.of(execution);
    }

    @Override
    public Page<Step> steps(ExecutionId execution, Cursor after, int max) {
        return steps.page(execution, after, max);
    }

    @Override
    public Page<ExecutionView> search(Search search, Cursor after, int max) {
        return this.search.page(search, after, max);
    }

    @Override
    public Map<Lane, Map<PublicState, Long>> counts(Namespace namespace) {
        return counts.of(namespace);
    }

    @Override
    public Explanation explain(ExecutionId execution) {
        return explanations.explain(execution);
    }

    @Override
    public LaneExplanation explain(Lane lane) {
        return explanations.explain(lane);
    }
}
