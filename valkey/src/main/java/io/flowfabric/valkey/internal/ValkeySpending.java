package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.decision.Conflicts;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.valkey.internal.record.BudgetRecord;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Counts what workers report, each report as if it were made alone, in their order. */
public final class ValkeySpending {
    private static final int CHUNK = 256;

    private final ValkeyContext valkey;
    private final ValkeyBreaches breaches;

    public ValkeySpending(ValkeyContext valkey, ValkeyBreaches breaches) {
        this.valkey = valkey;
        this.breaches = breaches;
    }

    List<Answer<BudgetView>> spend(List<UsageReport> reports) {
        Limit.BATCH.checkCount("spendings", reports.size());
        var answers = new ArrayList<Answer<BudgetView>>();
        reports.forEach(report -> answers.add(unknown(report)));
        var parts = new AppliedParts();
        var flows = breaches.unsettled();
        valkey.homes()
                .visit(
                        parts,
                        reports.stream().map(report -> report.fence().execution()).toList(),
                        (home, places) -> spend(home, reports, places, answers, parts, flows));
        flows.settle();
        return answers;
    }

    private static Answer<BudgetView> unknown(UsageReport report) {
        return Answer.refused(new NotFound("execution", report.fence().execution().toString()));
    }

    /** Answers those in some places, and says which of them are not known. */
    private List<Integer> spend(
            Partition home,
            List<UsageReport> reports,
            List<Integer> places,
            List<Answer<BudgetView>> answers,
            AppliedParts parts,
            UnsettledFlows flows) {
        var unknown = new ArrayList<Integer>();
        int done = 0;
        while (done < places.size()) {
            var part = places.subList(done, Math.min(done + CHUNK, places.size()));
            var told = parts.change(() -> ask(home, part.stream().map(reports::get).toList()));
            var some = told.at(0).list();
            for (int n = 0; n < some.size(); n++) {
                int place = part.get(n);
                var elsewhere = elsewhere(home, some.get(n));
                answers.set(
                        place,
                        elsewhere.isPresent()
                                ? spendIn(elsewhere.get(), reports.get(place), parts, flows)
                                : answer(reports.get(place), some.get(n)));
                if (ValkeyLeases.isUnknown(some.get(n))) {
                    unknown.add(place);
                }
            }
            done += some.size();
            if (!told.at(1).isAbsent()) {
                // What comes behind is refused where it is of what this has cancelled.
                int last = part.get(some.size() - 1);
                answers.set(
                        last,
                        parts.change(
                                () -> {
                                    breaches.cancel(home, told.at(1).text(), flows);
                                    return standing(home, reports.get(last), some.getLast());
                                }));
            }
        }
        return unknown;
    }

    /**
     * The namespace of an execution that reports from another partition than the one where the
     * budgets of its namespace are.
     */
    private Optional<Namespace> elsewhere(Partition home, Item told) {
        return told.at(0) instanceof Item.Truth || !told.at(0).text().equals("no_budget")
                ? Optional.empty()
                : Optional.of(new Namespace(told.at(1).text()))
                        .filter(namespace -> !valkey.home(namespace).equals(home));
    }

    /** Counts a report where the budgets of a namespace are; its lease was seen to elsewhere. */
    private Answer<BudgetView> spendIn(
            Namespace namespace, UsageReport report, AppliedParts parts, UnsettledFlows flows) {
        var main = valkey.home(namespace);
        var told = parts.change(() -> ask(main, List.of(report), Optional.of(namespace)));
        var one = told.at(0).at(0);
        if (told.at(1).isAbsent()) {
            return answer(report, one);
        }
        return parts.change(
                () -> {
                    breaches.cancel(main, told.at(1).text(), flows);
                    return standing(main, report, one);
                });
    }

    private Item ask(Partition home, List<UsageReport> reports) {
        return ask(home, reports, Optional.empty());
    }

    private Item ask(Partition home, List<UsageReport> reports, Optional<Namespace> apart) {
        return valkey.call(
                        "spend",
                        home,
                        out -> out.list(reports, (o, report) -> write(o, report, apart)))
                .answer();
    }

    private static void write(Packer out, UsageReport report, Optional<Namespace> apart) {
        out.list(9);
        ValkeyLeases.fence(out, report.fence());
        out.text(report.budget())
                .text(report.dimension())
                .number(report.amount())
                .text(report.key())
                .optional(apart, (o, namespace) -> o.text(namespace.name()));
    }

    private static Answer<BudgetView> answer(UsageReport report, Item told) {
        try {
            return Answer.done(view(report, told));
        } catch (Item.Unreadable damaged) {
            return Answer.refused(
                    StoreFailure.unreadable("The budget " + report.budget(), damaged));
        } catch (FlowFabricException refusal) {
            return Answer.refused(refusal);
        }
    }

    private static BudgetView view(UsageReport report, Item told) {
        if (told.at(0) instanceof Item.Truth) {
            return BudgetRecord.read(
                            new Namespace(told.at(1).text()), report.budget(), told.at(2).bytes())
                    .view();
        }
        throw switch (told.at(0).text()) {
            case "no_budget" -> new NotFound("budget", report.budget());
            case "no_dimension" -> NotFound.dimension(report.budget(), report.dimension());
            case "differently" -> Conflicts.spentDifferently(report.key());
            default -> ValkeyLeases.standing(report.fence(), told).lost(report.fence());
        };
    }

    /** How the budget of a report stands, after what it has brought about. */
    private Answer<BudgetView> standing(Partition home, UsageReport report, Item told) {
        var namespace = new Namespace(told.at(1).text());
        var whole = NameListing.whole(namespace, report.budget());
        var now = NameListing.values(valkey, home, "budget", List.of(whole)).getFirst();
        return Answer.done(
                BudgetRecord.read(
                                namespace, report.budget(), now.orElseGet(() -> told.at(2).bytes()))
                        .view());
    }
}
