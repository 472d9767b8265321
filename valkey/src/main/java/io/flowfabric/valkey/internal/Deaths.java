package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.TimerDecisions;
import io.flowfabric.valkey.internal.Steps.Step;
import io.flowfabric.valkey.internal.record.ExecutionFields;
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.wire.Item;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;

/** Ends sessions, and returns their work to the queue. */
public final class Deaths {
    /** How long the dead are known: longer than the last event that names them is kept. */
    private static final Duration SESSION_RETENTION = Duration.ofDays(9);

    /** How many pieces of work one call tells of. */
    private static final int PORTION = 256;

    private final ValkeyContext valkey;
    private final Steps steps;

    public Deaths(ValkeyContext valkey, Steps steps) {
        this.valkey = valkey;
        this.steps = steps;
    }

    /**
     * What came of the end of a session.
     *
     * @param known whether there was something to end
     * @param returned how much work went back
     * @param unreadable how much did not, because it cannot be read
     */
    public record Burial(boolean known, int returned, int unreadable, boolean more) {}

    /** Ends a session at once; an event is told if it was alive. */
    public void end(Partition home, SessionId session, Optional<byte[]> event) {
        bury(home, session, false, Integer.MAX_VALUE, event);
    }

    /**
     * @param onlyLate whether only if its time has run out
     */
    Burial bury(
            Partition home, SessionId session, boolean onlyLate, int most, Optional<byte[]> event) {
        int returned = 0;
        while (true) {
            int portion = Math.min(PORTION, most - returned);
            var told =
                    valkey.call(
                            "die",
                            home,
                            out ->
                                    out.list(4)
                                            .uuid(session.uuid())
                                            .truth(onlyLate)
                                            .number(portion)
                                            .optional(event, (o, it) -> o.packed(it)));
            if (told.answer().isAbsent()) {
                return new Burial(returned > 0, returned, 0, false);
            }
            var remains = told.answer().at(1);
            int unreadable = remains.at(1).small();
            boolean more = remains.at(2).truth();
            if (remains.at(0).list().isEmpty()) {
                return new Burial(true, returned, unreadable, more);
            }
            returned += lapse(home, remains.at(0), told.now());
            if (returned >= most) {
                return new Burial(true, returned, unreadable, true);
            }
        }
    }

    /** Forgets those that died long ago, and says how many; their ids stay dead. */
    int forget(Partition home, int most) {
        return valkey.call(
                        "forget_sessions",
                        home,
                        out -> out.list(2).duration(SESSION_RETENTION).number(most))
                .answer()
                .small();
    }

    private int lapse(Partition home, Item pieces, Instant now) {
        var lapses = new ArrayList<Step>();
        for (var piece : pieces.list()) {
            var row = ExecutionFields.read(piece.at(0).uuid(), piece.at(1).bytes());
            var submission = SubmissionRecord.withoutInput(row.id(), piece.at(2));
            var facts = row.facts(submission.policy(), Optional.empty());
            lapses.add(new Step(row, submission, TimerDecisions.lapse(facts, now)));
        }
        return (int) steps.take(home, lapses).stream().filter(taken -> taken).count();
    }
}
