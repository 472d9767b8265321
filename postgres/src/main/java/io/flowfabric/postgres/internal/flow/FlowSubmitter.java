package io.flowfabric.postgres.internal.flow;

import io.flowfabric.core.Digest;
import io.flowfabric.core.decision.FlowAcceptance;
import io.flowfabric.core.decision.FlowAcceptance.NumberedGraph;
import io.flowfabric.core.decision.FlowNews;
import io.flowfabric.core.feed.Event.FlowStep;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Flows.SubmittedFlow;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.settle.FlowAftermath;
import io.flowfabric.postgres.internal.settle.FlowSettler;
import io.flowfabric.postgres.internal.settle.FlowTable;
import io.flowfabric.postgres.internal.settle.LockedFlow;
import io.flowfabric.postgres.internal.settle.MemberTable;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** How graphs come in, each in one commit. */
final class FlowSubmitter {
    private final PostgresContext postgres;
    private final FlowTable flows;
    private final FlowSettler settler;

    FlowSubmitter(PostgresContext postgres) {
        this.postgres = postgres;
        this.flows = new FlowTable(postgres);
        this.settler = new FlowSettler(postgres);
    }

    SubmittedFlow submit(FlowSubmission flow) {
        var now = Instant.ofEpochMilli(postgres.time());
        var graph = FlowAcceptance.number(flow, now);
        var digest = flow.digest();
        return repeated(flow, digest).orElseGet(() -> submit(flow, digest, graph, now));
    }

    private Optional<SubmittedFlow> repeated(FlowSubmission flow, Digest digest) {
        var id = flow.id().uuid();
        var known = Optional.ofNullable(flows.read(postgres.db(), List.of(id)).get(id));
        return FlowAcceptance.repeated(flow, digest, known.map(LockedFlow::record));
    }

    private SubmittedFlow submit(
            FlowSubmission flow, Digest digest, NumberedGraph graph, Instant now) {
        var record = FlowRecord.submitted(flow, digest, now);
        var work = new MemberWork(postgres, record, flow.members());
        Optional<MemberWork.Inserted> inserted =
                work.transaction(tx -> insert(tx, flow, record, graph, work));
        if (inserted.isEmpty()) {
            // Another call has submitted it at the same moment.
            return repeated(flow, digest).orElseGet(() -> submit(flow));
        }
        work.tell(inserted.get());
        return new SubmittedFlow(flow.id(), true);
    }

    private Optional<MemberWork.Inserted> insert(
            Jdbc tx, FlowSubmission flow, FlowRecord record, NumberedGraph graph, MemberWork work) {
        if (!flows.add(tx, record, flow.input())) {
            return Optional.empty();
        }
        var now = record.submitted();
        var inserted = work.insert(tx, graph.members(), now);
        MemberTable.add(tx, flow.id().uuid(), graph.members(), graph.arcs());
        flows.tell(tx, record, FlowNews.of(record, FlowStep.SUBMITTED, Optional.empty(), now));
        if (graph.members().isEmpty()) {
            // It has nothing to wait for.
            var unused = settler.settleAll(tx, flows.lock(tx, record.id()), FlowAftermath.inTurn());
        }
        return Optional.of(inserted);
    }
}
