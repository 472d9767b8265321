package io.flowfabric.worker;

import io.flowfabric.core.Answer;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Leases;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.engine.Service;
import io.flowfabric.engine.Time;
import io.flowfabric.worker.AnsweredCommit.Waiting;

import java.util.List;

/**
 * What the handlers of a worker tell the store while they run. What they say at about the same time
 * goes there in one call, and each waits for its own answer.
 */
final class HandlerReports {
    private final Leases leases;
    private final Committers<Waiting<UsageReport, BudgetView>> usage;
    private final Committers<Waiting<Checkpoint, Step>> steps;

    HandlerReports(Leases leases, Time time, String worker) {
        this.leases = leases;
        this.usage =
                new Committers<>(AnsweredCommit.usage(leases), time, worker + "-usage", () -> {});
        this.steps =
                new Committers<>(AnsweredCommit.steps(leases), time, worker + "-steps", () -> {});
    }

    /** Those that start and stop with the worker. */
    List<Service> services() {
        return List.of(usage, steps);
    }

    // A handler that outlives its worker reports alone, and is told that its lease is lost.

    Answer<BudgetView> spend(UsageReport report) {
        Waiting<UsageReport, BudgetView> waiting = Waiting.of(report);
        return usage.add(waiting)
                ? waiting.answer().join()
                : leases.spend(List.of(report)).getFirst();
    }

    Answer<Step> checkpoint(Checkpoint checkpoint) {
        Waiting<Checkpoint, Step> waiting = Waiting.of(checkpoint);
        return steps.add(waiting)
                ? waiting.answer().join()
                : leases.checkpoint(List.of(checkpoint)).getFirst();
    }
}
