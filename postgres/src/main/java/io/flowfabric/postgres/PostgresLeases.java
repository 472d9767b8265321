package io.flowfabric.postgres;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.LeaseLost;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.decision.LeaseDecisions;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Leases;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.state.Transition;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
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
final class PostgresLeases implements Leases {
    private final PostgresContext postgres;

    PostgresLeases(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /** How an execution stands whose fence did not hold. */
    private record Standing(
            ExecutionId id,
            boolean readable,
            int attempts,
            long epoch,
            PublicState state,
            @Nullable GivenUp givenUp) {
        FlowFabricException leaseLost(Fence presented) {
            return readable
                    ? new LeaseLost(presented, attempts, epoch, state)
                    : PostgresOperations.unreadable(id);
        }
    }

    /** How the newest lease was given up by its holder. */
    private record GivenUp(
            long epoch, Digest digest, Transition transition, Optional<Instant> until) {}

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
        if (rows.plain() && rows.complete(postgres.db(), postgres.now())) {
            var done = Answer.done(new Ended(Transition.COMPLETE, Optional.empty()));
            var answers = new HashMap<UUID, Answer<Ended>>();
            endings.forEach(ending -> answers.put(ending.fence().execution().uuid(), done));
            return answers;
        }
        // Those that were completed just now are found to be repeats, and hear the same.
        var written =
                rows.write(postgres.db(), postgres.now()).stream()
                        .collect(Collectors.toMap(EndingBatch.Written::id, end -> end));
        var lanes = new HashSet<Integer>();
        written.values().stream()
                .filter(EndingBatch.Written::ready)
                .forEach(step -> lanes.add(step.lane()));
        postgres.goesOn(lanes);
        postgres.freed(
                written.values().stream()
                        .flatMap(end -> end.freed().stream())
                        .collect(Collectors.toSet()));
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
                            ? firstAnswer(ending, standings)
                            : Answer.done(new Ended(transition(ending), step.until())));
        }
        return answers;
    }

    private static Transition transition(Ending ending) {
        return LeaseDecisions.answer(ending, Instant.EPOCH).transition();
    }

    /** The answer to a call that may have been heard before. */
    private static Answer<Ended> firstAnswer(Ending ending, Map<UUID, Standing> standings) {
        var fence = ending.fence();
        var standing = standings.get(fence.execution().uuid());
        if (standing == null || !standing.id.equals(fence.execution())) {
            return Answer.refused(lost(fence, standings));
        }
        var given = standing.givenUp;
        if (given == null
                || given.epoch != fence.epoch()
                || standing.epoch != fence.epoch()
                || standing.attempts - 1 != fence.attempt()) {
            return Answer.refused(standing.leaseLost(fence));
        }
        if (!given.digest.equals(ending.digest())) {
            return Answer.refused(
                    new Conflict(
                            Conflict.Code.ENDED_DIFFERENTLY,
                            fence.execution().toString(),
                            "This lease was already ended, as %s."
                                    .formatted(given.transition.wire())));
        }
        return Answer.done(new Ended(given.transition, given.until));
    }

    private static FlowFabricException lost(Fence fence, Map<UUID, Standing> standings) {
        var standing = standings.get(fence.execution().uuid());
        return standing == null || !standing.id.equals(fence.execution())
                ? new NotFound("execution", fence.execution().toString())
                : standing.leaseLost(fence);
    }

    private Map<UUID, Standing> standings(Collection<Fence> fences) {
        if (fences.isEmpty()) {
            return Map.of();
        }
        return postgres
                .db()
                .query("given")
                .uuids("ids", fences, fence -> fence.execution().uuid())
                .list(
                        row -> {
                            var epoch = row.longOrNull("given_epoch");
                            var given =
                                    epoch == null
                                            ? null
                                            : new GivenUp(
                                                    epoch,
                                                    RowCodec.digest(row, "given_digest"),
                                                    RowCodec.transition(row, "given_transition"),
                                                    RowCodec.time(row, "given_until"));
                            return new Standing(
                                    RowCodec.id(row),
                                    row.bool("readable"),
                                    row.intValue("attempts"),
                                    row.longValue("epoch"),
                                    RowCodec.situation(row).publicState(),
                                    given);
                        })
                .stream()
                .collect(Collectors.toMap(standing -> standing.id.uuid(), standing -> standing));
    }
}
