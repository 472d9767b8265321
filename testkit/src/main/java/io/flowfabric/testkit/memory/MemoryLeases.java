package io.flowfabric.testkit.memory;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Fence;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.admission.UsageEntry;
import io.flowfabric.core.decision.Change;
import io.flowfabric.core.decision.Conflicts;
import io.flowfabric.core.decision.Definitions;
import io.flowfabric.core.decision.FlowAwaiting;
import io.flowfabric.core.decision.LeaseEnd;
import io.flowfabric.core.decision.LeaseStanding.GivenUp;
import io.flowfabric.core.decision.StepRecording;
import io.flowfabric.core.decision.WaitDecisions;
import io.flowfabric.core.decision.WaitDecisions.Kept;
import io.flowfabric.core.decision.WaitDecisions.StepRoom;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Leases;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.signal.OpenWaitpoint;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.signal.WaitpointView;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.stream.Append;

import java.util.List;
import java.util.Optional;

/** What the holder of a lease may write. */
final class MemoryLeases implements Leases {
    private final MemoryState world;

    MemoryLeases(MemoryState world) {
        this.world = world;
    }

    @Override
    public List<Answer<Fence>> progress(List<Progress> reports) {
        return ItemAnswers.each(world, "progress reports", reports, this::progress);
    }

    private Fence progress(Progress report) {
        var row = world.executions.find(report.fence().execution());
        if (!world.holds(row, report.fence())) {
            throw row.standing().lost(report.fence());
        }
        row.progress =
                Optional.of(
                        new ExecutionView.Done(report.percent(), report.message(), world.now()));
        return report.fence();
    }

    @Override
    public List<Answer<BudgetView>> spend(List<UsageReport> spendings) {
        return ItemAnswers.each(world, "spendings", spendings, this::spend);
    }

    private BudgetView spend(UsageReport spending) {
        var row = world.executions.find(spending.fence().execution());
        if (!world.holds(row, spending.fence())) {
            throw row.standing().lost(spending.fence());
        }
        var purse =
                world.purses
                        .find(row.lane().namespace(), spending.budget())
                        .orElseThrow(() -> new NotFound("budget", spending.budget()));
        Definitions.mustCount(
                spending.budget(),
                purse.budget.dimensions().keySet(),
                List.of(spending.dimension()));
        var spent =
                new UsageEntry(
                        spending.budget(),
                        spending.dimension(),
                        spending.amount(),
                        spending.key(),
                        world.now(),
                        false);
        if (world.purses.isNew(row, spent)) {
            world.purses.spend(row, spent);
            world.breaches.cancelAll();
        }
        return purse.view();
    }

    @Override
    public List<Answer<Step>> checkpoint(List<Checkpoint> checkpoints) {
        return ItemAnswers.each(world, "checkpoints", checkpoints, this::checkpoint);
    }

    private Step checkpoint(Checkpoint checkpoint) {
        var row = world.executions.find(checkpoint.fence().execution());
        if (!world.holds(row, checkpoint.fence())) {
            throw row.standing().lost(checkpoint.fence());
        }
        var first = row.steps.get(checkpoint.name());
        if (first == null) {
            StepRecording.mustFit(checkpoint, row.steps.size(), row.stepBytes());
            return world.steps.record(row, checkpoint);
        }
        if (!first.content().equals(checkpoint.content())) {
            throw Conflicts.recordedDifferently(row.id(), first.name(), first.attempt());
        }
        return first;
    }

    @Override
    public List<Answer<Long>> append(List<Append> appends) {
        return new MemoryStreams(world).append(appends);
    }

    @Override
    public List<Answer<Ended>> end(List<Ending> endings) {
        return ItemAnswers.each(world, "endings", endings, this::end);
    }

    @Override
    public List<Answer<WaitpointView>> open(List<OpenWaitpoint> waitpoints) {
        return ItemAnswers.each(world, "waitpoints", waitpoints, this::open);
    }

    private WaitpointView open(OpenWaitpoint asked) {
        var row = world.executions.find(asked.fence().execution());
        if (!world.holds(row, asked.fence())) {
            throw row.standing().lost(asked.fence());
        }
        WaitDecisions.open(row.facts(), asked, world.now())
                .ifPresent(waited -> world.steps.remember(row, waited));
        return row.facts().awaiting().view(row.id(), row.lane(), asked.name());
    }

    private Ended end(Ending ending) {
        var row = world.executions.find(ending.fence().execution());
        if (!world.holds(row, ending.fence())) {
            return row.standing().repeated(ending);
        }
        Change change;
        Ended answer;
        if (ending instanceof Ending.Suspend suspend) {
            change = suspend(row, suspend.suspension());
            answer = new Ended(Transition.SUSPEND, WaitDecisions.until(change));
        } else if (ending instanceof Ending.Await await) {
            change =
                    FlowAwaiting.await(
                            row.facts(),
                            row.lane().namespace(),
                            world.flows.find(await.flow()).record);
            answer = new Ended(Transition.AWAIT, Optional.empty());
        } else {
            var end = LeaseEnd.of(ending);
            change = end.change(row.facts(), world.now());
            answer = end.answer(world.now());
        }
        world.steps.apply(row, change);
        row.givenUp = Optional.of(new GivenUp(row.epoch, ending.digest(), answer));
        return answer;
    }

    private Change suspend(MemoryExecution row, Suspension suspension) {
        var kept =
                row.received.stream()
                        .map(signal -> new Kept(signal.head(), signal.place()))
                        .toList();
        var room =
                new StepRoom(
                        row.steps.size(),
                        row.stepBytes(),
                        row.steps.containsKey(suspension.name()));
        return WaitDecisions.suspend(row.facts(), suspension, kept, room, world.now());
    }
}
