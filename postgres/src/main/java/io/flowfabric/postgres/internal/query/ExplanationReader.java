package io.flowfabric.postgres.internal.query;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.decision.CompetingWork;
import io.flowfabric.core.decision.ExecutionExplainer;
import io.flowfabric.core.decision.ExplanationInput;
import io.flowfabric.core.decision.LaneExplainer;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Explanation;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.query.LaneExplanation;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.Situation;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.BudgetChains;
import io.flowfabric.postgres.internal.admission.PostgresLanes;
import io.flowfabric.postgres.internal.admission.PostgresQuotas;
import io.flowfabric.postgres.internal.catalog.Catalog;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;
import io.flowfabric.postgres.internal.session.PostgresSessions;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** What is found for an explanation. What follows from it, and in which words, the core decides. */
public final class ExplanationReader {
    private final PostgresContext postgres;

    public ExplanationReader(PostgresContext postgres) {
        this.postgres = postgres;
    }

    // Why an execution is not running.

    /** What is known of an execution at one moment. */
    private record Found(Raw raw, ViewReader reader, LaneView lane, Optional<Attribution> laneBy) {}

    /** What is known of it besides what it is. */
    private record Raw(
            Lane lane,
            boolean ready,
            int gate,
            Place place,
            Optional<Fact.Step> step,
            Optional<Fact.Holder> holder,
            Instant now) {}

    /** Where in the queue it is, while it is ready. */
    private record Place(int lane, long rank, boolean fresh, long seq) {}

    public Explanation explain(ExecutionId execution) {
        var found =
                postgres.db()
                        .transaction(tx -> find(tx, execution))
                        .orElseThrow(() -> new NotFound("execution", execution.toString()));
        // Only now, because these need connections of their own.
        var view = view(found.reader, execution);
        var alive = PostgresSessions.alive(postgres, List.of(view.lane()));
        var rivals = CompetingWork.of(view, alive);
        return ExecutionExplainer.explain(
                new ExplanationInput(
                        view,
                        found.lane,
                        found.laneBy,
                        found.raw.step,
                        found.raw.holder,
                        alive,
                        found.raw.ready ? budgets(found.lane, view) : List.of(),
                        found.raw.ready ? quotas(found.lane, found.raw.gate) : List.of(),
                        found.raw.ready ? held(rivals) : 0,
                        Fact.Ahead.of(view.state() instanceof Ready ? ahead(found, rivals) : 0),
                        found.raw.now));
    }

    private Optional<Found> find(Jdbc tx, ExecutionId execution) {
        tx.query("one_moment").run();
        var raw =
                tx.query("circumstances")
                        .set("now", postgres.now())
                        .set("id", execution.uuid())
                        .set("part", execution.partition().number())
                        .optional(ExplanationReader::raw);
        if (raw.isEmpty()) {
            return Optional.empty();
        }
        var reader = new ViewReader();
        tx.query("describe").uuids("ids", List.of(execution.uuid()), id -> id).each(reader::add);
        return Optional.of(
                new Found(
                        raw.get(),
                        reader,
                        PostgresLanes.find(tx, raw.get().lane).orElseThrow(),
                        changedBy(tx, raw.get().place.lane)));
    }

    private ExecutionView view(ViewReader reader, ExecutionId execution) {
        Answer<ExecutionView> view = reader.read(postgres).get(execution.uuid());
        return Objects.requireNonNull(view, "it was there a moment ago").orThrow();
    }

    private static Raw raw(Row row) {
        return new Raw(
                PostgresLanes.lane(row),
                row.bool("ready"),
                row.intValue("gate"),
                new Place(
                        row.intValue("lane"),
                        row.longValue("rank"),
                        row.bool("fresh"),
                        row.longValue("seq")),
                step(row),
                holder(row),
                RowCodec.moment(row, "now"));
    }

    private static Optional<Fact.Step> step(Row row) {
        return row.textOrNull("transition") == null
                ? Optional.empty()
                : Optional.of(
                        new Fact.Step(
                                RowCodec.transition(row, "transition"),
                                RowCodec.moment(row, "at"),
                                by(row)));
    }

    private static Optional<Fact.Holder> holder(Row row) {
        return Optional.ofNullable(row.uuidOrNull("session"))
                .map(
                        session ->
                                new Fact.Holder(
                                        new Owner(
                                                new SessionId(session),
                                                row.text("worker"),
                                                row.text("instance")),
                                        RowCodec.moment(row, "since"),
                                        RowCodec.moment(row, "last_heard"),
                                        RowCodec.moment(row, "alive_until")));
    }

    private static Optional<Attribution> changedBy(Jdbc db, int lane) {
        return db.query("lane_changed_by").set("lane", lane).optional(row -> by(row).orElseThrow());
    }

    private static Optional<Attribution> by(Row row) {
        return Optional.ofNullable(row.textOrNull("actor"))
                .map(actor -> new Attribution(actor, row.text("reason")));
    }

    private int held(CompetingWork rivals) {
        return postgres
                .db()
                .query("workers")
                .set("now", postgres.now())
                .uuids("ids", rivals.workers(), worker -> worker.id().uuid())
                .list(row -> row.intValue("running"))
                .stream()
                .mapToInt(running -> running)
                .sum();
    }

    private int ahead(Found found, CompetingWork rivals) {
        var raw = found.raw;
        var gates = gatesOf(found.lane, raw.place.lane, rivals);
        return postgres.db()
                .query("ahead")
                .set("now", raw.now.toEpochMilli())
                .set("lane", raw.place.lane)
                .ints("gates", gates, gate -> gate)
                .set("rank", raw.place.rank)
                .set("fresh", raw.place.fresh)
                .set("seq", raw.place.seq)
                .set("most", Fact.Ahead.MOST + 1)
                .one(row -> row.intValue("ahead"));
    }

    /** The gates of a lane behind which rivals wait. */
    private List<Integer> gatesOf(LaneView view, int lane, CompetingWork rivals) {
        var numbers =
                postgres.db()
                        .query("gates_of_lane")
                        .set("lane", lane)
                        .list(row -> row.intValue("gate"));
        var gates = gates(view, numbers);
        var quotas = quotas(gates.values());
        var budgets = new BudgetChains(postgres.db());
        var found = new ArrayList<Integer>();
        gates.forEach(
                (number, gate) -> {
                    // Each execution is asked later for what it reserves itself.
                    var least =
                            gate.gate.budgets(Collections.nCopies(gate.gate.reservations(), 0L));
                    if (budgets.shortage(view.lane().namespace(), view.settings().drawsOn(least))
                                    .isEmpty()
                            && rivals.include(
                                    gate.gate.kind(), gate.gate.needs(), of(gate, quotas))) {
                        found.add(number);
                    }
                });
        return found;
    }

    private List<Fact.Budget> budgets(LaneView lane, ExecutionView view) {
        return new BudgetChains(postgres.db())
                .facts(lane.lane().namespace(), lane.settings().drawsOn(view.policy().budgets()))
                .toList();
    }

    /**
     * A gate as it stands in a lane.
     *
     * @param meters what work counts against that starts from there
     */
    private record Standing(Catalog.Gate gate, List<Integer> meters) {}

    /** Gates as they stand in a lane. */
    private Map<Integer, Standing> gates(LaneView lane, Collection<Integer> numbers) {
        var gates = new LinkedHashMap<Integer, Standing>();
        postgres.catalog()
                .gates(postgres.db(), numbers)
                .forEach(
                        (number, gate) -> {
                            var inLane = postgres.catalog().within(postgres.db(), lane, gate);
                            gates.put(number, new Standing(gate, inLane.metering().meters()));
                        });
        return gates;
    }

    private List<QuotaView> quotas(LaneView lane, int number) {
        var gates = gates(lane, List.of(number)).values();
        var quotas = quotas(gates);
        return gates.stream().flatMap(gate -> of(gate, quotas).stream()).toList();
    }

    /** How the quotas stand of those gates, by the numbers of their meters. */
    private Map<Integer, QuotaView> quotas(Collection<Standing> gates) {
        var meters = gates.stream().flatMap(gate -> gate.meters.stream()).distinct().toList();
        return PostgresQuotas.views(postgres, postgres.db(), meters);
    }

    private static List<QuotaView> of(Standing gate, Map<Integer, QuotaView> quotas) {
        return gate.meters.stream()
                .flatMap(meter -> Optional.ofNullable(quotas.get(meter)).stream())
                .toList();
    }

    // What waits for what in a lane.

    /** Work that waits behind a gate and reserves the same. */
    private record Alike(int gate, List<Long> reserve) {}

    /** What waits in a lane at one moment. */
    private record Waiting(
            LaneView lane,
            Optional<Attribution> laneBy,
            Map<Alike, Long> ready,
            Map<Situation, Long> others) {}

    public LaneExplanation explain(Lane lane) {
        var waiting =
                postgres.db()
                        .transaction(tx -> waiting(tx, lane))
                        .orElseThrow(() -> new NotFound("lane", lane.toString()));
        var gates = gates(waiting.lane, waiting.ready.keySet().stream().map(Alike::gate).toList());
        var quotas = quotas(gates.values());
        var budgets = new BudgetChains(postgres.db());
        var queues = new ArrayList<LaneExplainer.Queue>();
        waiting.ready.forEach(
                (alike, count) -> {
                    var gate = gates.get(alike.gate);
                    if (gate == null) {
                        // Another version may know a worker that can take it; this one knows none.
                        waiting.others.merge(Situation.WITHOUT_WORKER, count, Long::sum);
                    } else {
                        var own = gate.gate.budgets(alike.reserve);
                        queues.add(
                                new LaneExplainer.Queue(
                                        gate.gate.kind(),
                                        gate.gate.needs(),
                                        budgets.shortage(
                                                lane.namespace(),
                                                waiting.lane.settings().drawsOn(own)),
                                        of(gate, quotas),
                                        count));
                    }
                });
        var alive = PostgresSessions.alive(postgres, List.of(lane));
        return LaneExplainer.explain(waiting.lane, waiting.laneBy, queues, waiting.others, alive);
    }

    private static Optional<Waiting> waiting(Jdbc tx, Lane lane) {
        tx.query("one_moment").run();
        var number = PostgresLanes.numbers(tx, List.of(lane)).get(lane);
        if (number == null) {
            return Optional.empty();
        }
        var ready = new HashMap<Alike, Long>();
        var others = new EnumMap<Situation, Long>(Situation.class);
        tx.query("waiting_in")
                .set("lane", number)
                .each(
                        row -> {
                            var gate = row.intOrNull("gate");
                            if (gate == null) {
                                others.put(RowCodec.situation(row), row.longValue("count"));
                            } else {
                                ready.put(
                                        new Alike(gate, RowCodec.reserve(row)),
                                        row.longValue("count"));
                            }
                        });
        return Optional.of(
                new Waiting(
                        PostgresLanes.find(tx, lane).orElseThrow(),
                        changedBy(tx, number),
                        ready,
                        others));
    }
}
