package io.flowfabric.postgres.internal.query;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.Conflicts;
import io.flowfabric.core.decision.Obstacle;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Explanation;
import io.flowfabric.core.query.LaneExplanation;
import io.flowfabric.core.query.Queries;
import io.flowfabric.core.query.Result;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.PostgresLanes;
import io.flowfabric.postgres.internal.catalog.Gate;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.catalog.UnknownWord;
import io.flowfabric.postgres.internal.feed.EventReader;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;
import io.flowfabric.postgres.internal.step.FactsReader;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What can be read. */
public final class PostgresQueries implements Queries {
    private final PostgresContext postgres;

    public PostgresQueries(PostgresContext postgres) {
        this.postgres = postgres;
    }

    @Override
    public List<Answer<ExecutionView>> describe(List<ExecutionId> executions) {
        Limit.BATCH.checkCount("executions", executions.size());
        var views =
                views(postgres, postgres.db(), executions.stream().map(ExecutionId::uuid).toList());
        return executions.stream().map(id -> view(id, views.get(id.uuid()))).toList();
    }

    private static Answer<ExecutionView> view(
            ExecutionId id, @Nullable Answer<ExecutionView> found) {
        return found == null
                        || (found instanceof Answer.Done<ExecutionView>(var view)
                                && !view.id().equals(id))
                ? Answer.refused(new NotFound("execution", id.toString()))
                : found;
    }

    /** The views of the executions that a connection or a transaction sees, by their ids. */
    public static Map<UUID, Answer<ExecutionView>> views(
            PostgresContext postgres, Jdbc db, List<UUID> ids) {
        var reader = new ViewReader();
        db.query("describe").uuids("ids", ids, id -> id).each(reader::add);
        return reader.read(postgres);
    }

    @Override
    public List<Answer<Payload>> inputs(List<ExecutionId> executions) {
        Limit.BATCH.checkCount("executions", executions.size());
        var found = new HashMap<ExecutionId, Answer<Payload>>();
        postgres.db()
                .query("inputs")
                .uuids("ids", executions, ExecutionId::uuid)
                .each(row -> found.put(RowCodec.id(row), Answer.done(payload(row))));
        return executions.stream().map(id -> found.getOrDefault(id, notFound(id))).toList();
    }

    @Override
    public List<Answer<Result>> results(List<ExecutionId> executions) {
        Limit.BATCH.checkCount("executions", executions.size());
        var found = new HashMap<ExecutionId, Answer<Result>>();
        postgres.db()
                .query("results")
                .uuids("ids", executions, ExecutionId::uuid)
                .each(row -> found.put(RowCodec.id(row), result(row)));
        return executions.stream().map(id -> found.getOrDefault(id, notFound(id))).toList();
    }

    private static <T> Answer<T> notFound(ExecutionId id) {
        return Answer.refused(new NotFound("execution", id.toString()));
    }

    private static Answer<Result> result(Row row) {
        var known = RowCodec.known(Situation.class, row.text("situation"));
        if (known.isEmpty()) {
            return Answer.refused(FactsReader.unreadable(RowCodec.id(row)));
        }
        var situation = known.get();
        var outcome =
                Stream.of(Outcome.values()).filter(o -> o.situation() == situation).findFirst();
        if (outcome.isEmpty()) {
            return Answer.refused(Conflicts.notFinished(RowCodec.id(row), situation.publicState()));
        }
        var payload =
                row.bytesOrNull("bytes") == null
                        ? Optional.<Payload>empty()
                        : Optional.of(payload(row));
        var failure = outcome.get() == Outcome.SUCCESS ? Optional.<Failure>empty() : failure(row);
        return Answer.done(new Result(outcome.get(), payload, failure, endedBy(row)));
    }

    private static Payload payload(Row row) {
        return Payload.of(row.bytes("bytes"), row.text("content_type"));
    }

    /** Who ended it, when it was not its worker. */
    static Optional<Attribution> endedBy(Row row) {
        return Optional.ofNullable(row.textOrNull("ended_by"))
                .map(actor -> new Attribution(actor, row.text("end_reason")));
    }

    public static Optional<Failure> failure(Row row) {
        return Optional.ofNullable(row.textOrNull("category"))
                .map(
                        category ->
                                new Failure(
                                        category, row.text("message"), row.text("failure_detail")));
    }

    @Override
    public List<Event> history(ExecutionId execution) {
        describe(List.of(execution)).getFirst().orThrow();
        var reader = new EventReader();
        postgres.db().query("history").set("id", execution.uuid()).each(reader::add);
        var steps = reader.read(postgres.db(), postgres.catalog());
        var holders =
                steps.stream()
                        .flatMap(read -> PostgresQueries.owner(read.event()).stream())
                        .map(owner -> owner.session().uuid())
                        .distinct()
                        .toList();
        var beats = new EventReader();
        if (!holders.isEmpty()) {
            postgres.db()
                    .query("heartbeats")
                    .uuids("sessions", holders, id -> id)
                    .set("after", steps.getFirst().id())
                    .each(beats::add);
        }
        return merged(steps, beats.read(postgres.db(), postgres.catalog()));
    }

    /** Whose lease a step gave or ended. */
    private static Optional<Owner> owner(Event event) {
        return event instanceof Event.Step step ? step.owner() : Optional.empty();
    }

    /** The steps since the last submission, with what is told of the session that held it then. */
    private static List<Event> merged(List<EventReader.Read> steps, List<EventReader.Read> beats) {
        var all = new ArrayList<>(steps);
        all.addAll(beats);
        all.sort(Comparator.comparingLong(EventReader.Read::id));
        var history = new ArrayList<Event>();
        SessionId holder = null;
        for (EventReader.Read read : all) {
            if (read.event() instanceof Event.Renewal renewal
                    && renewal.owner().session().equals(holder)) {
                history.add(renewal);
            }
            if (read.event() instanceof Event.MarkedDead marked
                    && marked.owner().session().equals(holder)) {
                history.add(marked);
            }
            switch (read.event()) {
                case Event.StepRecorded recorded -> history.add(recorded);
                case Event.SignalReceived received -> history.add(received);
                case Event.WaitpointClosed closed -> history.add(closed);
                case Event other -> {}
            }
            if (read.event() instanceof Event.Step step) {
                if (step.transition() == Transition.SUBMIT) {
                    history.clear();
                }
                history.add(step);
                if (step.owner().isPresent()) {
                    holder = step.transition().givesLease() ? step.owner().get().session() : null;
                }
            }
        }
        return history;
    }

    @Override
    public Page<Step> steps(ExecutionId execution, Cursor after, int max) {
        return new RecordedSteps(postgres).page(execution, after, max);
    }

    @Override
    public Page<ExecutionView> search(Search search, Cursor after, int max) {
        return new ExecutionSearch(postgres).page(search, after, max);
    }

    @Override
    public Map<Lane, Map<PublicState, Long>> counts(Namespace namespace) {
        var found =
                postgres
                        .db()
                        .query("counts")
                        .set("namespace", namespace.name())
                        .list(Count::of)
                        .stream()
                        // What only newer programs know has no public state here.
                        .flatMap(Optional::stream)
                        .toList();
        var gates =
                postgres.catalog()
                        .gates()
                        .byNumber(
                                postgres.db(),
                                found.stream().flatMap(count -> count.gate.stream()).toList());
        // Only a quota or a budget makes another public state of ready work.
        var metered =
                found.stream()
                        .filter(
                                count ->
                                        count.gate
                                                .map(gates::get)
                                                .filter(gate -> count.metered || metered(gate))
                                                .isPresent())
                        .collect(Collectors.toSet());
        var obstacles =
                Obstacles.in(
                        postgres,
                        metered.stream().map(Count::lane).distinct().toList(),
                        metered.stream()
                                .flatMap(count -> count.gate.map(gates::get).stream())
                                .distinct()
                                .toList());
        var counts = new TreeMap<Lane, Map<PublicState, Long>>();
        for (Count count : found) {
            var obstacle =
                    metered.contains(count)
                            ? obstacles.of(
                                    count.lane,
                                    count.state,
                                    count.gate.map(gates::get).orElseThrow(),
                                    count.reserve)
                            : Optional.<Obstacle>empty();
            var state =
                    obstacle.filter(o -> o.by() == BlockedBy.QUOTA || o.by() == BlockedBy.BUDGET)
                                    .isPresent()
                            ? PublicState.RATE_LIMITED
                            : count.situation.publicState();
            counts.computeIfAbsent(count.lane, lane -> new TreeMap<>())
                    .merge(state, count.executions, Long::sum);
        }
        return counts;
    }

    @Override
    public Explanation explain(ExecutionId execution) {
        return new ExecutionExplanationReader(postgres).explain(execution);
    }

    @Override
    public LaneExplanation explain(Lane lane) {
        return new LaneExplanationReader(postgres).explain(lane);
    }

    private static boolean metered(Gate gate) {
        return !gate.meters().isEmpty();
    }

    /**
     * How many there are in a lane and a situation, and where they are ready, behind a gate and
     * with the same reservations.
     *
     * @param metered whether the lane itself names quotas or budgets
     */
    private record Count(
            Lane lane,
            LaneSettings.State state,
            boolean metered,
            Optional<Integer> gate,
            List<Long> reserve,
            Situation situation,
            long executions) {
        static Optional<Count> of(Row row) {
            try {
                return Optional.of(
                        new Count(
                                PostgresLanes.lane(row),
                                RowCodec.word(LaneSettings.State.class, row.text("state")),
                                row.bool("metered"),
                                Optional.ofNullable(row.intOrNull("gate")),
                                RowCodec.reserve(row),
                                RowCodec.situation(row),
                                row.longValue("count")));
            } catch (UnknownWord ofNewerProgram) {
                return Optional.empty();
            }
        }
    }
}
