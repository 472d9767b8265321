package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.Timer;
import io.flowfabric.core.store.Maintenance.Round;
import io.flowfabric.valkey.internal.Steps.Step;
import io.flowfabric.valkey.internal.record.ExecutionFields;
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.wire.Item;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What time does to the executions and the sessions of one partition. */
final class TimerRounds {
    private static final Logger log = LoggerFactory.getLogger(TimerRounds.class);

    /** How many sessions one round buries: most of those that die hold nothing. */
    private static final int LATE = 1000;

    private final ValkeyContext valkey;
    private final Steps steps;
    private final Deaths deaths;

    TimerRounds(ValkeyContext valkey, Steps steps, Deaths deaths) {
        this.valkey = valkey;
        this.steps = steps;
        this.deaths = deaths;
    }

    /** Does what is due: one kind of timer after the other, no more than so much. */
    Round timers(Partition partition, int limit) {
        int done = 0;
        int errors = 0;
        for (var timer : Timer.values()) {
            int left = limit - done;
            var told =
                    valkey.read("due", partition, out -> out.list(2).text(key(timer)).number(left));
            var due = new ArrayList<Step>();
            for (var piece : told.answer().at(0).list()) {
                var step = step(timer, piece, told.now());
                if (step.isPresent()) {
                    due.add(step.get());
                } else {
                    errors++;
                }
            }
            errors += told.answer().at(1).small();
            done += taken(partition, due);
        }
        return new Round(done, errors, done == limit);
    }

    private static String key(Timer timer) {
        return timer.name().toLowerCase(Locale.ROOT);
    }

    /** What an execution does that a timer has come for; nothing when it cannot be read. */
    private static Optional<Step> step(Timer timer, Item piece, Instant now) {
        var uuid = piece.at(0).uuid();
        try {
            var row = ExecutionFields.read(uuid, piece.at(1).bytes());
            var submission = SubmissionRecord.withoutInput(row.id(), piece.at(2));
            var facts = row.facts(submission.policy(), Optional.empty());
            return Optional.of(new Step(row, submission, timer.ring(facts, now)));
        } catch (Item.Unreadable damaged) {
            log.warn(
                    "The execution {} cannot be read, and its timer is passed over", uuid, damaged);
            return Optional.empty();
        }
    }

    private int taken(Partition partition, List<Step> due) {
        return due.isEmpty()
                ? 0
                : (int) steps.take(partition, due).stream().filter(taken -> taken).count();
    }

    /** Buries the sessions that missed their heartbeats, and returns their work to the queue. */
    Round sessions(Partition partition, int limit) {
        var late =
                valkey.read("late", partition, out -> out.list(1).number(LATE))
                        .answer()
                        .list(id -> new SessionId(id.uuid()));
        int done = 0;
        int errors = 0;
        for (var session : late) {
            if (done == limit) {
                break;
            }
            var burial = deaths.bury(partition, session, true, limit - done, Optional.empty());
            done += burial.returned();
            errors += burial.unreadable();
        }
        return new Round(done, errors, done == limit);
    }

    /** How long it is until something is due, if anything is. */
    Optional<Duration> nextDue(Partition partition) {
        var told = valkey.read("next_due", partition, out -> out.list(0));
        return told.answer().optional(Item::moment).map(next -> Duration.between(told.now(), next));
    }
}
