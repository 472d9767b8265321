package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.decision.FlowSettlement;
import io.flowfabric.core.decision.FlowSettlement.EndedMember;
import io.flowfabric.core.decision.LeaseEnd;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.state.ExecutionState.Finished;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.valkey.internal.ExecutionFacts.Decidable;
import io.flowfabric.valkey.internal.FlowWrite.FlowStep;
import io.flowfabric.valkey.internal.ValkeyContext.Told;
import io.flowfabric.valkey.internal.wire.Item;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Endings of members of flows. What follows from them is decided with them, and written with them
 * by one call: so a member that has what it needs is ready in the same moment.
 */
final class FlowEndings {
    /** So often others may change a flow before its members end without regard to that. */
    private static final int PATIENCE = 4;

    /** How many flows are read with one call. */
    private static final int TOGETHER = FlowSettling.TOGETHER;

    private final ValkeyContext valkey;
    private final FlowSettling settling;

    FlowEndings(ValkeyContext valkey, FlowSettling settling) {
        this.valkey = valkey;
        this.settling = settling;
    }

    /**
     * Ends leases of members, those of one flow together, and answers in their order.
     *
     * @param known how they stood when they were last looked at
     */
    List<Answer<Ended>> end(List<Ending> endings, Known known, AppliedParts parts) {
        return new DecidedBatches<Ending, Ended>(
                        valkey,
                        "endings",
                        endings,
                        ending -> ending.fence().execution(),
                        Ending::bytes,
                        parts)
                .chunks((int) Limit.BATCH.max())
                .each(new Call(known, parts)::attempt);
    }

    /**
     * What was found of members and of their flows when they were left to be decided here. It is
     * used once: what was decided by it, and is not so any more, is read anew.
     */
    record Known(Map<ExecutionId, ExecutionFacts> executions, Map<UUID, FlowSurroundings> flows) {
        Known() {
            this(new HashMap<>(), new HashMap<>());
        }

        /** Takes what was told of members behind the answers for endings. */
        void know(ValkeyContext valkey, Partition home, List<Ending> endings, Told told) {
            var left = told.answer().at(endings.size());
            var details = left.at(2).at(1);
            for (int n = 0; n < endings.size(); n++) {
                var one = told.answer().at(n);
                if (ValkeyLeases.isMember(one) && one.list().size() > 1) {
                    int place = one.at(1).small() - 1;
                    var id = endings.get(n).fence().execution();
                    executions.put(
                            id,
                            new ExecutionFacts(
                                    id,
                                    left.at(2).at(0).at(place),
                                    details.at(3 * place),
                                    details.at(3 * place + 1),
                                    details.at(3 * place + 2)));
                }
            }
            FlowSurroundings.left(valkey, home, left, told.now())
                    .forEach(flow -> flows.put(flow.uuid(), flow));
        }
    }

    /**
     * An ending whose lease holds.
     *
     * @param place among those of the call
     */
    private record Held(int place, Ending ending, Decidable stored) {
        UUID flow() {
            return stored.row().member().orElseThrow().flow();
        }

        int number() {
            return stored.row().member().orElseThrow().number();
        }

        /** Whether its execution ends with it; others come here only behind such endings. */
        boolean isOver() {
            return LeaseEnd.of(ending).outcome().isPresent();
        }

        FlowStep step(Instant now) {
            return new FlowStep(
                    stored.submission(),
                    Optional.of(stored),
                    Optional.of(LeaseEnd.of(ending).change(stored.facts(), now)),
                    Optional.of(ending.fence()),
                    Optional.of(ending.digest()));
        }

        EndedMember ended(FlowStep step) {
            var end = (Finished) step.change().orElseThrow().after();
            return new EndedMember(number(), end.outcome());
        }
    }

    /** What was decided about endings of members of one flow. */
    private record DecidedEnds(List<Held> held, FlowWrite write, Instant now) {}

    /** One call, in which something may have to be decided anew. */
    private final class Call {
        private final Known known;
        private final AppliedParts parts;
        private final Map<UUID, Integer> tries = new HashMap<>();

        Call(Known known, AppliedParts parts) {
            this.known = known;
            this.parts = parts;
        }

        List<Optional<Answer<Ended>>> attempt(Partition home, List<Ending> endings) {
            var all = facts(home, endings);
            var answers = new ArrayList<Optional<Answer<Ended>>>();
            var flows = new LinkedHashMap<UUID, List<Held>>();
            for (int n = 0; n < endings.size(); n++) {
                int place = n;
                var ending = endings.get(n);
                var found = all.get(n);
                answers.add(Optional.empty());
                var unheld =
                        answered(
                                () -> {
                                    var stored = found.readable();
                                    if (!stored.row().isHeldBy(ending.fence())) {
                                        return Optional.of(
                                                stored.row().standing().repeated(ending));
                                    }
                                    var held = new Held(place, ending, stored);
                                    flows.computeIfAbsent(held.flow(), first -> new ArrayList<>())
                                            .add(held);
                                    return Optional.<Ended>empty();
                                });
                switch (unheld) {
                    case Answer.Refused<Optional<Ended>>(FlowFabricException refusal) ->
                            answers.set(n, Optional.of(Answer.refused(refusal)));
                    case Answer.Done<Optional<Ended>>(Optional<Ended> repeated) ->
                            answers.set(n, repeated.map(Answer::done));
                }
            }
            var together = new LinkedHashMap<UUID, List<Held>>();
            flows.forEach(
                    (flow, held) -> {
                        if (tries.merge(flow, 1, Integer::sum) > PATIENCE
                                || !held.stream().allMatch(Held::isOver)) {
                            endAnyhow(home, flow, held, answers);
                        } else {
                            together.put(flow, held);
                        }
                    });
            for (var some : Chunks.of(List.copyOf(together.entrySet()), TOGETHER, flow -> 0)) {
                end(home, some, answers);
            }
            return answers;
        }

        /** How executions stand: as they were looked at, and the next time as they are then. */
        private List<ExecutionFacts> facts(Partition home, List<Ending> endings) {
            var ids = endings.stream().map(ending -> ending.fence().execution()).toList();
            var looked = ids.stream().map(known.executions::remove).toList();
            return looked.stream().allMatch(Objects::nonNull)
                    ? looked
                    : ExecutionFacts.read(valkey, home, ids).all();
        }

        /** Ends members of flows with what follows in each of them. */
        private void end(
                Partition home,
                List<Map.Entry<UUID, List<Held>>> flows,
                List<Optional<Answer<Ended>>> answers) {
            var around = around(home, flows);
            var decided = new LinkedHashMap<UUID, DecidedEnds>();
            for (int n = 0; n < flows.size(); n++) {
                var held = flows.get(n).getValue();
                try {
                    var one = decide(around.get(n), held);
                    decided.put(one.write.flow(), one);
                } catch (StoreFailure failure) {
                    // A flow that cannot be read is no matter of the others.
                    if (!failure.isUnreadable()) {
                        throw failure;
                    }
                    held.forEach(it -> answers.set(it.place, Optional.of(Answer.refused(failure))));
                }
            }
            var unsettled = new ArrayList<UUID>();
            var writes = decided.values().stream().map(DecidedEnds::write).toList();
            for (var call : FlowWrite.calls(writes)) {
                var told = parts.change(() -> FlowWrite.write(valkey, home, call));
                for (int n = 0; n < call.size(); n++) {
                    var one = Objects.requireNonNull(decided.get(call.get(n).flow()));
                    answer(one, told.get(n), answers);
                    if (told.get(n).done() && one.write.leavesWork()) {
                        unsettled.add(one.write.flow());
                    }
                    if (told.get(n).done()) {
                        one.write.abandoned().forEach(unsettled::add);
                    }
                }
            }
            settling.settleIfPossible(home, unsettled);
        }

        /** What is around members that end, of each flow: as it was found, or as it is now. */
        private List<FlowSurroundings> around(
                Partition home, List<Map.Entry<UUID, List<Held>>> flows) {
            var found = new HashMap<UUID, FlowSurroundings>();
            var unknown = new LinkedHashMap<UUID, List<Integer>>();
            for (var flow : flows) {
                var numbers = flow.getValue().stream().map(Held::number).toList();
                var before = known.flows.remove(flow.getKey());
                if (before != null && before.isAround(home, numbers)) {
                    found.put(flow.getKey(), before);
                } else {
                    unknown.put(flow.getKey(), numbers);
                }
            }
            if (!unknown.isEmpty()) {
                FlowSurroundings.read(valkey, home, unknown)
                        .forEach(it -> found.put(it.uuid(), it));
            }
            return flows.stream().map(flow -> found.get(flow.getKey())).toList();
        }

        /** What follows from the ends of members of a flow. */
        private DecidedEnds decide(FlowSurroundings around, List<Held> held) {
            var found =
                    around.readable()
                            .orElseThrow(
                                    () ->
                                            StoreFailure.unreadable(
                                                    "The flow " + around.uuid(),
                                                    Item.unreadable("nothing is stored of it")));
            var before = found.flow();
            var now = before.now();
            var write = FlowWrite.settling(before);
            var ended = new ArrayList<>(before.ended());
            for (var one : held) {
                var step = one.step(now);
                ended.add(one.ended(step));
                write.begin(step);
            }
            var settled =
                    FlowSettlement.settle(
                            write.record(), found.graph(), ended, now, FlowSettling.MOST);
            return new DecidedEnds(held, write.settle(settled, found.graph(), now), now);
        }

        /** Nothing is answered when something has changed meanwhile. */
        private static void answer(
                DecidedEnds decided, FlowWrite.Told told, List<Optional<Answer<Ended>>> answers) {
            if (told.done()) {
                for (var it : decided.held) {
                    var end = LeaseEnd.of(it.ending).answer(decided.now);
                    answers.set(it.place, Optional.of(Answer.done(end)));
                }
            } else if (told.word().equals("unheld")) {
                var lost = decided.held.get(told.number());
                var fence = lost.ending.fence();
                answers.set(
                        lost.place,
                        Optional.of(
                                answered(
                                        () ->
                                                ValkeyLeases.standing(fence, told.why())
                                                        .repeated(lost.ending))));
            }
        }

        /** Ends leases whatever becomes of their flow meanwhile; what follows is done next. */
        private void endAnyhow(
                Partition home, UUID flow, List<Held> held, List<Optional<Answer<Ended>>> answers) {
            var endings = held.stream().map(Held::ending).toList();
            var told =
                    valkey.call("end", home, out -> new EndRequest(endings).write(out, true))
                            .answer();
            for (int n = 0; n < held.size(); n++) {
                var one = told.at(n);
                var ending = endings.get(n);
                answers.set(held.get(n).place, Optional.of(answered(() -> ended(ending, one))));
            }
            settling.settleIfPossible(home, List.of(flow));
        }
    }

    private static Ended ended(Ending ending, Item told) {
        var transition = LeaseEnd.of(ending).transition();
        if (told instanceof Item.Truth) {
            return new Ended(transition, Optional.empty());
        }
        return told.at(0) instanceof Item.Truth
                ? new Ended(transition, told.at(1).optional(Item::moment))
                : ValkeyLeases.standing(ending.fence(), told).repeated(ending);
    }

    private static <A> Answer<A> answered(Supplier<A> answer) {
        try {
            return Answer.done(answer.get());
        } catch (FlowFabricException refusal) {
            return Answer.refused(refusal);
        }
    }
}
