package io.flowfabric.bench;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.query.TimeRange;
import io.flowfabric.core.store.Store;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How long pages of searches take, and counts: the median of several, in milliseconds.
 *
 * @param pages by what was searched for
 */
record Pages(Map<String, Double> pages, double counts) {
    private static final int PAGE = 100;
    private static final int TIMES = 9;

    /** Pages of every kind, from both ends and from somewhere in the middle. */
    static Pages read(Store store) {
        var all = Search.in(Namespace.DEFAULT);
        var searches = new LinkedHashMap<String, Search>();
        searches.put("everything", all);
        for (var state : PublicState.values()) {
            searches.put(state.wire(), all.states(state));
        }
        searches.put("several states", all.states(PublicState.FAILED, PublicState.WAITING));
        searches.put("a kind", all.kind("nothing"));
        searches.put("a kind that is not there", all.kind("something"));
        searches.put("a tag", all.tag("colour", "red"));
        searches.put("a tag of the failed", all.tag("colour", "red").states(PublicState.FAILED));
        searches.put("a creator that is not there", all.creator("nobody"));
        searches.put("a partition", all.partition(new Partition(7)));
        searches.put("a worker", all.worker("bench"));
        searches.put("lapsed", all.onlyLapsed());
        searches.put(
                "an hour of submissions",
                all.submitted(TimeRange.since(Instant.now().minus(Duration.ofHours(1)))));
        searches.put(
                "an hour of ends",
                all.changed(TimeRange.since(Instant.now().minus(Duration.ofHours(1)))));
        var pages = new LinkedHashMap<String, Double>();
        searches.forEach((name, search) -> pages.put(name, slowest(store, search)));
        return new Pages(pages, median(() -> store.queries().counts(Namespace.DEFAULT)));
    }

    double slowestPage() {
        return pages.values().stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    }

    private static double slowest(Store store, Search search) {
        double slowest = 0;
        for (var direction : new Search[] {search, search.newestFirst()}) {
            var first = store.queries().search(direction, Cursor.START, PAGE);
            boolean over = first.next().equals(Cursor.END);
            for (var from : new Cursor[] {Cursor.START, over ? Cursor.START : first.next()}) {
                double took = median(() -> store.queries().search(direction, from, PAGE));
                slowest = Math.max(slowest, took);
            }
        }
        return slowest;
    }

    private static double median(Runnable call) {
        var times = new double[TIMES];
        for (int i = 0; i < TIMES; i++) {
            long before = System.nanoTime();
            call.run();
            times[i] = (System.nanoTime() - before) / 1e6;
        }
        Arrays.sort(times);
        return times[TIMES / 2];
    }

    @Override
    public String toString() {
        var text = new StringBuilder("pages of %d, in ms:".formatted(PAGE));
        pages.forEach((name, took) -> text.append(" %s %.1f,".formatted(name, took)));
        return text.append(" counts %.1f".formatted(counts)).toString();
    }
}
