package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.decision.Change;
import io.flowfabric.core.decision.LeaseStanding;
import io.flowfabric.core.decision.Waited;
import io.flowfabric.valkey.internal.ExecutionFacts.Decidable;
import io.flowfabric.valkey.internal.record.ExecutionFields;
import io.flowfabric.valkey.internal.record.WaitRecord;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * What is decided about the waits of executions by what is read, and written where that is still
 * so.
 */
final class DecidedWaits<T, R> {
    private final ValkeyContext valkey;
    private final String function;
    private final WaitQuestion<T, R> question;

    /**
     * @param function that writes it
     */
    DecidedWaits(ValkeyContext valkey, String function, WaitQuestion<T, R> question) {
        this.valkey = valkey;
        this.function = function;
        this.question = question;
    }

    /** What is asked about the waits of executions. */
    interface WaitQuestion<T, R> {
        /** The execution that an item is about. */
        ExecutionId execution(T item);

        /** The lease under which alone it may be done, if it is so. */
        default Optional<Fence> fence(T item) {
            return Optional.empty();
        }

        /** The answer where that lease does not hold. */
        default R unheld(T item, LeaseStanding standing) {
            throw standing.lost(fence(item).orElseThrow());
        }

        /** A detail of the execution that has to be known besides, if there is one. */
        default Optional<byte[]> beside(T item) {
            return Optional.empty();
        }

        /** Decides; what it throws is the answer. */
        Decided<R> decide(T item, WaitFacts facts);
    }

    /**
     * What is decided by.
     *
     * @param beside the detail that was asked for, if one was
     * @param home where the execution lies
     */
    record WaitFacts(Decidable stored, Item beside, Instant now, Partition home) {}

    /**
     * What was decided.
     *
     * @param change the step that the execution takes, if it takes one
     * @param waited what is written where it takes none
     * @param released what a repeat of the suspension is compared with that ends the lease
     * @param closed the waitpoint that an operator closes
     */
    record Decided<R>(
            R answer,
            Optional<Change> change,
            Optional<Waited> waited,
            Optional<ReleasedLease> released,
            Optional<ClosedWaitpoint> closed) {
        static <R> Decided<R> of(R answer, Optional<Change> change, Optional<Waited> waited) {
            return new Decided<>(answer, change, waited, Optional.empty(), Optional.empty());
        }

        private boolean writesNothing() {
            return change.isEmpty() && waited.isEmpty();
        }
    }

    /** How a lease was ended, to recognise a repeat. */
    record ReleasedLease(Digest digest, Optional<Instant> until) {}

    /** A waitpoint that an operator closes. */
    record ClosedWaitpoint(String name, Attribution by) {}

    /**
     * What is to be written of one item.
     *
     * @param answer that is given then
     * @param decided nothing when it was refused, and only the lease is looked at
     */
    private record Draft<R>(
            Decidable stored,
            Optional<Fence> fence,
            Answer<R> answer,
            Optional<Decided<R>> decided) {
        void write(Packer out) {
            ExecutionFields row = stored.row();
            out.list(8).uuid(row.uuid()).bytes(row.packed());
            out.optional(
                            decided.flatMap(Decided::change),
                            (o, change) -> Steps.write(o, change, Optional.of(stored.submission())))
                    .optional(stored.remembered().optional(Item::bytes), Packer::bytes)
                    .optional(
                            decided.flatMap(
                                    it -> it.change.flatMap(Change::waited).or(() -> it.waited)),
                            (o, waited) -> WaitRecord.write(o, row.id(), waited))
                    .optional(
                            fence,
                            (o, it) ->
                                    o.list(3)
                                            .number(it.execution().partition().number())
                                            .number(it.attempt())
                                            .number(it.epoch()))
                    .optional(
                            decided.flatMap(Decided::released),
                            (o, it) ->
                                    o.list(2).digest(it.digest).optional(it.until, Packer::moment))
                    .optional(
                            decided.flatMap(Decided::closed),
                            (o, it) ->
                                    o.list(2)
                                            .text(it.name)
                                            .list(2)
                                            .text(it.by.actor())
                                            .text(it.by.reason()));
        }
    }

    /**
     * Does all of them, and answers in their order.
     *
     * @param what the items are, in words
     */
    List<Answer<R>> each(String what, List<T> items, ToLongFunction<T> bytes, AppliedParts parts) {
        return new DecidedBatches<T, R>(valkey, what, items, question::execution, bytes, parts)
                .each(this::attempt);
    }

    private List<Optional<Answer<R>>> attempt(Partition home, List<T> items) {
        var ids = items.stream().map(question::execution).toList();
        var beside = items.stream().map(question::beside).toList();
        var read = ExecutionFacts.read(valkey, home, ids, beside);
        var answers = new ArrayList<Optional<Answer<R>>>();
        var drafts = new TreeMap<Integer, Draft<R>>();
        for (int n = 0; n < items.size(); n++) {
            var item = items.get(n);
            var stored = read.all().get(n);
            var known = read.beside().get(n);
            var drafted = answered(item, () -> draft(item, stored, known, read.now(), home));
            answers.add(
                    switch (drafted) {
                        case Answer.Refused<Draft<R>>(FlowFabricException refusal) ->
                                Optional.of(Answer.refused(refusal));
                        case Answer.Done<Draft<R>>(Draft<R> draft) -> Optional.of(draft.answer);
                    });
            if (drafted instanceof Answer.Done<Draft<R>>(Draft<R> draft) && isToBeWritten(draft)) {
                drafts.put(n, draft);
            }
        }
        write(home, items, drafts, answers);
        return answers;
    }

    /** What nothing is written of is only looked at again if a lease has to hold. */
    private static boolean isToBeWritten(Draft<?> draft) {
        return draft.fence.isPresent() || !draft.decided.map(Decided::writesNothing).orElse(true);
    }

    private Draft<R> draft(T item, ExecutionFacts found, Item beside, Instant now, Partition home) {
        var stored = found.readable();
        var fence = question.fence(item);
        if (fence.isPresent() && !stored.row().isHeldBy(fence.get())) {
            var answer = question.unheld(item, stored.row().standing());
            return new Draft<>(stored, Optional.empty(), Answer.done(answer), Optional.empty());
        }
        var decided =
                answered(
                        item,
                        () -> question.decide(item, new WaitFacts(stored, beside, now, home)));
        return switch (decided) {
            case Answer.Refused<Decided<R>>(FlowFabricException refusal) ->
                    new Draft<>(stored, fence, Answer.refused(refusal), Optional.empty());
            case Answer.Done<Decided<R>>(Decided<R> done) ->
                    new Draft<>(stored, fence, Answer.done(done.answer), Optional.of(done));
        };
    }

    private void write(
            Partition home,
            List<T> items,
            Map<Integer, Draft<R>> drafts,
            List<Optional<Answer<R>>> answers) {
        if (drafts.isEmpty()) {
            return;
        }
        var told =
                valkey.call(
                                function,
                                home,
                                out -> out.list(drafts.values(), (o, draft) -> draft.write(o)))
                        .answer()
                        .list()
                        .iterator();
        drafts.forEach(
                (n, draft) -> {
                    var one = told.next();
                    if (one.isAbsent()) {
                        answers.set(n, Optional.empty());
                    } else if (!(one instanceof Item.Truth)) {
                        var item = items.get(n);
                        var fence = draft.fence.orElseThrow();
                        answers.set(
                                n,
                                Optional.of(
                                        answered(
                                                item,
                                                () ->
                                                        question.unheld(
                                                                item,
                                                                ValkeyLeases.standing(
                                                                        fence, one)))));
                    }
                });
    }

    private <A> Answer<A> answered(T item, Supplier<A> answer) {
        try {
            return Answer.done(answer.get());
        } catch (Item.Unreadable damaged) {
            return Answer.refused(
                    StoreFailure.unreadable("The execution " + question.execution(item), damaged));
        } catch (FlowFabricException refusal) {
            return Answer.refused(refusal);
        }
    }
}
