package io.flowfabric.valkey.internal;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.decision.BudgetDecisions;
import io.flowfabric.valkey.internal.ExecutionFacts.Decidable;
import io.flowfabric.valkey.internal.Steps.Step;
import io.flowfabric.valkey.internal.record.BudgetRecord;
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

    /** How many damaged pieces of work are passed over. */
    private static final int MOST_PASSED = 10_000;

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
     * @param flows takes note of those of which members are cancelled
     */
    void cancel(Partition home, String budget, UnsettledFlows flows) {
        int unused = cancel(home, budget, Integer.MAX_VALUE, flows);
    }

    /** Takes note of flows of which members are cancelled. */
    UnsettledFlows unsettled() {
        return steps.unsettled();
    }

    /**
     * Begins the periods of budgets whose time has come, reopens what is behind full rates that
     * have room, and cancels what a breach has left running, no more than so many; says how many.
     */
    int openDue(Partition home, int limit, UnsettledFlows flows) {
        int cancelled = 0;
        boolean more = true;
        while (more) {
            var told = valkey.call("open_due", home, out -> out.list(1).number(DUE)).answer();
            int before = cancelled;
            flows.noteLeft(home, told.at(2).list(Item::uuid));
            var breached = told.at(0).list(Item::text);
            for (var budget : breached) {
                cancelled += cancel(home, budget, limit - cancelled, flows);
            }
            // Breaches of which nothing can be cancelled stay due, and are not looked at for ever.
            boolean progress = breached.size() < DUE || cancelled > before;
            more = told.at(1).truth() && cancelled < limit && progress;
        }
        return cancelled;
    }

    private int cancel(Partition home, String budget, int limit, UnsettledFlows flows) {
        int cancelled = 0;
        int passed = 0;
        while (cancelled < limit) {
            // What cannot be read stays in front, and is told each time.
            int left = limit - cancelled;
            int portion = Math.min(PORTION, left) + 2 * passed;
            var told =
                    valkey.call("breached", home, out -> out.list(2).text(budget).number(portion));
            var words = breaches(told.answer().at(1));
            var pieces = told.answer().at(0).list();
            var cancels = new ArrayList<Step>();
            int damaged = 0;
            for (var piece : pieces) {
                if (cancels.size() == left) {
                    break;
                }
                var step = step(piece, words, told.now());
                step.ifPresent(cancels::add);
                damaged += step.isPresent() ? 0 : 1;
            }
            int taken = cancels.isEmpty() ? 0 : steps.count(home, cancels, flows);
            if (taken == 0 && damaged <= passed) {
                break;
            }
            cancelled += taken;
            passed = Math.min(MOST_PASSED, damaged);
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

    private static Optional<Step> step(Item piece, Map<String, String> breaches, Instant now) {
        var uuid = piece.at(0).uuid();
        try {
            var stored = Decidable.of(piece);
            var breach =
                    piece.at(3).list(Item::text).stream()
                            .map(breaches::get)
                            .map(Objects::requireNonNull)
                            .sorted()
                            .findFirst()
                            .orElseThrow();
            var change = Item.decoded(() -> BudgetDecisions.cancel(stored.facts(), breach, now));
            return Optional.of(new Step(stored, change));
        } catch (Item.Unreadable damaged) {
            log.warn("The execution {} cannot be read, and is not cancelled", uuid, damaged);
            return Optional.empty();
        }
    }
}
