package io.flowfabric.worker;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Lane;
import io.flowfabric.core.LeaseLost;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Tags;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.flow.Upstream;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.policy.RetryDecision;
import io.flowfabric.engine.QuietLogger;

import org.slf4j.Logger;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What a handler sees of its assignment. */
final class LeasedTask implements Task {
    private static final Logger LOG = QuietLogger.of(LeasedTask.class);

    private final Assignment assignment;
    private final Lease lease;
    private final WorkerSession shift;

    LeasedTask(Assignment assignment, WorkerSession shift) {
        this.assignment = assignment;
        this.lease = assignment.lease();
        this.shift = shift;
    }

    @Override
    public void progress(int percent, String message) {
        var report = List.of(new Progress(fence(), percent, message));
        try {
            if (shift.leases().progress(report).getFirst()
                    instanceof Answer.Refused<Fence>(var refusal)) {
                throw refusal;
            }
        } catch (LeaseLost gone) {
            assignment.lose();
            throw gone;
        } catch (FlowFabricException e) {
            if (!EndingCommit.mayBeTakenLater(e)) {
                throw e;
            }
            LOG.debug("A report on {} was not taken.", fence(), e);
        }
    }

    @Override
    public BudgetView spend(String budget, String dimension, long amount, String key) {
        try {
            return shift.reports()
                    .spend(new UsageReport(fence(), budget, dimension, amount, key))
                    .orThrow();
        } catch (LeaseLost gone) {
            assignment.lose();
            throw gone;
        }
    }

    @Override
    public List<Step> steps() {
        return lease.stepsApart() ? shift.steps(lease) : lease.steps();
    }

    @Override
    public List<Upstream> upstreams() {
        return lease.upstreamsApart() ? shift.upstreams(lease) : lease.upstreams();
    }

    @Override
    public Step checkpoint(String name, Payload content) {
        try {
            return shift.reports().checkpoint(new Checkpoint(fence(), name, content)).orThrow();
        } catch (LeaseLost gone) {
            assignment.lose();
            throw gone;
        }
    }

    @Override
    public Failure failure(Throwable thrown) {
        return AttemptFailure.of(thrown);
    }

    @Override
    public boolean endsWork(Throwable thrown) {
        return lease.policy().retry().decide(execution(), failure(thrown), lease.retriesUsed())
                instanceof RetryDecision.GiveUp;
    }

    @Override
    public boolean leaseLost() {
        return assignment.lost();
    }

    @Override
    public boolean shuttingDown() {
        return assignment.askedToStop();
    }

    @Override
    public ExecutionId execution() {
        return lease.fence().execution();
    }

    @Override
    public String kind() {
        return lease.kind();
    }

    @Override
    public Lane lane() {
        return lease.lane();
    }

    @Override
    public Payload input() {
        return lease.input();
    }

    @Override
    public Tags tags() {
        return lease.tags();
    }

    @Override
    public int attempt() {
        return lease.fence().attempt() + 1;
    }

    @Override
    public Fence fence() {
        return lease.fence();
    }

    @Override
    public Optional<Instant> deadline() {
        return lease.deadline();
    }

    @Override
    public String toString() {
        return assignment.toString();
    }
}
