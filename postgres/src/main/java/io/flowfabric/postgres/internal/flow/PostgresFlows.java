package io.flowfabric.postgres.internal.flow;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Page;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.decision.FlowChanges;
import io.flowfabric.core.decision.FlowNews;
import io.flowfabric.core.feed.Event.FlowStep;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowCancellation;
import io.flowfabric.core.flow.FlowExtension;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.FlowView;
import io.flowfabric.core.flow.Flows;
import io.flowfabric.core.flow.MemberView;
import io.flowfabric.core.flow.Upstream;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.settle.FlowAftermath;
import io.flowfabric.postgres.internal.settle.FlowSettler;
import io.flowfabric.postgres.internal.settle.FlowTable;
import io.flowfabric.postgres.internal.settle.FlowTable.News;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Graphs of executions. */
public final class PostgresFlows implements Flows {
    private final PostgresContext postgres;
    private final FlowTable flows;
    private final FlowSettler settler;
    private final FlowReader reader;

    public PostgresFlows(PostgresContext postgres) {
        this.postgres = postgres;
        this.flows = new FlowTable(postgres);
        this.settler = new FlowSettler(postgres);
        this.reader = new FlowReader(postgres);
    }

    @Override
    public List<Answer<SubmittedFlow>> submit(List<FlowSubmission> submissions) {
        Limit.BATCH.checkCount("flows", submissions.size());
        return new FlowSubmitter(postgres).submit(submissions);
    }

    @Override
    public List<Answer<FlowView>> extend(List<FlowExtension> changes) {
        return each("changes", changes, new FlowExtender(postgres)::extend);
    }

    @Override
    public List<Answer<FlowView>> cancel(
            List<FlowId> ids, FlowCancellation.Mode mode, Attribution by) {
        by.mustBeOperator();
        return each("flows", ids, id -> cancel(id, mode, by));
    }

    /** Goes on until all are cancelled that the mode is about. */
    private FlowView cancel(FlowId id, FlowCancellation.Mode mode, Attribution by) {
        settler.goOn(List.of(id.uuid()));
        settler.finish(postgres.db().transaction(tx -> cancel(tx, id, mode, by)));
        return reader.describe(id);
    }

    private FlowAftermath cancel(Jdbc tx, FlowId id, FlowCancellation.Mode mode, Attribution by) {
        var after = FlowAftermath.inTurn();
        var flow = flows.lock(tx, id);
        FlowChanges.cancel(flow.record(), mode, by, flow.now())
                .ifPresent(
                        cancelled -> {
                            var now = flow.with(cancelled);
                            var event =
                                    FlowNews.of(
                                            cancelled,
                                            FlowStep.CANCELLED,
                                            Optional.of(by),
                                            flow.now());
                            flows.change(
                                    tx,
                                    List.of(now),
                                    List.of(),
                                    List.of(new News(cancelled, event)));
                            settler.settle(tx, List.of(now), after);
                        });
        return after;
    }

    @Override
    public List<Answer<FlowView>> describe(List<FlowId> ids) {
        Limit.BATCH.checkCount("flows", ids.size());
        return reader.describe(ids);
    }

    @Override
    public List<Answer<Payload>> inputs(List<FlowId> ids) {
        Limit.BATCH.checkCount("flows", ids.size());
        return reader.inputs(ids);
    }

    @Override
    public Page<MemberView> members(FlowId flow, Cursor after, int max) {
        return reader.members(flow, after, max);
    }

    @Override
    public Page<Edge> edges(FlowId flow, Cursor after, int max) {
        return reader.edges(flow, after, max);
    }

    @Override
    public Page<FlowView> list(FlowFilter filter, Cursor after, int max) {
        return reader.list(filter, after, max);
    }

    @Override
    public Optional<Membership> membership(ExecutionId execution) {
        return new UpstreamReader(postgres).membership(execution);
    }

    @Override
    public Page<Upstream> upstreams(ExecutionId member, Cursor after, int max) {
        return new UpstreamReader(postgres).upstreams(member, after, max);
    }

    /** Each by itself: one that is refused is no matter of the others. */
    private static <T, R> List<Answer<R>> each(String field, List<T> items, Function<T, R> act) {
        Limit.BATCH.checkCount(field, items.size());
        return items.stream().map(item -> answer(item, act)).toList();
    }

    static <T, R> Answer<R> answer(T item, Function<T, R> act) {
        try {
            return Answer.done(act.apply(item));
        } catch (Unavailable | StoreFailure broken) {
            // The others would meet the same.
            throw broken;
        } catch (FlowFabricException refusal) {
            return Answer.refused(refusal);
        }
    }
}
