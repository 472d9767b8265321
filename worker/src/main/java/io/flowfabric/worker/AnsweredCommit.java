package io.flowfabric.worker;

import io.flowfabric.core.Answer;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Leases;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.lease.UsageReport;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * How that is brought to the store which a handler waits for: usage reports, and steps. Each
 * handler gets the answer to its own; when the store cannot be used, every handler whose item a
 * call carried is told, and may repeat it.
 */
final class AnsweredCommit<I, R> implements Commit<AnsweredCommit.Waiting<I, R>> {
    private final String items;
    private final ToLongFunction<I> bytes;
    private final Function<List<I>, List<Answer<R>>> call;

    /**
     * Something whose handler waits.
     *
     * @param answer what it waits for
     */
    record Waiting<I, R>(I item, CompletableFuture<Answer<R>> answer) {
        static <I, R> Waiting<I, R> of(I item) {
            return new Waiting<>(item, new CompletableFuture<>());
        }
    }

    private AnsweredCommit(
            String items, ToLongFunction<I> bytes, Function<List<I>, List<Answer<R>>> call) {
        this.items = items;
        this.bytes = bytes;
        this.call = call;
    }

    static AnsweredCommit<UsageReport, BudgetView> usage(Leases leases) {
        return new AnsweredCommit<>("usage reports", report -> 0, leases::spend);
    }

    static AnsweredCommit<Checkpoint, Step> steps(Leases leases) {
        return new AnsweredCommit<>("steps", Checkpoint::bytes, leases::checkpoint);
    }

    @Override
    public String items() {
        return items;
    }

    @Override
    public long bytes(Waiting<I, R> waiting) {
        return bytes.applyAsLong(waiting.item);
    }

    @Override
    public boolean leadsToMore() {
        return true;
    }

    @Override
    public Set<Waiting<I, R>> commit(List<Waiting<I, R>> batch) {
        try {
            var answers = call.apply(batch.stream().map(Waiting::item).toList());
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
    public void lost(Waiting<I, R> waiting, Throwable why) {
        waiting.answer.completeExceptionally(why);
    }

    @Override
    public boolean failedAlone(Waiting<I, R> waiting, Throwable why) {
        if (why instanceof FlowFabricException refusal) {
            waiting.answer.complete(Answer.refused(refusal));
        } else {
            waiting.answer.completeExceptionally(why);
        }
        return false;
    }
}
