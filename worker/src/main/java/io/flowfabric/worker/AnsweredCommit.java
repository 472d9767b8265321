package io.flowfabric.worker;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Contended;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Leases;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.lease.UsageReport;

import org.jspecify.annotations.Nullable;

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
    /** Many, because each round of them may last as long as a store waits for a lock. */
    private static final int PARTS = 16;

    /** After so many locked rows without any that is free, the others are not tried one by one. */
    private static final int PATIENCE = 8;

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

    AnsweredCommit(String items, ToLongFunction<I> bytes, Function<List<I>, List<Answer<R>>> call) {
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

    /** A handler that was refused has something else to do than to say the next thing. */
    @Override
    public boolean leadsToMore(List<Waiting<I, R>> batch) {
        return batch.stream()
                .anyMatch(waiting -> waiting.answer.getNow(null) instanceof Answer.Done<R>);
    }

    @Override
    public Set<Waiting<I, R>> commit(List<Waiting<I, R>> batch) {
        commit(batch, new Locks());
        return Set.of();
    }

    /** The locked rows that a batch has met one after the other. */
    private static final class Locks {
        int inARow;
        @Nullable Contended last;

        void met(Contended busy) {
            inARow++;
            last = busy;
        }
    }

    /** Commits a batch, in parts where a row of it is locked: that is no matter of the others. */
    private void commit(List<Waiting<I, R>> batch, Locks locks) {
        try {
            var answers = call.apply(batch.stream().map(Waiting::item).toList());
            for (int i = 0; i < batch.size(); i++) {
                batch.get(i).answer.complete(answers.get(i));
            }
            locks.inARow = 0;
        } catch (Contended busy) {
            locks.met(busy);
            if (batch.size() == 1) {
                refuse(batch, busy);
            } else {
                commitParts(batch, locks);
            }
        } catch (FlowFabricException failure) {
            if (FlowFabricException.concernsRequest(failure)) {
                throw failure;
            }
            refuse(batch, failure);
        }
    }

    private void commitParts(List<Waiting<I, R>> batch, Locks locks) {
        int size = batch.size();
        int part = Math.ceilDiv(size, PARTS);
        for (int from = 0; from < size; from += part) {
            var some = batch.subList(from, Math.min(from + part, size));
            if (locks.last != null && locks.inARow >= PATIENCE) {
                refuse(some, locks.last);
            } else {
                commit(some, locks);
            }
        }
    }

    private void refuse(List<Waiting<I, R>> batch, FlowFabricException why) {
        batch.forEach(waiting -> waiting.answer.complete(Answer.refused(why)));
    }

    @Override
    public void abandoned(Waiting<I, R> waiting) {
        waiting.answer.complete(
                Answer.refused(
                        new Unavailable(
                                "The worker stopped before the store had taken what its handler"
                                        + " said; the work is done again by another worker.")));
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
