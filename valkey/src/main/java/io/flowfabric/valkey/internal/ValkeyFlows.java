package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Page;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.decision.FlowChanges;
import io.flowfabric.core.decision.FlowSettlement;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowCancellation;
import io.flowfabric.core.flow.FlowExtension;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.FlowView;
import io.flowfabric.core.flow.Flows;
import io.flowfabric.core.flow.MemberView;
import io.flowfabric.core.flow.Upstream;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Graphs of executions. */
public final class ValkeyFlows implements Flows {
    private final ValkeyContext valkey;
    private final FlowSettling settling;
    private final FlowHomes homes;
    private final FlowSubmissions submissions;
    private final FlowExtensions extensions;
    private final FlowReads reads;
    private final FlowListing listing;

    public ValkeyFlows(ValkeyContext valkey, FlowSettling settling) {
        this.valkey = valkey;
        this.settling = settling;
        this.homes = new FlowHomes(valkey);
        this.submissions = new FlowSubmissions(valkey);
        this.extensions = new FlowExtensions(valkey, settling);
        this.reads = new FlowReads(valkey);
        this.listing = new FlowListing(valkey);
    }

    private static <T, R> List<Answer<R>> each(String what, List<T> items, Function<T, R> act) {
        Limit.BATCH.checkCount(what, items.size());
        var parts = new AppliedParts();
        return items.stream()
                .map(item -> parts.change(() -> answered(() -> act.apply(item))))
                .toList();
    }

    /** What is refused of one flow is no matter of the others. */
    static <R> Answer<R> answered(Supplier<R> act) {
        try {
            return Answer.done(act.get());
        } catch (Unavailable closed) {
            throw closed;
        } catch (StoreFailure failure) {
            if (!failure.isUnreadable()) {
                throw failure;
            }
            return Answer.refused(failure);
        } catch (FlowFabricException refusal) {
            return Answer.refused(refusal);
        }
    }

    @Override
    public List<Answer<SubmittedFlow>> submit(List<FlowSubmission> flows) {
        return submissions.submit(flows);
    }

    @Override
    public List<Answer<FlowView>> extend(List<FlowExtension> changes) {
        return each("changes", changes, extensions::extend);
    }

    @Override
    public List<Answer<FlowView>> cancel(
            List<FlowId> flows, FlowCancellation.Mode mode, Attribution by) {
        by.mustBeOperator();
        return each(
                "flows",
                flows,
                id -> {
                    var home = homes.find(id).home();
                    return GuardedWrites.retry("the flow " + id, () -> cancel(home, id, mode, by));
                });
    }

    private Optional<FlowView> cancel(
            Partition home, FlowId id, FlowCancellation.Mode mode, Attribution by) {
        var flow = homes.find(id).flow();
        if (flow.inbox().length > 0) {
            // What has happened comes first.
            settling.settle(home, id.uuid());
            return Optional.empty();
        }
        var now = flow.now();
        var cancelled = FlowChanges.cancel(flow.record(), mode, by, now);
        if (cancelled.isEmpty()) {
            settling.settle(home, id.uuid());
            return Optional.of(homes.find(id).flow().view());
        }
        var graph = new StoredGraph(valkey, home, id.uuid());
        var settled =
                FlowSettlement.settle(cancelled.get(), graph, flow.ended(), now, FlowSettling.MOST);
        var write = FlowWrite.of(flow).cancel(cancelled.get(), now).settle(settled, graph, now);
        if (!write.write(valkey, home).done()) {
            return Optional.empty();
        }
        settling.settle(home, id.uuid());
        settling.settleIfPossible(home, write.abandoned().toList());
        return Optional.of(homes.find(id).flow().view());
    }

    @Override
    public List<Answer<FlowView>> describe(List<FlowId> flows) {
        return each("flows", flows, id -> homes.find(id).flow().view());
    }

    @Override
    public List<Answer<Payload>> inputs(List<FlowId> flows) {
        return each("flows", flows, reads::input);
    }

    @Override
    public Page<MemberView> members(FlowId flow, Cursor after, int max) {
        return reads.members(flow, after, max);
    }

    @Override
    public Page<Edge> edges(FlowId flow, Cursor after, int max) {
        return reads.edges(flow, after, max);
    }

    @Override
    public Page<FlowView> list(FlowFilter filter, Cursor after, int max) {
        return listing.list(filter, after, max);
    }

    @Override
    public Optional<Membership> membership(ExecutionId execution) {
        return reads.membership(execution);
    }

    @Override
    public Page<Upstream> upstreams(ExecutionId member, Cursor after, int max) {
        return reads.upstreams(member, after, max);
    }
}
