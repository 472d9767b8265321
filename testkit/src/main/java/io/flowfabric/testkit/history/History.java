package io.flowfabric.testkit.history;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Result;
import io.flowfabric.core.store.Store;
import io.flowfabric.testkit.history.Acknowledgement.WorkAccepted;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Everything that is known about a run, after it.
 *
 * @param events what the feed says, from the beginning, in its order
 * @param views what is there at the end
 * @param results what came of it
 * @param acknowledged what clients were told; may be empty
 * @param totals what the store has counted at the end; nothing when it was not asked
 * @param now the store's clock at the end
 * @param drained whether everything was meant to be done by then
 * @param expected what a run in real time is held to beyond that
 */
public record History(
        List<Event> events,
        Map<ExecutionId, ExecutionView> views,
        Map<ExecutionId, Result> results,
        List<Acknowledgement> acknowledged,
        Totals totals,
        Instant now,
        boolean drained,
        Optional<Expectations> expected) {

    private static final int BATCH = 500;

    public History {
        events = List.copyOf(events);
        views = Map.copyOf(views);
        results = Map.copyOf(results);
        acknowledged = List.copyOf(acknowledged);
    }

    /**
     * What a store says that is not written to any more, about itself at this time of its clock.
     */
    public static History of(Store store, Instant now) {
        return of(store, now, List.of());
    }

    /** The same, with what clients were told. */
    public static History of(Store store, Instant now, List<Acknowledgement> acknowledged) {
        return of(store, now, acknowledged, feed(store));
    }

    /** The same, for a run that was watched from its beginning: nothing is too old to be judged. */
    public static History of(
            Store store, Instant now, List<Acknowledgement> acknowledged, List<Event> events) {
        Set<ExecutionId> ids = new LinkedHashSet<>();
        for (Event event : events) {
            if (event instanceof Event.Step step) {
                ids.add(step.execution());
            }
        }
        acknowledged.forEach(acknowledgement -> ids.add(acknowledgement.execution()));

        var views = new LinkedHashMap<ExecutionId, ExecutionView>();
        var results = new LinkedHashMap<ExecutionId, Result>();
        for (List<ExecutionId> some : inPieces(List.copyOf(ids))) {
            keepDone(some, store.queries().describe(some), views);
            keepDone(some, store.queries().results(some), results);
        }
        var totals = Totals.of(store, namespaces(events), uses(views.values(), acknowledged));
        return new History(
                events, views, results, acknowledged, totals, now, false, Optional.empty());
    }

    private static Set<Namespace> namespaces(List<Event> events) {
        return events.stream().map(Event::namespace).collect(Collectors.toSet());
    }

    private static Set<QuotaUse> uses(
            Collection<ExecutionView> views, List<Acknowledgement> acknowledged) {
        var seen = views.stream().map(ExecutionView::policy);
        var told =
                acknowledged.stream()
                        .filter(WorkAccepted.class::isInstance)
                        .map(work -> ((WorkAccepted) work).submission().policy());
        return Stream.concat(seen, told)
                .flatMap(policy -> policy.quotas().stream())
                .collect(Collectors.toSet());
    }

    /** This run, of which everything was meant to be done. */
    public History meantToBeDrained() {
        return new History(events, views, results, acknowledged, totals, now, true, expected);
    }

    /** This run, with workers and engines that were to keep these times. */
    public History expecting(Expectations expectations) {
        return new History(
                events,
                views,
                results,
                acknowledged,
                totals,
                now,
                drained,
                Optional.of(expectations));
    }

    /** Everything that is in the feed of a store that is not written to any more. */
    private static List<Event> feed(Store store) {
        var events = new ArrayList<Event>();
        var everything = FeedFilter.of(FeedFilter.Topic.EVERYTHING);
        Cursor cursor = store.feeds().beginning();
        while (true) {
            // Everything fits this filter, so an empty batch is the end.
            Feeds.Batch batch = store.feeds().read(everything, cursor, BATCH);
            if (batch.entries().isEmpty()) {
                return events;
            }
            batch.entries().forEach(entry -> events.add(entry.event()));
            cursor = batch.next();
        }
    }

    private static <T> void keepDone(
            List<ExecutionId> ids, List<Answer<T>> answers, Map<ExecutionId, T> kept) {
        for (int i = 0; i < ids.size(); i++) {
            if (answers.get(i) instanceof Answer.Done<T>(T value)) {
                kept.put(ids.get(i), value);
            }
        }
    }

    private static List<List<ExecutionId>> inPieces(List<ExecutionId> ids) {
        var pieces = new ArrayList<List<ExecutionId>>();
        for (int from = 0; from < ids.size(); from += BATCH) {
            pieces.add(ids.subList(from, Math.min(ids.size(), from + BATCH)));
        }
        return pieces;
    }
}
