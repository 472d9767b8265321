package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.TimerDecisions;
import io.flowfabric.core.feed.Event;
import io.flowfabric.valkey.internal.ExecutionFacts.Decidable;
import io.flowfabric.valkey.internal.Steps.Step;
import io.flowfabric.valkey.internal.wire.Item;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Ends sessions, and returns their work to the queue. */
public final class Deaths {
    private static final Logger log = LoggerFactory.getLogger(Deaths.class);

    /** How long the dead are known: longer than the last event that names them is kept. */
    private static final Duration SESSION_RETENTION = Duration.ofDays(9);

    /** How many pieces of work one call tells of. */
    private static final int PORTION = 256;

    /** How many pieces of one session are passed over in one burial because they are damaged. */
    private static final int MOST_PASSED = 10_000;

    /** How many calls one round of forgetting makes: each forgets a bounded portion. */
    private static final int MOST_CALLS = 100;

    /** So often others may come in between. */
    private static final int MOST_FRUITLESS = 8;

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

    /**
     * Ends a session at once, in all partitions that it is known in; an event is told if it was
     * alive. That is told by the main one, which is the last: what is told to be dead is so
     * everywhere.
     *
     * @param parts the main one first
     */
    public void end(List<Partition> parts, SessionId session, Optional<Event> event) {
        var flows = steps.unsettled();
        for (int n = parts.size() - 1; n >= 0; n--) {
            boolean main = n == 0;
            var packed =
                    event.map(
                            one ->
                                    main
                                            ? GuardedWrites.packed(one)
                                            : GuardedWrites.packedForPart(one));
            var unused = bury(parts.get(n), session, false, Integer.MAX_VALUE, packed, flows);
        }
        flows.settle();
    }

    /**
     * @param onlyLate whether only if its time has run out
     * @param flows takes note of those of which members end with it
     */
    Burial bury(
            Partition home,
            SessionId session,
            boolean onlyLate,
            int most,
            Optional<byte[]> event,
            UnsettledFlows flows) {
        int returned = 0;
        int passed = 0;
        int fruitless = 0;
        while (true) {
            // What could not be read stands in front of the others, and is told each time.
            int portion = Math.min(PORTION, most - returned) + 2 * passed;
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
            var lapses = lapses(remains.at(0), told.now(), most - returned);
            int damaged = remains.at(1).small() + lapses.unreadable;
            boolean more = remains.at(2).truth();
            int taken = lapses.steps.isEmpty() ? 0 : steps.count(home, lapses.steps, flows);
            returned += taken;
            boolean stuck = taken == 0 && lapses.unreadable <= passed;
            // Others may come in between, but not for ever: the session is looked at again later.
            fruitless = stuck ? fruitless + 1 : 0;
            boolean over = lapses.steps.isEmpty() ? stuck : fruitless == MOST_FRUITLESS;
            if (returned >= most || over) {
                return new Burial(true, returned, damaged, more || taken > 0);
            }
            passed = Math.min(MOST_PASSED, lapses.unreadable);
        }
    }

    /** Forgets those that died long ago, and says how many; their ids stay dead. */
    int forget(Partition home, int most) {
        int forgotten = 0;
        for (int calls = 0; calls < MOST_CALLS && forgotten < most; calls++) {
            int left = most - forgotten;
            var told =
                    valkey.call(
                                    "forget_sessions",
                                    home,
                                    out -> out.list(2).duration(SESSION_RETENTION).number(left))
                            .answer();
            forgotten += told.at(0).small();
            if (!told.at(1).truth()) {
                break;
            }
        }
        return forgotten;
    }

    /** What is to be done about what a session held. */
    private record Lapses(List<Step> steps, int unreadable) {}

    private static Lapses lapses(Item pieces, Instant now, int most) {
        var lapses = new ArrayList<Step>();
        int unreadable = 0;
        for (var piece : pieces.list()) {
            if (lapses.size() == most) {
                break;
            }
            try {
                var held = Decidable.of(piece);
                var lapse = Item.decoded(() -> TimerDecisions.lapse(held.facts(), now));
                lapses.add(new Step(held, lapse));
            } catch (Item.Unreadable damaged) {
                log.warn(
                        "The execution {} cannot be read, and does not return to the queue",
                        piece.at(0).uuid(),
                        damaged);
                unreadable++;
            }
        }
        return new Lapses(lapses, unreadable);
    }
}
