package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.CompetingWork;
import io.flowfabric.core.decision.ExecutionExplainer;
import io.flowfabric.core.decision.ExplanationInput;
import io.flowfabric.core.decision.LaneExplainer;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Explanation;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.query.LaneExplanation;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.Situation;
import io.flowfabric.valkey.internal.record.Codes;
import io.flowfabric.valkey.internal.record.LaneRecord;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What is found for an explanation. What follows from it, and in which words, the core decides. */
final class ValkeyExplanations {
    private final ValkeyContext valkey;

    ValkeyExplanations(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    // Of one execution.

    /** What is known of an execution at one moment. */
    private record Found(
            StoredExecution stored,
            ExecutionView view,
            Optional<Fact.Step> step,
            Optional<Item> place,
            Map<SessionId, Integer> running,
            Surroundings around) {
        boolean ready() {
            return stored.row().situation() == Situation.READY;
        }
    }

    Explanation explain(ExecutionId execution) {
        return valkey.at(execution, home -> explain(home, find(home, execution)));
    }

    private Explanation explain(Partition home, Found found) {
        var view = found.view;
        var around = found.around;
        var record = around.laneRecord(found.stored.row().lane());
        var lane = record.view();
        var rivals = CompetingWork.of(view, around.alive());
        boolean ready = found.ready();
        var policy = view.policy();
        return ExecutionExplainer.explain(
                new ExplanationInput(
                        view,
                        lane,
                        changedBy(record),
                        found.step,
                        holder(found),
                        around.alive(),
                        ready ? around.budgets(lane, policy.budgets()).toList() : List.of(),
                        ready ? around.quotas(lane, policy.quotas()).toList() : List.of(),
                        ready ? held(home, found, rivals) : 0,
                        Fact.Ahead.of(ready ? ahead(home, found, rivals) : 0),
                        around.now(),
                        found.stored.awaiting(),
                        upstreams(home, found)));
    }

    /** What a member waits for: its flow lies where it does. */
    private Optional<Fact.PendingUpstreams> upstreams(Partition home, Found found) {
        var row = found.stored.row();
        return row.situation() == Situation.AWAITING_CHILDREN
                ? row.member().flatMap(place -> new FlowReads(valkey).pending(home, place))
                : Optional.empty();
    }

    private Found find(Partition home, ExecutionId id) {
        var letters = StoredExecution.EXPLAINED;
        var told = valkey.read("explain", home, out -> out.list(2).uuid(id.uuid()).text(letters));
        var answer = told.answer();
        if (answer.isAbsent()) {
            throw new NotFound("execution", id.toString());
        }
        Answer<Found> found =
                ExecutionReads.answer(
                        id,
                        answer,
                        letters,
                        stored -> {
                            var around = Surroundings.read(answer.at(5), told.now());
                            return new Found(
                                    stored,
                                    stored.view(around),
                                    answer.at(2).optional(ValkeyExplanations::step),
                                    answer.at(3).optional(place -> place),
                                    running(answer.at(4)),
                                    around);
                        });
        return found.orThrow();
    }

    private static Fact.Step step(Item told) {
        return new Fact.Step(
                Codes.STEPS.word(told.at(0)),
                told.at(1).moment(),
                told.at(2).optional(by -> new Attribution(by.at(0).text(), by.at(1).text())));
    }

    private static Map<SessionId, Integer> running(Item told) {
        var running = new HashMap<SessionId, Integer>();
        told.list().forEach(one -> running.put(new SessionId(one.at(0).uuid()), one.at(1).small()));
        return running;
    }

    /** Who made a lane what it is, if that is anything to explain. */
    private static Optional<Attribution> changedBy(LaneRecord lane) {
        return lane.settings().state() == LaneSettings.State.ACTIVE
                ? Optional.empty()
                : lane.changedBy();
    }

    private static Optional<Fact.Holder> holder(Found found) {
        return found.view.state() instanceof Running running
                ? found.around
                        .session(running.session())
                        .map(
                                session ->
                                        new Fact.Holder(
                                                session.owner(),
                                                running.since(),
                                                session.renewed(),
                                                session.end()))
                : Optional.empty();
    }

    private int held(Partition home, Found found, CompetingWork rivals) {
        int held =
                rivals.workers().stream()
                        .mapToInt(worker -> found.running.getOrDefault(worker.id(), 0))
                        .sum();
        for (var part : valkey.spread(found.view.lane().namespace()).all()) {
            held += part.equals(home) ? 0 : heldIn(part, rivals);
        }
        return held;
    }

    private int heldIn(Partition part, CompetingWork rivals) {
        return valkey
                .read(
                        "workers",
                        part,
                        out -> out.list(rivals.workers(), (o, it) -> o.uuid(it.id().uuid())))
                .answer()
                .list(entry -> entry.isAbsent() ? 0 : entry.at(1).small())
                .stream()
                .mapToInt(Integer::intValue)
                .sum();
    }

    private int ahead(Partition home, Found found, CompetingWork rivals) {
        var gates = new ArrayList<Integer>();
        // Only what lies in the same partition stands in the same queue.
        boolean unused =
                WaitingWork.portions(
                        valkey,
                        found.view.lane(),
                        home,
                        portion -> gates.addAll(gatesOf(portion, rivals)));
        return valkey.read(
                        "ahead",
                        home,
                        out ->
                                out.list(3)
                                        .list(gates, (o, gate) -> o.number(gate))
                                        .optional(found.place.map(Item::bytes), Packer::bytes)
                                        .number(Fact.Ahead.MOST + 1))
                .answer()
                .small();
    }

    /** The gates behind which rivals wait. */
    private static List<Integer> gatesOf(WaitingWork portion, CompetingWork rivals) {
        var lane = portion.around().lane(portion.lane());
        return portion.gates().stream()
                .map(told -> WaitingGate.read(portion.lane(), told))
                .filter(gate -> portion.around().shortage(lane, gate.budgets()).isEmpty())
                .filter(
                        gate ->
                                rivals.include(
                                        gate.kind(),
                                        gate.needs(),
                                        portion.around().quotas(lane, gate.quotas()).toList()))
                .map(WaitingGate::number)
                .toList();
    }

    // Of a lane.

    LaneExplanation explain(Lane lane) {
        var portions = new ArrayList<WaitingWork>();
        var others = new EnumMap<Situation, Long>(Situation.class);
        for (var part : valkey.spread(lane.namespace()).all()) {
            int before = portions.size();
            if (WaitingWork.portions(valkey, lane, part, portions::add)) {
                count(portions.get(before).counts(), others);
            }
        }
        if (portions.isEmpty()) {
            throw new NotFound("lane", lane.toString());
        }
        var first = portions.getFirst();
        var record = first.around().laneRecord(first.lane());
        return LaneExplainer.explain(
                record.view(),
                changedBy(record),
                portions.stream().flatMap(portion -> queues(portion).stream()).toList(),
                others,
                first.around().alive());
    }

    private static List<LaneExplainer.Queue> queues(WaitingWork portion) {
        var around = portion.around();
        var lane = around.lane(portion.lane());
        return portion.gates().stream()
                .map(
                        told -> {
                            var gate = WaitingGate.read(portion.lane(), told);
                            return new LaneExplainer.Queue(
                                    gate.kind(),
                                    gate.needs(),
                                    around.shortage(lane, gate.budgets()),
                                    around.quotas(lane, gate.quotas()).toList(),
                                    WaitingGate.count(told));
                        })
                .toList();
    }

    private static void count(Item counts, Map<Situation, Long> others) {
        var situations = Codes.SITUATIONS.words();
        for (int i = 0; i < situations.size(); i++) {
            var situation = situations.get(i);
            if (!situation.terminal() && situation != Situation.READY) {
                others.merge(situation, counts.at(i).number(), Long::sum);
            }
        }
    }
}
