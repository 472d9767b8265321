package io.flowfabric.valkey.internal;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.decision.BudgetDecisions;
import io.flowfabric.valkey.internal.Steps.Step;
import io.flowfabric.valkey.internal.record.BudgetRecord;
import io.flowfabric.valkey.internal.record.ExecutionFields;
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.wire.Item;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** While a budget that cancels is breached, nothing that draws on it runs. */
public final class ValkeyBreaches {
    private static final Logger log = LoggerFactory.getLogger(ValkeyBreaches.class);

    /** How many pieces of work one call tells of. */
    private static final int PORTION = 256;

    /** How many things that are due one call sees to. */
    private static final int DUE = 1000;

    private final ValkeyContext valkey;
    private final Steps steps;

    public ValkeyBreaches(ValkeyContext valkey, Steps steps) {
        this.valkey = valkey;
        this.steps = steps;
    }

    /**
     * Cancels all that runs and should not.
     *
     * @param budget what is breached, with its namespace
     */
    void cancel(Partition home, String budget) {
        int unused = cancel(home, budget, Integer.MAX_VALUE);
    }

    /**
     * Begins the periods of budgets whose time has come, reopens what is behind full rates that
     * have room, and cancels what a breach has left running, no more than so many; says how many.
     */
    public int openDue(Partition home, int limit) {
        int cancelled = 0;
        boolean more = true;
        while (more) {
            var told = valkey.call("open_due", home, out -> out.list(1).number(DUE)).answer();
            for (var budget : told.at(0).list(Item::text)) {
                cancelled += cancel(home, budget, limit - cancelled);
            }
            more = told.at(1).truth() && cancelled < limit;
        }
        return cancelled;
    }

    private int cancel(Partition home, String budget, int limit) {
        int cancelled = 0;
        while (cancelled < limit) {
            int portion = Math.min(PORTION, limit - cancelled);
            var told =
                    valkey.call("breached", home, out -> out.list(2).text(budget).number(portion));
            var pieces = told.answer().at(0);
            int taken = cancel(home, pieces, breaches(told.answer().at(1)), told.now());
            if (taken == 0) {
                break;
            }
            cancelled += taken;
        }
        return cancelled;
    }

    /** What is breached, in words, by the names of the budgets. */
    private static Map<String, String> breaches(Item budgets) {
        var words = new HashMap<String, String>();
        for (var one : budgets.list()) {
            var whole = one.at(0).text();
            int end = whole.indexOf('\0');
            var record =
                    BudgetRecord.read(
                            new Namespace(whole.substring(0, end)),
                            whole.substring(end + 1),
                            one.at(1).bytes());
            words.put(whole, record.view().breach().orElseThrow());
        }
        return words;
    }

    private int cancel(Partition home, Item pieces, Map<String, String> breaches, Instant now) {
        var cancels = new ArrayList<Step>();
        for (var piece : pieces.list()) {
            step(piece, breaches, now).ifPresent(cancels::add);
        }
        return cancels.isEmpty()
                ? 0
                : (int) steps.take(home, cancels).stream().filter(taken -> taken).count();
    }

    private static Optional<Step> step(Item piece, Map<String, String> breaches, Instant now) {
        var uuid = piece.at(0).uuid();
        try {
            var row = ExecutionFields.read(uuid, piece.at(1).bytes());
            var submission = SubmissionRecord.withoutInput(row.id(), piece.at(2));
            var facts = row.facts(submission.policy(), Optional.empty());
            var breach =
                    piece.at(3).list(Item::text).stream()
                            .map(breaches::get)
                            .map(Objects::requireNonNull)
                            .sorted()
                            .findFirst()
                            .orElseThrow();
            return Optional.of(
                    new Step(row, submission, BudgetDecisions.cancel(facts, breach, now)));
        } catch (Item.Unreadable damaged) {
            log.warn("The execution {} cannot be read, and is not cancelled", uuid, damaged);
            return Optional.empty();
        }
    }
}
