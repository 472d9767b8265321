package io.flowfabric.worker;

import io.flowfabric.core.Answer;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.lease.Leases;
import io.flowfabric.core.lease.UsageReport;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * How usage reports are brought to the store. A handler waits for the answer to its own; when the
 * store cannot be used, every handler whose report a call carried is told, and may repeat it.
 */
final class UsageCommit implements Commit<UsageCommit.Waiting> {
    private final Leases leases;

    /**
     * A report whose handler waits.
     *
     * @param answer what it waits for
     */
    record Waiting(UsageReport report, CompletableFuture<Answer<BudgetView>> answer) {
        static Waiting of(UsageReport report) {
            return new Waiting(report, new CompletableFuture<>());
        }
    }

    UsageCommit(Leases leases) {
        this.leases = leases;
    }

    @Override
    public String items() {
        return "usage reports";
    }

    @Override
    public Set<Waiting> commit(List<Waiting> batch) {
        try {
            var answers = leases.spend(batch.stream().map(Waiting::report).toList());
            for (int i = 0; i < batch.size(); i++) {
                batch.get(i).answer.complete(answers.get(i));
            }
        } catch (FlowFabricException failure) {
            if (FlowFabricException.concernsRequest(failure)) {
                throw failure;
            }
            batch.forEach(waiting -> waiting.answer.complete(Answer.refused(failure)));
        }
        return Set.of();
    }

    @Override
    public void lost(Waiting waiting, Throwable why) {
        waiting.answer.completeExceptionally(why);
    }

    @Override
    public boolean failedAlone(Waiting waiting, Throwable why) {
        if (why instanceof FlowFabricException refusal) {
            waiting.answer.complete(Answer.refused(refusal));
        } else {
            waiting.answer.completeExceptionally(why);
        }
        return false;
    }
}
