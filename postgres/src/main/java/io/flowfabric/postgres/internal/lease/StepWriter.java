package io.flowfabric.postgres.internal.lease;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.decision.StepRecording;
import io.flowfabric.core.decision.StepRecording.Recorded;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Step;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/** How steps are recorded: those of many executions in one statement, one of each. */
public final class StepWriter {
    private final PostgresContext postgres;
    private final Jdbc on;

    StepWriter(PostgresContext postgres) {
        this(postgres, postgres.db());
    }

    private StepWriter(PostgresContext postgres, Jdbc on) {
        this.postgres = postgres;
        this.on = on;
    }

    /**
     * Records a step in a transaction that is open. The row of its execution stays locked until
     * that ends, so the lease is not lost before.
     */
    public static Step write(PostgresContext postgres, Jdbc tx, Checkpoint checkpoint) {
        var answers = new StepWriter(postgres, tx).write(List.of(checkpoint));
        return Objects.requireNonNull(answers.get(id(checkpoint))).orThrow();
    }

    /**
     * What came of a checkpoint whose fence holds.
     *
     * @param steps how many there were before it
     * @param bytes how large those were together
     */
    private record Held(Instant now, int steps, long bytes, boolean stored) {
        static Held of(Row row) {
            return new Held(
                    RowCodec.moment(row, "now"),
                    row.intValue("steps"),
                    row.longValue("step_bytes"),
                    row.bool("stored"));
        }
    }

    /**
     * Records steps.
     *
     * @param checkpoints each of another execution
     */
    Map<UUID, Answer<Step>> write(List<Checkpoint> checkpoints) {
        var held = held(checkpoints);
        var lost = new HashMap<UUID, Fence>();
        var unstored = new HashMap<UUID, Checkpoint>();
        for (Checkpoint checkpoint : checkpoints) {
            var id = id(checkpoint);
            var outcome = held.get(id);
            if (outcome == null) {
                lost.put(id, checkpoint.fence());
            } else if (!outcome.stored) {
                unstored.put(id, checkpoint);
            }
        }
        var standings = LeaseStandings.read(on, lost.values());
        var before = recordedBefore(List.copyOf(unstored.values()));
        var answers = new HashMap<UUID, Answer<Step>>();
        for (Checkpoint checkpoint : checkpoints) {
            var id = id(checkpoint);
            var outcome = held.get(id);
            answers.put(
                    id,
                    outcome == null
                            ? Answer.refused(standings.lost(checkpoint.fence()))
                            : answer(checkpoint, outcome, Optional.ofNullable(before.get(id))));
        }
        return answers;
    }

    private static UUID id(Checkpoint checkpoint) {
        return checkpoint.fence().execution().uuid();
    }

    private Answer<Step> answer(Checkpoint checkpoint, Held outcome, Optional<Recorded> before) {
        if (outcome.stored) {
            return Answer.done(
                    new Step(
                            checkpoint.name(),
                            checkpoint.content(),
                            checkpoint.fence().attempt(),
                            outcome.now));
        }
        try {
            if (before.isPresent()) {
                return Answer.done(StepRecording.repeated(checkpoint, before.get()));
            }
            StepRecording.mustFit(checkpoint, outcome.steps, outcome.bytes);
            // What had this name was cleared since, which the end of the lease came before.
            return Answer.refused(
                    LeaseStandings.read(on, List.of(checkpoint.fence())).lost(checkpoint.fence()));
        } catch (Invalid | Conflict refusal) {
            return Answer.refused(refusal);
        }
    }

    private Map<UUID, Held> held(List<Checkpoint> checkpoints) {
        var held = new HashMap<UUID, Held>();
        FenceColumns.set(on.query("checkpoint"), checkpoints, Checkpoint::fence)
                .set("now", postgres.now())
                .texts("names", checkpoints, Checkpoint::name)
                .bytes("digests", checkpoints, one -> RowCodec.bytes(one.digest()))
                .texts("types", checkpoints, one -> RowCodec.type(one.content()))
                .bytes("contents", checkpoints, one -> one.content().bytes())
                .ints("sizes", checkpoints, one -> (int) one.bytes())
                .set("most", (int) Limit.STEPS.max())
                .set("most_bytes", (int) Limit.ALL_STEPS_BYTES.max())
                .each(row -> held.put(row.uuid("id"), Held.of(row)));
        return held;
    }

    /** What was recorded under names that are taken; for none, without asking the server. */
    private Map<UUID, Recorded> recordedBefore(List<Checkpoint> checkpoints) {
        var recorded = new HashMap<UUID, Recorded>();
        if (!checkpoints.isEmpty()) {
            on.query("recorded_before")
                    .uuids("ids", checkpoints, StepWriter::id)
                    .texts("names", checkpoints, Checkpoint::name)
                    .each(
                            row ->
                                    recorded.put(
                                            row.uuid("id"),
                                            new Recorded(
                                                    RowCodec.digest(row, "digest"),
                                                    row.intValue("attempt"),
                                                    RowCodec.moment(row, "recorded"))));
        }
        return recorded;
    }
}
