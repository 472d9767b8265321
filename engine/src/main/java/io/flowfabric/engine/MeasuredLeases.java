package io.flowfabric.engine;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Fence;
import io.flowfabric.core.LeaseLost;
import io.flowfabric.core.admission.BudgetView;
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
import io.flowfabric.engine.EngineMetrics.FencedCall;

import java.time.Instant;
import java.util.EnumMap;
import java.util.List;

/** Writes of leaseholders through an engine: counted, and with the sweeps told what is coming. */
final class MeasuredLeases implements Leases {
    private final Leases store;
    private final Sweeps sweeps;
    private final EngineMetrics metrics;

    MeasuredLeases(Leases store, Sweeps sweeps, EngineMetrics metrics) {
        this.store = store;
        this.sweeps = sweeps;
        this.metrics = metrics;
    }

    @Override
    public List<Answer<Fence>> progress(List<Progress> reports) {
        var answers = store.progress(reports);
        countLost(FencedCall.PROGRESS, answers);
        return answers;
    }

    @Override
    public List<Answer<Step>> checkpoint(List<Checkpoint> checkpoints) {
        var answers = store.checkpoint(checkpoints);
        countLost(FencedCall.CHECKPOINT, answers);
        int recorded = (int) answers.stream().filter(Answer::isDone).count();
        if (recorded > 0) {
            metrics.checkpointed(recorded);
        }
        return answers;
    }

    @Override
    public List<Answer<Long>> append(List<Append> appends) {
        var answers = store.append(appends);
        countLost(FencedCall.APPEND, answers);
        int appended = (int) answers.stream().filter(Answer::isDone).count();
        if (appended > 0) {
            metrics.appended(appended);
        }
        return answers;
    }

    @Override
    public List<Answer<BudgetView>> spend(List<UsageReport> spendings) {
        var answers = store.spend(spendings);
        countLost(FencedCall.SPEND, answers);
        for (int i = 0; i < answers.size(); i++) {
            if (answers.get(i) instanceof Answer.Done<BudgetView>(var view)) {
                countLimit(view, spendings.get(i).dimension());
            }
        }
        return answers;
    }

    private void countLimit(BudgetView view, String dimension) {
        var bounds = view.budget().dimensions().get(dimension);
        var level = view.levels().get(dimension);
        if (bounds == null || level == null) {
            return;
        }
        boolean hard = bounds.hard().filter(limit -> level.used() >= limit).isPresent();
        if (hard || bounds.soft().filter(limit -> level.used() >= limit).isPresent()) {
            metrics.overLimit(dimension, hard);
        }
    }

    @Override
    public List<Answer<WaitpointView>> open(List<OpenWaitpoint> waitpoints) {
        var answers = store.open(waitpoints);
        countLost(FencedCall.OPEN, answers);
        return answers;
    }

    @Override
    public List<Answer<Ended>> end(List<Ending> endings) {
        var answers = store.end(endings);
        var counts = new EnumMap<Transition, Integer>(Transition.class);
        Instant next = Instant.MAX;
        for (var answer : answers) {
            if (answer instanceof Answer.Done<Ended>(var ended)) {
                counts.merge(ended.transition(), 1, Integer::sum);
                var until = ended.until().orElse(Instant.MAX);
                next = until.isBefore(next) ? until : next;
            }
        }
        counts.forEach(metrics::ended);
        countLost(FencedCall.END, answers);
        if (next.isBefore(Instant.MAX)) {
            sweeps.expect(next);
        }
        return answers;
    }

    private <T> void countLost(FencedCall call, List<Answer<T>> answers) {
        int lost = 0;
        for (var answer : answers) {
            if (answer instanceof Answer.Refused<T>(LeaseLost refusal)) {
                lost++;
            }
        }
        if (lost > 0) {
            metrics.fenced(call, lost);
        }
    }
}
