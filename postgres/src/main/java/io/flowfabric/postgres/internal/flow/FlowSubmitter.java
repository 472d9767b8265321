package io.flowfabric.postgres.internal.flow;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Digest;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.decision.FlowAcceptance;
import io.flowfabric.core.decision.FlowAcceptance.NumberedGraph;
import io.flowfabric.core.decision.FlowNews;
import io.flowfabric.core.feed.Event.FlowStep;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Flows.SubmittedFlow;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.settle.FlowAftermath;
import io.flowfabric.postgres.internal.settle.FlowSettler;
import io.flowfabric.postgres.internal.settle.FlowTable;
import io.flowfabric.postgres.internal.settle.FlowTable.NewFlow;
import io.flowfabric.postgres.internal.settle.FlowTable.News;
import io.flowfabric.postgres.internal.settle.LockedFlow;
import io.flowfabric.postgres.internal.settle.MemberTable;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/** How graphs come in: small ones together, and each by itself where one of them is refused. */
final class FlowSubmitter {
    private static final Logger log = LoggerFactory.getLogger(FlowSubmitter.class);

    /** So many members come in by one commit, unless one flow has more. */
    private static final int TOGETHER = 1000;

    private final PostgresContext postgres;
    private final FlowTable flows;
    private final FlowSettler settler;

    FlowSubmitter(PostgresContext postgres) {
        this.postgres = postgres;
        this.flows = new FlowTable(postgres);
        this.settler = new FlowSettler(postgres);
    }

    /** A flow whose graph is sound. */
    private record Sound(FlowSubmission flow, Digest digest, NumberedGraph graph, Instant now) {
        UUID id() {
            return flow.id().uuid();
        }

        FlowRecord record() {
            return FlowRecord.submitted(flow, digest, now);
        }
    }

    List<Answer<SubmittedFlow>> submit(List<FlowSubmission> submissions) {
        var answers = new ArrayList<Answer<SubmittedFlow>>();
        var together = new ArrayList<Sound>();
        var now = Instant.ofEpochMilli(postgres.time());
        int members = 0;
        long bytes = 0;
        for (var flow : submissions) {
            var checked = PostgresFlows.answer(flow, it -> checked(it, now));
            boolean repeats = together.stream().anyMatch(it -> it.id().equals(flow.id().uuid()));
            members += size(flow);
            bytes += bytes(flow);
            if (!checked.isDone() || repeats || members > TOGETHER || bytes > Chunks.BYTES) {
                answers.addAll(submitAll(together));
                together.clear();
                members = size(flow);
                bytes = bytes(flow);
            }
            if (checked.isDone()) {
                together.add(checked.orThrow());
            } else {
                answers.add(checked.map(never -> new SubmittedFlow(flow.id(), false)));
            }
        }
        answers.addAll(submitAll(together));
        return answers;
    }

    private static int size(FlowSubmission flow) {
        return 1 + flow.members().size();
    }

    private static long bytes(FlowSubmission flow) {
        return flow.input().size()
                + flow.members().stream().mapToLong(it -> it.work().input().size()).sum();
    }

    private static Sound checked(FlowSubmission flow, Instant now) {
        return new Sound(flow, flow.digest(), FlowAcceptance.number(flow, now), now);
    }

    private List<Answer<SubmittedFlow>> submitAll(List<Sound> some) {
        if (some.size() > 1 && areNew(some)) {
            try {
                if (inserted(some)) {
                    return some.stream()
                            .map(it -> Answer.done(new SubmittedFlow(it.flow.id(), true)))
                            .toList();
                }
            } catch (Unavailable | StoreFailure broken) {
                throw broken;
            } catch (FlowFabricException refusal) {
                // That of one of them: each is told for itself.
                log.debug("Flows are submitted one by one", refusal);
            }
        }
        return some.stream().map(it -> PostgresFlows.answer(it, this::submit)).toList();
    }

    private boolean areNew(List<Sound> some) {
        return flows.read(postgres.db(), some.stream().map(Sound::id).toList()).isEmpty();
    }

    private SubmittedFlow submit(Sound one) {
        return repeated(one)
                .orElseGet(
                        () ->
                                inserted(List.of(one))
                                        ? new SubmittedFlow(one.flow.id(), true)
                                        // Another call has submitted it at the same moment.
                                        : repeated(one).orElseGet(() -> submit(one)));
    }

    private Optional<SubmittedFlow> repeated(Sound one) {
        var known = Optional.ofNullable(flows.read(postgres.db(), List.of(one.id())).get(one.id()));
        return FlowAcceptance.repeated(one.flow, one.digest, known.map(LockedFlow::record));
    }

    /** Inserts flows, unless there is one of their ids by now; says whether. */
    private boolean inserted(List<Sound> some) {
        var work =
                new MemberWork(
                        postgres,
                        some.stream()
                                .map(it -> new MemberWork.Part(it.record(), it.flow.members()))
                                .toList());
        try {
            work.tell(work.transaction(tx -> insert(tx, some, work)));
            return true;
        } catch (Taken rolledBack) {
            return false;
        }
    }

    /** That there is a flow of one of the ids. */
    private static final class Taken extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Taken() {
            super("a flow of this id is there", null, false, false);
        }
    }

    private MemberWork.Inserted insert(Jdbc tx, List<Sound> some, MemberWork work) {
        var added = some.stream().map(it -> new NewFlow(it.record(), it.flow.input())).toList();
        if (flows.add(tx, added) < some.size()) {
            throw new Taken();
        }
        var members = all(some, it -> MemberTable.of(it.id(), it.graph.members()));
        var inserted = work.insert(tx, members, some.getFirst().now);
        MemberTable.add(tx, members, all(some, it -> MemberTable.arcsOf(it.id(), it.graph.arcs())));
        flows.tell(tx, some.stream().map(FlowSubmitter::submitted).toList());
        for (var it : some) {
            if (it.graph.members().isEmpty()) {
                // It has nothing to wait for.
                var unused =
                        settler.settleAll(tx, flows.lock(tx, it.flow.id()), FlowAftermath.inTurn());
            }
        }
        return inserted;
    }

    private static <T> List<T> all(List<Sound> some, Function<Sound, List<T>> of) {
        return some.stream().flatMap(it -> of.apply(it).stream()).toList();
    }

    private static News submitted(Sound it) {
        var record = it.record();
        return new News(record, FlowNews.of(record, FlowStep.SUBMITTED, Optional.empty(), it.now));
    }
}
