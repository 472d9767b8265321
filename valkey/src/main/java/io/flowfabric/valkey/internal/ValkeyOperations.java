package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.OperatorDecisions;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.operate.Operations;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.valkey.internal.SpreadLeftovers.Gone;
import io.flowfabric.valkey.internal.Steps.Step;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What operators may do: the core decides by what is read, and what is unchanged is written. */
public final class ValkeyOperations implements Operations {
    /** How many one call erases: each may have thousands of steps, signals and frames. */
    private static final int ERASED = 16;

    private final ValkeyContext valkey;
    private final Steps steps;
    private final HandClaims claims;
    private final FlowReplays replays;
    private final ValkeyLanes lanes;
    private final SpreadLeftovers leftovers;

    public ValkeyOperations(
            ValkeyContext valkey, Steps steps, FlowSettling settling, UnreadableWork unreadable) {
        this.valkey = valkey;
        this.steps = steps;
        this.claims = new HandClaims(valkey, unreadable);
        this.replays = new FlowReplays(valkey, settling);
        this.lanes = new ValkeyLanes(valkey);
        this.leftovers = new SpreadLeftovers(valkey);
    }

    @Override
    public List<Answer<ExecutionState>> act(List<OperatorCommand> acts, Attribution by) {
        by.mustBeOperator();
        var flows = steps.unsettled();
        var answers =
                new DecidedBatches<OperatorCommand, ExecutionState>(
                                valkey,
                                "acts",
                                acts,
                                OperatorCommand::execution,
                                OperatorCommand::bytes)
                        .each((home, some) -> act(home, some, by, flows));
        flows.settle();
        return answers;
    }

    private List<Optional<Answer<ExecutionState>>> act(
            Partition home, List<OperatorCommand> acts, Attribution by, UnsettledFlows flows) {
        var ids = acts.stream().map(OperatorCommand::execution).toList();
        var read = ExecutionFacts.read(valkey, home, ids);
        var answers = new ArrayList<Optional<Answer<ExecutionState>>>();
        var decided = new TreeMap<Integer, Step>();
        for (int n = 0; n < acts.size(); n++) {
            try {
                var stored = read.all().get(n).readable();
                var facts = stored.facts();
                var change = OperatorDecisions.act(acts.get(n), by, facts, read.now());
                boolean replay = acts.get(n) instanceof OperatorCommand.Replay;
                boolean uncounted =
                        replay && !valkey.home(stored.submission().lane().namespace()).equals(home);
                if (change.isPresent() && uncounted) {
                    lanes.mustHaveNoLimits(stored.submission().lane(), home);
                }
                if (change.isPresent() && replay && stored.row().member().isPresent()) {
                    // It reopens more than itself, as all is that was done before it.
                    take(home, decided, answers, flows);
                    answers.add(replays.replay(home, stored, change.get()).map(Answer::done));
                    continue;
                }
                if (change.isPresent()) {
                    decided.put(n, new Step(stored, change.get(), uncounted));
                }
                answers.add(Optional.of(Answer.done(facts.state())));
            } catch (FlowFabricException refusal) {
                answers.add(Optional.of(Answer.refused(refusal)));
            }
        }
        take(home, decided, answers, flows);
        return answers;
    }

    private void take(
            Partition home,
            Map<Integer, Step> decided,
            List<Optional<Answer<ExecutionState>>> answers,
            UnsettledFlows flows) {
        if (!decided.isEmpty()) {
            var taken = steps.take(home, List.copyOf(decided.values()), flows).iterator();
            decided.forEach(
                    (n, step) ->
                            answers.set(
                                    n,
                                    taken.next()
                                            ? Optional.of(Answer.done(step.change().after()))
                                            : Optional.empty()));
            decided.clear();
        }
    }

    @Override
    public Lease claim(ExecutionId execution, SessionId session, Attribution by) {
        by.mustBeOperator();
        return claims.claim(execution, session, by);
    }

    @Override
    public List<Answer<ExecutionId>> erase(List<ExecutionId> executions, Attribution by) {
        by.mustBeOperator();
        return new DecidedBatches<ExecutionId, ExecutionId>(
                        valkey, "executions", executions, id -> id, id -> Chunks.BYTES / ERASED)
                .each((home, some) -> erase(home, some, by));
    }

    /** What is to be erased, and what is told instead. */
    private record Erasure(ExecutionFacts stored, Event.Erased event) {}

    private List<Optional<Answer<ExecutionId>>> erase(
            Partition home, List<ExecutionId> executions, Attribution by) {
        var read = ExecutionFacts.read(valkey, home, executions);
        var answers = new ArrayList<Optional<Answer<ExecutionId>>>();
        var decided = new TreeMap<Integer, Erasure>();
        for (int n = 0; n < executions.size(); n++) {
            var id = executions.get(n);
            try {
                var stored = read.all().get(n).readable();
                OperatorDecisions.mustBeErasable(stored.facts());
                var lane = stored.submission().lane();
                decided.put(
                        n,
                        new Erasure(read.all().get(n), new Event.Erased(id, lane, by, read.now())));
                answers.add(Optional.of(Answer.done(id)));
            } catch (FlowFabricException refusal) {
                answers.add(Optional.of(Answer.refused(refusal)));
            }
        }
        if (!decided.isEmpty()) {
            var erased = erase(home, List.copyOf(decided.values())).iterator();
            var gone = new ArrayList<Gone>();
            for (int n : decided.keySet()) {
                var told = erased.next();
                if (told.at(0).truth()) {
                    var id = executions.get(n);
                    var submission = read.all().get(n).readable().submission();
                    told.at(1)
                            .optional(note -> note)
                            .map(
                                    note ->
                                            new Gone(
                                                    id,
                                                    submission.lane().namespace(),
                                                    submission.key(),
                                                    note))
                            .ifPresent(gone::add);
                } else {
                    answers.set(n, Optional.empty());
                }
            }
            leftovers.remove(gone, home);
        }
        return answers;
    }

    private List<Item> erase(Partition home, List<Erasure> erasures) {
        var namespaces =
                erasures.stream().map(one -> one.event.lane().namespace()).distinct().toList();
        return valkey.call(
                        "erase",
                        home,
                        out -> {
                            leftovers.writePlace(out.list(2), home, namespaces);
                            out.list(
                                    erasures,
                                    (o, one) ->
                                            o.list(3)
                                                    .uuid(one.stored.id().uuid())
                                                    .bytes(one.stored.packed().bytes())
                                                    .packed(GuardedWrites.packed(one.event)));
                        })
                .answer()
                .list();
    }
}
