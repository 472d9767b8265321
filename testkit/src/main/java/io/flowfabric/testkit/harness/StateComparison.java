package io.flowfabric.testkit.harness;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.operate.Workers.Scope;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Queries;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.StateVector.BlockingReason;
import io.flowfabric.core.stream.FrameRange;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Compares everything that can be looked at, the cheap after every operation and the rest now and
 * then. What has not changed is compared once and not again until the end.
 */
final class StateComparison {
    private static final int SMALL_PAGE = 7;
    private static final int PAGE = 200;

    private static final List<Function<Search, Search>> SEARCHES =
            List.of(
                    all -> all,
                    all -> all.newestFirst(),
                    all ->
                            all.lane(Vocabulary.LANES.getFirst().name())
                                    .kind(Vocabulary.KINDS.getFirst()),
                    all -> all.states(PublicState.ACTIVE, PublicState.DELAYED),
                    all -> all.states(PublicState.WAITING).newestFirst(),
                    all -> all.states(PublicState.FAILED, PublicState.CANCELLED),
                    all -> all.reason(BlockingReason.PAUSED_BY_OPERATOR),
                    all -> all.states(PublicState.SUSPENDED),
                    all -> all.reason(BlockingReason.WAITING_FOR_APPROVAL),
                    all -> all.onlyLapsed(),
                    all -> all.tag("colour", Vocabulary.COLOURS.getLast()).newestFirst());

    private final StoreAndModel twins;
    private final WorkLedger ledger;

    /** What each execution was when all about it was last compared. */
    private final Map<ExecutionId, ExecutionView> compared = new LinkedHashMap<>();

    /** What was not there then: refused, or erased. */
    private final Set<ExecutionId> absent = new HashSet<>();

    private int turn;

    StateComparison(StoreAndModel twins, WorkLedger ledger) {
        this.twins = twins;
        this.ledger = ledger;
    }

    /** After every operation: what each execution is that may be there. */
    Map<ExecutionId, ExecutionView> compareViews() {
        return views(ledger.ids().stream().filter(id -> !absent.contains(id)).toList());
    }

    /** Now and then: lanes, workers, some listings, and all about what has changed. */
    void compareMore() {
        compareChanges(views(ledger.ids()));
        compareFlows();
        compareLanes();
        compareWorkers();
        twins.compareNextDue();
        compareSearch(turn++ % SEARCHES.size());
    }

    /** At the end: everything, also what seems not to have changed. Returns what is there. */
    Map<ExecutionId, ExecutionView> compareEverything() {
        compared.clear();
        var ids = new ArrayList<>(ledger.ids());
        // One that is misspelt, to be found nowhere.
        ledger.recent(0).ifPresent(newest -> ids.add(Identity.elsewhere(newest.id())));
        var views = views(ids);
        compareChanges(views);
        compareFlows();
        compareLanes();
        compareWorkers();
        twins.compareNextDue();
        for (int search = 0; search < SEARCHES.size(); search++) {
            compareSearch(search);
        }
        return views;
    }

    private Map<ExecutionId, ExecutionView> views(List<ExecutionId> ids) {
        return byId("describe", ids, Queries::describe);
    }

    private void compareChanges(Map<ExecutionId, ExecutionView> views) {
        absent.clear();
        absent.addAll(ledger.ids());
        absent.removeAll(views.keySet());

        var changed = new ArrayList<ExecutionId>();
        views.forEach(
                (id, view) -> {
                    // Heartbeats of a holder change the history, and nothing else that can be seen.
                    if (!view.equals(compared.put(id, view)) || view.owner().isPresent()) {
                        changed.add(id);
                    }
                });
        var unusedResults = byId("results", changed, Queries::results);
        var unusedInputs = byId("inputs", changed, Queries::inputs);
        for (ExecutionId id : changed) {
            twins.look("history", store -> store.queries().history(id));
            twins.look("explain", store -> store.queries().explain(id));
            twins.look("ledger", store -> store.budgets().ledger(id));
            int attempts = Objects.requireNonNull(views.get(id)).attempts();
            for (int attempt = 0; attempt < attempts; attempt++) {
                int one = attempt;
                twins.look("stream", store -> store.streams().read(id, one, FrameRange.from(1), 2));
                twins.look(
                        "whole stream",
                        store -> store.streams().read(id, one, FrameRange.ALL, PAGE));
                twins.look("summary", store -> store.streams().summary(id, one));
            }
            twins.look("steps", store -> pages(at -> store.queries().steps(id, at, 2)));
            twins.look("received", store -> pages(at -> store.signals().received(id, at, 2)));
            twins.look("waitpoints", store -> store.signals().waitpoints(id));
        }
    }

    private void compareFlows() {
        var flows = ledger.flows();
        if (!flows.isEmpty()) {
            twins.look("flows", store -> store.flows().describe(flows));
        }
        for (FlowId flow : flows) {
            twins.look("members", store -> pages(at -> store.flows().members(flow, at, 3)));
            twins.look("edges", store -> pages(at -> store.flows().edges(flow, at, 3)));
        }
    }

    private void compareLanes() {
        for (Namespace namespace : Vocabulary.NAMESPACES) {
            twins.look("counts", store -> store.queries().counts(namespace));
            twins.look("lanes", store -> pages(at -> store.lanes().list(namespace, at, 2)));
        }
        for (Namespace namespace : Vocabulary.NAMESPACES) {
            twins.look("quotas", store -> pages(at -> store.quotas().list(namespace, at, 1)));
            twins.look("budgets", store -> pages(at -> store.budgets().list(namespace, at, 1)));
            for (String budget : Vocabulary.BUDGETS) {
                twins.look("budget", store -> store.budgets().describe(namespace, budget));
            }
            twins.look("recount of quotas", store -> store.quotas().recount(namespace).drifts());
            twins.look("recount of budgets", store -> store.budgets().recount(namespace));
            for (QuotaUse use : Vocabulary.QUOTAS) {
                twins.look("quota", store -> store.quotas().describe(namespace, use));
            }
        }
        for (Lane lane : Vocabulary.LANES) {
            twins.look("lane", store -> store.lanes().describe(lane));
            twins.look(
                    "waitpoints of lane",
                    store ->
                            pages(at -> store.signals().waitpoints(lane, Optional.empty(), at, 3)));
            twins.look("explain lane", store -> store.queries().explain(lane));
        }
    }

    private void compareWorkers() {
        for (Namespace namespace : Vocabulary.NAMESPACES) {
            for (Scope scope : Scope.values()) {
                twins.look(
                        "workers",
                        store -> pages(at -> store.workers().list(namespace, scope, at, 3)));
            }
        }
    }

    private void compareSearch(int number) {
        int max = number % 2 == 0 ? SMALL_PAGE : PAGE;
        for (Namespace namespace : Vocabulary.NAMESPACES) {
            var search = SEARCHES.get(number).apply(Search.in(namespace));
            twins.look("search", store -> pages(at -> store.queries().search(search, at, max)));
        }
    }

    private interface Question<T> {
        List<Answer<T>> ask(Queries queries, List<ExecutionId> ids);
    }

    /** Compares what both say about executions, and returns what there is. */
    private <T> Map<ExecutionId, T> byId(String what, List<ExecutionId> ids, Question<T> question) {
        var found = new LinkedHashMap<ExecutionId, T>();
        if (!ids.isEmpty()) {
            twins.look(
                            what,
                            store -> question.ask(store.queries(), ids),
                            answers -> named(ids, answers))
                    .ifPresent(answers -> Role.eachDone(ids, answers, found::put));
        }
        return found;
    }

    private static <T> Map<ExecutionId, Object> named(
            List<ExecutionId> ids, List<Answer<T>> answers) {
        var named = new LinkedHashMap<ExecutionId, Object>();
        for (int i = 0; i < ids.size(); i++) {
            named.put(ids.get(i), ComparableFacts.of(answers.get(i)));
        }
        return named;
    }

    /** A whole listing, a page at a time. */
    private static <T> List<T> pages(Function<Cursor, Page<T>> read) {
        var items = new ArrayList<T>();
        Cursor cursor = Cursor.START;
        do {
            var page = read.apply(cursor);
            items.addAll(page.items());
            cursor = page.next();
        } while (!cursor.equals(Cursor.END));
        return items;
    }
}
