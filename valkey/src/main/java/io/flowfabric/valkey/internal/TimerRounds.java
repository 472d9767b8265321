package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.Timer;
import io.flowfabric.core.store.Maintenance.Round;
import io.flowfabric.valkey.internal.ExecutionFacts.Decidable;
import io.flowfabric.valkey.internal.Steps.Step;
import io.flowfabric.valkey.internal.wire.Item;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Locale;
import java.util.Optional;

/** What time does to the executions and the sessions of one partition. */
final class TimerRounds {
    private static final Logger log = LoggerFactory.getLogger(TimerRounds.class);

    /** How many sessions one round buries: most of those that die hold nothing. */
    private static final int LATE = 1000;

    /** How many damaged executions one round passes over. */
    private static final int MOST_PASSED = 10_000;

    private final ValkeyContext valkey;
    private final Steps steps;
    private final Deaths deaths;

    TimerRounds(ValkeyContext valkey, Steps steps, Deaths deaths) {
        this.valkey = valkey;
        this.steps = steps;
        this.deaths = deaths;
    }

    /** Does what is due: one kind of timer after the other, no more than so much. */
    Round timers(Partition partition, int limit, UnsettledFlows flows) {
        int done = 0;
        int errors = 0;
        for (var timer : Timer.values()) {
            var round = timer(timer, partition, limit - done, flows);
            done += round.processed();
            errors += round.errors();
        }
        return new Round(done, errors, done == limit);
    }

    /** One kind of timer. What cannot be read stays in front, and is told each time. */
    private Round timer(Timer timer, Partition partition, int limit, UnsettledFlows flows) {
        int done = 0;
        int passed = 0;
        while (true) {
            int left = limit - done;
            int most = left + 2 * passed;
            var told =
                    valkey.read("due", partition, out -> out.list(2).text(key(timer)).number(most));
            var due = new ArrayList<Step>();
            int damaged = 0;
            for (var piece : told.answer().at(0).list()) {
                if (due.size() == left) {
                    break;
                }
                var step = step(timer, piece, told.now());
                step.ifPresent(due::add);
                damaged += step.isPresent() ? 0 : 1;
            }
            done += due.isEmpty() ? 0 : steps.count(partition, due, flows);
            if (damaged <= passed || done == limit || damaged > MOST_PASSED) {
                return new Round(done, damaged + told.answer().at(1).small(), done == limit);
            }
            passed = damaged;
        }
    }

    private static String key(Timer timer) {
        return timer.name().toLowerCase(Locale.ROOT);
    }

    /** What an execution does that a timer has come for; nothing when it cannot be read. */
    private static Optional<Step> step(Timer timer, Item piece, Instant now) {
        var uuid = piece.at(0).uuid();
        try {
            var stored = Decidable.of(piece, piece.at(3), piece.at(4));
            var change = Item.decoded(() -> timer.ring(stored.facts(), now));
            return Optional.of(new Step(stored, change));
        } catch (Item.Unreadable damaged) {
            log.warn(
                    "The execution {} cannot be read, and its timer is passed over", uuid, damaged);
            return Optional.empty();
        }
    }

    /** Buries the sessions that missed their heartbeats, and returns their work to the queue. */
    Round sessions(Partition partition, int limit) {
        var late =
                valkey.read("late", partition, out -> out.list(1).number(LATE))
                        .answer()
                        .list(id -> new SessionId(id.uuid()));
        var flows = steps.unsettled();
        int done = 0;
        int errors = 0;
        for (var session : late) {
            if (done == limit) {
                break;
            }
            var burial =
                    deaths.bury(partition, session, true, limit - done, Optional.empty(), flows);
            done += burial.returned();
            errors += burial.unreadable();
        }
        flows.settle();
        return new Round(done, errors, done == limit);
    }
}
