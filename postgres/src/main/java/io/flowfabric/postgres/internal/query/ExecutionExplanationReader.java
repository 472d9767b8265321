package io.flowfabric.postgres.internal.query;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.decision.CompetingWork;
import io.flowfabric.core.decision.ExecutionExplainer;
import io.flowfabric.core.decision.ExplanationInput;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Explanation;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.signal.Awaiting;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.Transition;
import io.flowfabric.postgres.internal.Parties;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.BudgetChains;
import io.flowfabric.postgres.internal.admission.PostgresLanes;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;
import io.flowfabric.postgres.internal.ready.EntryPlace;
import io.flowfabric.postgres.internal.session.PostgresSessions;
import io.flowfabric.postgres.internal.step.WaitBatch;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * What is found for an explanation why an execution is not running. What follows from it, and in
 * which words, the core decides.
 */
final class ExecutionExplanationReader {
    private final PostgresContext postgres;

    ExecutionExplanationReader(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /** What is known of an execution at one moment. */
    private record Found(
            Raw raw,
            ViewReader reader,
            LaneView lane,
            Optional<Attribution> laneBy,
            Optional<Fact.PendingUpstreams> upstreams) {}

    /**
     * What is known of it besides what it is.
     *
     * @param place where it stands in the queue, while it is ready
     * @param waitsIn the flow in which it waits for other members, if it does
     */
    private record Raw(
            Lane lane,
            boolean ready,
            EntryPlace place,
            Optional<Fact.Step> step,
            Optional<Fact.Holder> holder,
            Instant now,
            Awaiting awaiting,
            Optional<UUID> waitsIn) {}

    Explanation explain(ExecutionId execution) {
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
                        found.raw.ready ? quotas(found) : List.of(),
                        found.raw.ready ? held(rivals) : 0,
                        Fact.Ahead.of(view.state() instanceof Ready ? ahead(found, rivals) : 0),
                        found.raw.now,
                        found.raw.awaiting,
                        found.upstreams));
    }

    private Optional<Found> find(Jdbc tx, ExecutionId execution) {
        tx.query("one_moment").run();
        var raw =
                tx.query("circumstances")
                        .set("now", postgres.now())
                        .set("id", execution.uuid())
                        .set("part", execution.partition().number())
                        .optional(ExecutionExplanationReader::raw);
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
                        LaneExplanationReader.changedBy(tx, raw.get().place.gate().lane()),
                        raw.get()
                                .waitsIn
                                .flatMap(flow -> PendingUpstreamReader.read(tx, flow, execution))));
    }

    private ExecutionView view(ViewReader reader, ExecutionId execution) {
        Answer<ExecutionView> view = reader.read(postgres).get(execution.uuid());
        return Objects.requireNonNull(view, "it was there a moment ago").orThrow();
    }

    private static Raw raw(Row row) {
        return new Raw(
                PostgresLanes.lane(row),
                row.bool("ready"),
                EntryPlace.of(row),
                step(row),
                holder(row),
                RowCodec.moment(row, "now"),
                WaitBatch.read(row),
                Optional.ofNullable(row.uuidOrNull("waits_in")));
    }

    private static Optional<Fact.Step> step(Row row) {
        return Optional.ofNullable(row.textOrNull("transition"))
                .flatMap(word -> RowCodec.known(Transition.class, word))
                .map(
                        transition ->
                                new Fact.Step(
                                        transition, RowCodec.moment(row, "at"), Parties.by(row)));
    }

    private static Optional<Fact.Holder> holder(Row row) {
        return Parties.owner(row)
                .map(
                        owner ->
                                new Fact.Holder(
                                        owner,
                                        RowCodec.moment(row, "since"),
                                        RowCodec.moment(row, "last_heard"),
                                        RowCodec.moment(row, "alive_until")));
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
        int lane = found.raw.place.gate().lane();
        var position = found.raw.place.position();
        var gates = gatesOf(found.lane, lane, rivals);
        return postgres.db()
                .query("ahead")
                .set("now", found.raw.now.toEpochMilli())
                .set("lane", lane)
                .ints("gates", gates, gate -> gate)
                .set("rank", position.rank())
                .set("fresh", position.fresh())
                .set("seq", position.seq())
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
        var standings = GateStandings.read(postgres, view, numbers);
        var budgets = new BudgetChains(postgres.db());
        var found = new ArrayList<Integer>();
        standings
                .gates()
                .forEach(
                        (number, gate) -> {
                            // Each execution is asked later for what it reserves itself.
                            var least = gate.budgets(Collections.nCopies(gate.reservations(), 0L));
                            var shortage =
                                    budgets.shortage(
                                            view.lane().namespace(),
                                            view.settings().drawsOn(least));
                            if (shortage.isEmpty()
                                    && rivals.include(
                                            gate.kind(), gate.needs(), standings.quotas(number))) {
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

    private List<QuotaView> quotas(Found found) {
        int gate = found.raw.place.gate().gate();
        return GateStandings.read(postgres, found.lane, List.of(gate)).quotas(gate);
    }
}
