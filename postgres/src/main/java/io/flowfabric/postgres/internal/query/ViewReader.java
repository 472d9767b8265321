package io.flowfabric.postgres.internal.query;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.codec.PolicyCodec;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.Situation;
import io.flowfabric.postgres.internal.Parties;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.Gate;
import io.flowfabric.postgres.internal.catalog.LaneNumbers;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.catalog.UnknownWord;
import io.flowfabric.postgres.internal.jdbc.Row;
import io.flowfabric.postgres.internal.step.FactsReader;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Makes views of rows. */
public final class ViewReader {
    private final List<Raw> rows = new ArrayList<>();

    /** A row whose lane, gate and policy are still numbers. */
    private record Raw(
            ExecutionId id,
            int lane,
            int gate,
            int policy,
            List<Long> reserve,
            boolean waiting,
            Finish view) {}

    /** What is left to do once the numbers are looked up. */
    private interface Finish {
        ExecutionView view(
                Lane lane, Gate gate, Policy shared, List<Long> reserve, Obstacles obstacles);
    }

    public void add(Row row) {
        var id = RowCodec.id(row);
        // Without its submission a row says nothing that could be shown.
        if (row.textOrNull("creator") == null) {
            rows.add(unreadable(id, row));
            return;
        }
        try {
            rows.add(
                    new Raw(
                            id,
                            row.intValue("lane"),
                            row.intValue("gate"),
                            row.intValue("policy"),
                            RowCodec.reserve(row),
                            RowCodec.situation(row) == Situation.READY,
                            finish(row, id)));
        } catch (UnknownWord ofNewerProgram) {
            rows.add(unreadable(id, row));
        }
    }

    private static Raw unreadable(ExecutionId id, Row row) {
        return new Raw(
                id,
                row.intValue("lane"),
                -1,
                -1,
                List.of(),
                false,
                (lane, gate, shared, reserve, obstacles) -> {
                    throw FactsReader.unreadable(id);
                });
    }

    public Map<UUID, Answer<ExecutionView>> read(PostgresContext postgres) {
        var db = postgres.db();
        var catalog = postgres.catalog();
        var lanes = catalog.lanes().byNumber(db, rows.stream().map(Raw::lane).toList());
        var gates = catalog.gates().byNumber(db, rows.stream().map(Raw::gate).toList());
        var policies = catalog.policies().byNumber(db, rows.stream().map(Raw::policy).toList());
        var obstacles = obstacles(postgres, lanes, gates);
        var views = new HashMap<UUID, Answer<ExecutionView>>();
        for (Raw row : rows) {
            var gate = gates.get(row.gate);
            var shared = policies.get(row.policy);
            views.put(
                    row.id.uuid(),
                    gate == null || shared == null || row.reserve.size() != gate.reservations()
                            ? Answer.refused(FactsReader.unreadable(row.id))
                            : Answer.done(
                                    row.view.view(
                                            lanes.lane(row.lane),
                                            gate,
                                            shared,
                                            row.reserve,
                                            obstacles)));
        }
        return views;
    }

    /** Nothing is asked for unless there is work that waits for a worker. */
    private Obstacles obstacles(
            PostgresContext postgres, LaneNumbers.ByNumber lanes, Map<Integer, Gate> gates) {
        var waiting = rows.stream().filter(Raw::waiting).toList();
        return Obstacles.in(
                postgres,
                waiting.stream().map(row -> lanes.lane(row.lane)).distinct().toList(),
                waiting.stream()
                        .flatMap(row -> Optional.ofNullable(gates.get(row.gate)).stream())
                        .distinct()
                        .toList());
    }

    private static Finish finish(Row row, ExecutionId id) {
        var laneState = RowCodec.word(LaneSettings.State.class, row.text("lane_state"));
        var state = RowCodec.state(row);
        var creator = row.text("creator");
        var key = Optional.ofNullable(row.textOrNull("key"));
        var tags = RowCodec.tags(row.texts("tags"));
        int firstPriority = row.intValue("first_priority");
        var start = PolicyCodec.readDue(row.text("start_due"));
        var deadlineDue =
                Optional.ofNullable(row.textOrNull("deadline_due")).map(PolicyCodec::readDue);
        var share = Optional.ofNullable(row.textOrNull("share"));
        int priority = row.intValue("priority");
        int attempts = row.intValue("attempts");
        long epoch = row.longValue("epoch");
        int retries = row.intValue("retries");
        int reclaims = row.intValue("reclaims");
        int replays = row.intValue("replays");
        var progress = progress(row);
        var failure = PostgresQueries.failure(row);
        var endedBy = PostgresQueries.endedBy(row);
        var owner = Parties.owner(row);
        var leasedUntil =
                state instanceof Running
                        ? RowCodec.time(row, "alive_until")
                        : Optional.<Instant>empty();
        var deadline = RowCodec.time(row, "deadline");
        var submitted = RowCodec.moment(row, "submitted");
        var changed = RowCodec.moment(row, "changed");
        return (lane, gate, shared, reserve, obstacles) ->
                new ExecutionView(
                        id,
                        lane,
                        gate.kind(),
                        creator,
                        key,
                        tags,
                        RowCodec.policy(
                                shared, gate, firstPriority, start, deadlineDue, share, reserve),
                        state instanceof Ready ready
                                ? obstacles
                                        .of(lane, laneState, gate, reserve)
                                        .map(obstacle -> obstacle.before(ready))
                                        .orElse(ready)
                                : state,
                        priority,
                        attempts,
                        epoch,
                        retries,
                        reclaims,
                        replays,
                        progress,
                        failure,
                        endedBy,
                        owner,
                        leasedUntil,
                        deadline,
                        submitted,
                        changed);
    }

    private static Optional<ExecutionView.Done> progress(Row row) {
        return Optional.ofNullable(row.intOrNull("progress_percent"))
                .map(
                        percent ->
                                new ExecutionView.Done(
                                        percent,
                                        row.text("progress_message"),
                                        RowCodec.moment(row, "progress_at")));
    }
}
