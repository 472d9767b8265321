package io.flowfabric.postgres.internal.lease;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Limit;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.decision.LeaseEnd;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Leases;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.signal.OpenWaitpoint;
import io.flowfabric.core.signal.WaitpointView;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.stream.Append;
import io.flowfabric.postgres.internal.ExecutionBatches;
import io.flowfabric.postgres.internal.PostgresContext;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** What the holder of a lease writes: one conditional write each, with the fence in it. */
public final class PostgresLeases implements Leases {
    private static final Answer<Ended> COMPLETED =
            Answer.done(new Ended(Transition.COMPLETE, Optional.empty()));

    private final PostgresContext postgres;

    private final Completing.Memory forms = new Completing.Memory();
    private final MemberEndings members;

    public PostgresLeases(PostgresContext postgres) {
        this.postgres = postgres;
        this.members = new MemberEndings(postgres);
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
                        FenceColumns.set(postgres.db().query("progress"), reports, Progress::fence)
                                .set("now", postgres.now())
                                .ints("percents", reports, Progress::percent)
                                .texts("messages", reports, Progress::message)
                                .list(row -> row.uuid("id")));
        var answers = new HashMap<UUID, Answer<Fence>>();
        var refused =
                reports.stream()
                        .map(Progress::fence)
                        .filter(fence -> !written.contains(fence.execution().uuid()))
                        .toList();
        var standings = LeaseStandings.read(postgres.db(), refused);
        for (Progress report : reports) {
            var id = report.fence().execution().uuid();
            answers.put(
                    id,
                    written.contains(id)
                            ? Answer.done(report.fence())
                            : Answer.refused(standings.lost(report.fence())));
        }
        return answers;
    }

    @Override
    public List<Answer<BudgetView>> spend(List<UsageReport> spendings) {
        Limit.BATCH.checkCount("spendings", spendings.size());
        return new UsageWriter(postgres).write(spendings);
    }

    @Override
    public List<Answer<Step>> checkpoint(List<Checkpoint> checkpoints) {
        return ExecutionBatches.answer(
                "checkpoints",
                checkpoints,
                checkpoint -> checkpoint.fence().execution().uuid(),
                Checkpoint::bytes,
                some -> new StepWriter(postgres).write(some));
    }

    @Override
    public List<Answer<WaitpointView>> open(List<OpenWaitpoint> waitpoints) {
        return ExecutionBatches.answer(
                "waitpoints",
                waitpoints,
                asked -> asked.fence().execution().uuid(),
                some -> new SuspendedLeases(postgres).open(some));
    }

    @Override
    public List<Answer<Long>> append(List<Append> appends) {
        return new FrameWriter(postgres).write(appends);
    }

    @Override
    public List<Answer<Ended>> end(List<Ending> endings) {
        return ExecutionBatches.answer(
                "endings",
                endings,
                ending -> ending.fence().execution().uuid(),
                Ending::bytes,
                this::ended);
    }

    /** Waits are decided by what is known here; the other endings by what they say. */
    private Map<UUID, Answer<Ended>> ended(List<Ending> endings) {
        var suspensions = some(endings, Ending.Suspend.class);
        var awaiting = some(endings, Ending.Await.class);
        if (suspensions.isEmpty() && awaiting.isEmpty()) {
            return endedAtOnce(endings);
        }
        var waits = new SuspendedLeases(postgres);
        var answers = new HashMap<UUID, Answer<Ended>>();
        if (!suspensions.isEmpty()) {
            answers.putAll(waits.suspend(suspensions));
        }
        if (!awaiting.isEmpty()) {
            answers.putAll(waits.await(awaiting));
        }
        var others = unanswered(endings, answers);
        if (!others.isEmpty()) {
            answers.putAll(endedAtOnce(others));
        }
        return answers;
    }

    private static <E extends Ending> List<E> some(List<Ending> endings, Class<E> kind) {
        return endings.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** Members of flows have their own way, which is tried first where they are expected. */
    private Map<UUID, Answer<Ended>> endedAtOnce(List<Ending> endings) {
        if (!members.areExpected()) {
            return endedOutsideOfFlows(endings);
        }
        var answers = new HashMap<UUID, Answer<Ended>>();
        var completed = members.complete(endings);
        completed.forEach(id -> answers.put(id, COMPLETED));
        var rest = unanswered(endings, answers);
        if (!rest.isEmpty()) {
            answer(rest, members.end(rest), answers);
        }
        if (!completed.isEmpty()) {
            members.expect();
        }
        var others = unanswered(rest, answers);
        if (!others.isEmpty()) {
            answers.putAll(endedOutsideOfFlows(others));
        }
        return answers;
    }

    private Map<UUID, Answer<Ended>> endedOutsideOfFlows(List<Ending> endings) {
        var rows = new EndingBatch(endings);
        var form = rows.plain() ? forms.first() : Completing.ANY;
        if (form == Completing.ANY) {
            return endedAnyhow(endings);
        }
        var outcome = rows.complete(form, postgres.db(), postgres.now());
        var completed = Set.copyOf(outcome.written());
        forms.saw(form, completed.size(), endings.size(), outcome.counted());
        postgres.freed(outcome.freed());
        var others =
                endings.stream()
                        .filter(ending -> !completed.contains(ending.fence().execution().uuid()))
                        .toList();
        var answers = others.isEmpty() ? new HashMap<UUID, Answer<Ended>>() : endedAnyhow(others);
        completed.forEach(id -> answers.put(id, COMPLETED));
        return answers;
    }

    /** By the statement for every ending of every lease. */
    private Map<UUID, Answer<Ended>> endedAnyhow(List<Ending> endings) {
        var outcome = new EndingBatch(endings).write(postgres.db(), postgres.now());
        EndingBatch.tell(postgres, outcome);
        var written =
                outcome.written().stream()
                        .collect(Collectors.toMap(EndingBatch.Written::id, end -> end));
        var answers = new HashMap<UUID, Answer<Ended>>();
        answer(endings, written, answers);
        answerOthers(endings, answers);
        return answers;
    }

    private static void answer(
            List<Ending> endings,
            Map<UUID, EndingBatch.Written> written,
            Map<UUID, Answer<Ended>> answers) {
        for (Ending ending : endings) {
            var step = written.get(ending.fence().execution().uuid());
            if (step != null) {
                var ended = new Ended(LeaseEnd.of(ending).transition(), step.until());
                answers.put(step.id(), Answer.done(ended));
            }
        }
    }

    /** What was not ended is a member, or was heard before, or its fence does not hold. */
    private void answerOthers(List<Ending> endings, Map<UUID, Answer<Ended>> answers) {
        var others = unanswered(endings, answers);
        var standings = standings(others);
        var ofFlows = others.stream().filter(it -> standings.isMember(it.fence())).toList();
        if (ofFlows.isEmpty()) {
            others.forEach(it -> answers.put(id(it), standings.repeated(it)));
            return;
        }
        answer(ofFlows, members.end(ofFlows), answers);
        var left = unanswered(others, answers);
        var now = standings(left);
        left.forEach(it -> answers.put(id(it), now.repeated(it)));
    }

    private LeaseStandings standings(List<Ending> endings) {
        return LeaseStandings.read(postgres.db(), endings.stream().map(Ending::fence).toList());
    }

    private static List<Ending> unanswered(List<Ending> endings, Map<UUID, Answer<Ended>> answers) {
        return endings.stream().filter(it -> !answers.containsKey(id(it))).toList();
    }

    private static UUID id(Ending ending) {
        return ending.fence().execution().uuid();
    }
}
