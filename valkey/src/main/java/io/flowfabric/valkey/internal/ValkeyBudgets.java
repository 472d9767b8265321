package io.flowfabric.valkey.internal;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Budget.Enforcement;
import io.flowfabric.core.admission.BudgetRecount;
import io.flowfabric.core.admission.BudgetRecount.Drift;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.admission.Budgets;
import io.flowfabric.core.admission.UsageEntry;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.codec.SettingsCodec;
import io.flowfabric.core.decision.Conflicts;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.core.feed.Event;
import io.flowfabric.valkey.internal.record.BudgetRecord;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How budgets are kept. */
public final class ValkeyBudgets implements Budgets {
    private static final char LETTER = 'b';

    private final ValkeyContext valkey;
    private final ValkeyBreaches breaches;
    private final ValkeyLedger ledger;

    public ValkeyBudgets(ValkeyContext valkey, ValkeyBreaches breaches) {
        this.valkey = valkey;
        this.breaches = breaches;
        this.ledger = new ValkeyLedger(valkey);
    }

    @Override
    public BudgetView define(Budget budget, Attribution by) {
        by.mustBeOperator();
        var told = GuardedWrites.retry("budget " + budget.name(), () -> attempt(budget, by));
        if (told.at(2).truth()) {
            var flows = breaches.unsettled();
            breaches.cancel(
                    valkey.home(budget.namespace()),
                    NameListing.whole(budget.namespace(), budget.name()),
                    flows);
            flows.settle();
            return describe(budget.namespace(), budget.name());
        }
        return BudgetRecord.read(budget.namespace(), budget.name(), told.at(1).bytes()).view();
    }

    private Optional<Item> attempt(Budget budget, Attribution by) {
        var read = read(budget.namespace(), List.of(budget.name()));
        var before = read.records.stream().findFirst().map(BudgetRecord::written);
        var change = change(budget.namespace(), budget.name(), "define", by, read.now);
        var told =
                valkey.call(
                                "define_budget",
                                valkey.inUse(budget.namespace()).main(),
                                out -> {
                                    write(out.list(10), budget, before);
                                    out.packed(change);
                                })
                        .answer();
        return switch (told.at(0).text()) {
            case "again" -> Optional.empty();
            case "no_parent" -> throw new NotFound("budget", budget.parent().orElseThrow());
            case "taken" -> throw Conflicts.budgetTaken(budget.name());
            default -> Optional.of(told);
        };
    }

    private static void write(Packer out, Budget budget, Optional<String> before) {
        var onto = before.map(Json::parseObject).orElse(JsonObject.EMPTY);
        out.text(budget.namespace().name())
                .text(budget.name())
                .optional(before, Packer::text)
                .text(SettingsCodec.write(budget, onto).toString())
                .truth(budget.enforcement().stops())
                .truth(budget.enforcement() == Enforcement.CANCEL)
                .optional(budget.parent(), Packer::text)
                .optional(budget.period(), Packer::duration)
                .list(
                        budget.dimensions().entrySet(),
                        (o, dimension) ->
                                o.list(3)
                                        .text(dimension.getKey())
                                        .optional(dimension.getValue().soft(), Packer::number)
                                        .optional(dimension.getValue().hard(), Packer::number));
    }

    @Override
    public BudgetView describe(Namespace namespace, String budget) {
        return read(namespace, List.of(budget)).records.stream()
                .filter(record -> !record.deleted())
                .findFirst()
                .orElseThrow(() -> new NotFound("budget", budget))
                .view();
    }

    /** Some budgets as they were at a time, also deleted ones. */
    private record Read(List<BudgetRecord> records, Instant now) {}

    private Read read(Namespace namespace, List<String> names) {
        var told =
                valkey.read(
                        "read",
                        valkey.home(namespace),
                        out ->
                                out.list(1)
                                        .list(2)
                                        .text("budget")
                                        .list(
                                                names,
                                                (o, name) ->
                                                        o.text(
                                                                NameListing.whole(
                                                                        namespace, name))));
        var records = new ArrayList<BudgetRecord>();
        for (int i = 0; i < names.size(); i++) {
            var name = names.get(i);
            told.answer()
                    .at(0)
                    .at(i)
                    .optional(packed -> BudgetRecord.read(namespace, name, packed.bytes()))
                    .ifPresent(records::add);
        }
        return new Read(records, told.now());
    }

    @Override
    public Page<Budget> list(Namespace namespace, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var start = ListingPages.nameAfter(after);
        var budgets = new ArrayList<Budget>();
        while (budgets.size() <= max) {
            int wanted = max + 1 - budgets.size();
            var names = NameListing.of(valkey, LETTER, namespace, start, wanted);
            read(namespace, names).records.stream()
                    .filter(record -> !record.deleted())
                    .map(BudgetRecord::budget)
                    .forEach(budgets::add);
            if (names.size() < wanted) {
                break;
            }
            start = names.getLast();
        }
        return ListingPages.byName(budgets, max, Budget::name);
    }

    @Override
    public BudgetView reset(Namespace namespace, String budget, Attribution by) {
        by.mustBeOperator();
        return change("reset_budget", namespace, budget, "reset", by)
                .optional(packed -> BudgetRecord.read(namespace, budget, packed.bytes()))
                .orElseThrow(() -> new NotFound("budget", budget))
                .view();
    }

    @Override
    public void delete(Namespace namespace, String budget, Attribution by) {
        by.mustBeOperator();
        var lane = change("delete_budget", namespace, budget, "delete", by).optional(Item::text);
        if (lane.isPresent()) {
            throw Conflicts.namedByLane(new Lane(namespace, lane.get()), "the budget " + budget);
        }
    }

    private Item change(
            String function, Namespace namespace, String budget, String word, Attribution by) {
        var home = valkey.home(namespace);
        var now = valkey.read("read", home, out -> out.list(0)).now();
        var change = change(namespace, budget, word, by, now);
        return valkey.call(
                        function,
                        home,
                        out -> out.list(3).text(namespace.name()).text(budget).packed(change))
                .answer();
    }

    /** What is told of a change. */
    static byte[] change(
            Namespace namespace, String budget, String word, Attribution by, Instant at) {
        return GuardedWrites.packed(new Event.BudgetChange(namespace, budget, word, by, at));
    }

    @Override
    public List<UsageEntry> ledger(ExecutionId execution) {
        return ledger.of(execution);
    }

    @Override
    public UsageEntry refund(ExecutionId execution, String budget, String key, Attribution by) {
        by.mustBeOperator();
        return ledger.refund(execution, budget, key, by);
    }

    @Override
    public BudgetRecount recount(Namespace namespace) {
        var told =
                valkey.call(
                                "recount_budgets",
                                valkey.home(namespace),
                                out -> out.list(1).text(namespace.name()))
                        .answer();
        return new BudgetRecount(
                told.at(0).small(),
                told.at(1)
                        .list(
                                wrong ->
                                        new Drift(
                                                wrong.at(0).text(),
                                                wrong.at(1).text(),
                                                wrong.at(2).number(),
                                                wrong.at(3).number())));
    }
}
