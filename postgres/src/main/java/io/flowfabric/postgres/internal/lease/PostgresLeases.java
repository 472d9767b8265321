package io.flowfabric.postgres.internal.lease;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.LeaseLost;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.decision.LeaseEnd;
import io.flowfabric.core.decision.LeaseStanding;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Leases;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.state.Transition;
import io.flowfabric.postgres.internal.ExecutionBatches;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Row;
import io.flowfabric.postgres.internal.step.FactsReader;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** What the holder of a lease writes: one conditional write each, with the fence in it. */
public final class PostgresLeases implements Leases {
    private final PostgresContext postgres;

    private final Completing.Memory forms = new Completing.Memory();

    public PostgresLeases(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /** How an execution stands whose fence did not hold. */
    private record Standing(LeaseStanding standing, boolean readable) {
        FlowFabricException lost(Fence presented) {
            return readable ? standing.lost(presented) : FactsReader.unreadable(standing.id());
        }
    }

    @Override
    public List<Answer<Fence>> progress(List<Progress> reports) {
        return ExecutionBatches.answer(
                "progress reports",
                reports,
                report -> report.fence().execution().uuid(),
                this::reported);
    }

    private Map<UUID, Answer<Fence>> reported(List<Progress> reports) {
        var written =
                Set.copyOf(
                        postgres.db()
                                .query("progress")
                                .set("now", postgres.now())
                                .uuids("ids", reports, report -> report.fence().execution().uuid())
                                .ints(
                                        "parts",
                                        reports,
                                        report -> report.fence().execution().partition().number())
                                .ints("attempts", reports, report -> report.fence().attempt())
                                .longs("epochs", reports, report -> report.fence().epoch())
                                .ints("percents", reports, Progress::percent)
                                .texts("messages", reports, Progress::message)
                                .list(row -> row.uuid("id")));
        var answers = new HashMap<UUID, Answer<Fence>>();
        var refused =
                reports.stream()
                        .map(Progress::fence)
                        .filter(fence -> !written.contains(fence.execution().uuid()))
                        .toList();
        var standings = standings(refused);
        for (Progress report : reports) {
            var id = report.fence().execution().uuid();
            answers.put(
                    id,
                    written.contains(id)
                            ? Answer.done(report.fence())
                            : Answer.refused(lost(report.fence(), standings)));
        }
        return answers;
    }

    @Override
    public List<Answer<BudgetView>> spend(List<UsageReport> spendings) {
        Limit.BATCH.checkCount("spendings", spendings.size());
        return spendings.stream().map(this::spend).toList();
    }

    private Answer<BudgetView> spend(UsageReport spending) {
        var fence = spending.fence();
        try {
            return new UsageWriter(postgres)
                    .spend(spending)
                    .map(Answer::done)
                    .orElseGet(() -> Answer.refused(lost(fence, standings(List.of(fence)))));
        } catch (NotFound | Conflict refusal) {
            return Answer.refused(refusal);
        }
    }

    @Override
    public List<Answer<Ended>> end(List<Ending> endings) {
        return ExecutionBatches.answer(
                "endings", endings, ending -> ending.fence().execution().uuid(), this::ended);
    }

    private Map<UUID, Answer<Ended>> ended(List<Ending> endings) {
        var rows = new EndingBatch(endings);
        var form = rows.plain() ? forms.first() : Completing.ANY;
        if (form == Completing.ANY) {
            return endedAnyhow(endings);
        }
        var outcome = rows.complete(form, postgres.db(), postgres.now());
        var completed = Set.copyOf(outcome.written());
        forms.saw(form, completed.size(), endings.size());
        postgres.freed(outcome.freed());
        var others =
                endings.stream()
                        .filter(ending -> !completed.contains(ending.fence().execution().uuid()))
                        .toList();
        var answers = others.isEmpty() ? new HashMap<UUID, Answer<Ended>>() : endedAnyhow(others);
        var done = Answer.done(new Ended(Transition.COMPLETE, Optional.empty()));
        completed.forEach(id -> answers.put(id, done));
        return answers;
    }

    /** By the statement for every ending of every lease. */
    private Map<UUID, Answer<Ended>> endedAnyhow(List<Ending> endings) {
        var rows = new EndingBatch(endings);
        var outcome = rows.write(postgres.db(), postgres.now());
        var written =
                outcome.written().stream()
                        .collect(Collectors.toMap(EndingBatch.Written::id, end -> end));
        var lanes = new HashSet<Integer>();
        written.values().stream()
                .filter(EndingBatch.Written::ready)
                .forEach(step -> lanes.add(step.lane()));
        postgres.goesOn(lanes);
        postgres.freed(outcome.freed());
        var refused =
                endings.stream()
                        .map(Ending::fence)
                        .filter(fence -> !written.containsKey(fence.execution().uuid()))
                        .toList();
        var standings = standings(refused);
        var answers = new HashMap<UUID, Answer<Ended>>();
        for (Ending ending : endings) {
            var id = ending.fence().execution().uuid();
            var step = written.get(id);
            answers.put(
                    id,
                    step == null
                            ? repeated(ending, standings)
                            : Answer.done(
                                    new Ended(LeaseEnd.of(ending).transition(), step.until())));
        }
        return answers;
    }

    /** The answer to a call that may have been heard before. */
    private static Answer<Ended> repeated(Ending ending, Map<UUID, Standing> standings) {
        var standing = standings.get(ending.fence().execution().uuid());
        if (standing == null || !standing.readable) {
            return Answer.refused(lost(ending.fence(), standings));
        }
        try {
            return Answer.done(standing.standing.repeated(ending));
        } catch (LeaseLost | Conflict refusal) {
            return Answer.refused(refusal);
        }
    }

    private static FlowFabricException lost(Fence fence, Map<UUID, Standing> standings) {
        var standing = standings.get(fence.execution().uuid());
        return standing == null
                ? new NotFound("execution", fence.execution().toString())
                : standing.lost(fence);
    }

    private Map<UUID, Standing> standings(Collection<Fence> fences) {
        if (fences.isEmpty()) {
            return Map.of();
        }
        var standings = new HashMap<UUID, Standing>();
        var ids = fences.stream().map(Fence::execution).collect(Collectors.toSet());
        postgres.db()
                .query("given")
                .uuids("ids", ids, ExecutionId::uuid)
                .each(
                        row -> {
                            // The same UUID in another partition is another id.
                            if (ids.contains(RowCodec.id(row))) {
                                standings.put(row.uuid("id"), standing(row));
                            }
                        });
        return standings;
    }

    private static Standing standing(Row row) {
        var givenUp =
                Optional.ofNullable(row.longOrNull("given_epoch"))
                        .map(
                                epoch ->
                                        new LeaseStanding.GivenUp(
                                                epoch,
                                                RowCodec.digest(row, "given_digest"),
                                                new Ended(
                                                        RowCodec.transition(
                                                                row, "given_transition"),
                                                        RowCodec.time(row, "given_until"))));
        return new Standing(
                new LeaseStanding(
                        RowCodec.id(row),
                        row.intValue("attempts"),
                        row.longValue("epoch"),
                        RowCodec.situation(row).publicState(),
                        givenUp),
                row.bool("readable"));
    }
}
