package io.flowfabric.cli.dev;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Queries;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.Transition;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Asks the database what became of a run, and compares it with what was promised. It knows nothing
 * that the run kept in memory.
 */
final class Check {
    private static final int PAGE = 500;
    private static final Set<Transition> CLAIMS = Set.of(Transition.CLAIM, Transition.RECLAIM);

    private final Queries queries;
    private final Map<Fate, List<ExecutionView>> found = new EnumMap<>(Fate.class);
    private final List<String> differences = new ArrayList<>();

    private Check(Queries queries) {
        this.queries = queries;
        for (var fate : Fate.values()) {
            views(fate);
        }
    }

    /** Looks at everything that carries the tag of a run. */
    static RunReport of(Queries queries, String run) {
        var check = new Check(queries);
        check.read(run);
        check.found.forEach(check::compare);
        check.order();
        return new RunReport(check.found, check.differences);
    }

    private void read(String run) {
        var search = Search.in(Namespace.DEFAULT).tag(Fate.RUN_TAG, run);
        var cursor = Cursor.START;
        do {
            var page = queries.search(search, cursor, PAGE);
            page.items().forEach(this::sort);
            cursor = page.next();
        } while (!cursor.equals(Cursor.END));
    }

    private void sort(ExecutionView view) {
        var tag = view.tags().values().getOrDefault(Fate.FATE_TAG, "");
        Fate.tagged(tag)
                .ifPresentOrElse(
                        fate -> views(fate).add(view),
                        () -> differ("%s has the unknown fate '%s'.".formatted(view.id(), tag)));
    }

    private void compare(Fate fate, List<ExecutionView> views) {
        if (views.size() != fate.count()) {
            differ(
                    "%s: %d executions were submitted, and %d are in the database."
                            .formatted(fate.words(), fate.count(), views.size()));
        }
        for (var view : views) {
            compareEnd(fate, view);
            compareFailure(fate, view);
            compareLeases(fate, view);
        }
    }

    private void compareEnd(Fate fate, ExecutionView view) {
        var state = view.state().publicState();
        if (state != fate.end() || view.attempts() != fate.attempts()) {
            differ(
                    "%s: %s should be %s with %d attempts, and is %s with %d."
                            .formatted(
                                    fate.words(),
                                    view.id(),
                                    fate.end().wire(),
                                    fate.attempts(),
                                    state.wire(),
                                    view.attempts()));
        }
    }

    private void compareFailure(Fate fate, ExecutionView view) {
        var category = view.failure().map(Failure::category);
        if (fate.failure().isPresent() && !category.equals(fate.failure())) {
            differ(
                    "%s: %s should have failed as %s, and failed as %s."
                            .formatted(
                                    fate.words(),
                                    view.id(),
                                    fate.failure().get(),
                                    category.orElse("nothing")));
        }
    }

    /** What is promised about who held a lease, and when. */
    private void compareLeases(Fate fate, ExecutionView view) {
        switch (fate) {
            case OUTLIVES_ITS_WORKER -> {
                var holders = claims(view).stream().flatMap(step -> step.owner().stream()).toList();
                if (view.reclaims() < 1
                        || holders.stream().map(Owner::session).distinct().count() < 2) {
                    differ(
                            "%s: %s should have changed hands, and was held by %s."
                                    .formatted(fate.words(), view.id(), holders));
                }
            }
            case NEEDS_A_GPU -> {
                for (var step : claims(view)) {
                    var worker = step.owner().map(Owner::worker).orElse("nobody");
                    if (!worker.equals(Profile.C.worker())) {
                        differ(
                                "%s: %s was given to %s, which has none."
                                        .formatted(fate.words(), view.id(), worker));
                    }
                }
            }
            case STARTS_LATER -> {
                var earliest = fate.policy().start().from(view.submitted());
                firstClaim(view)
                        .filter(at -> at.isBefore(earliest))
                        .ifPresent(
                                at ->
                                        differ(
                                                "%s: %s began at %s, and may begin at %s."
                                                        .formatted(
                                                                fate.words(),
                                                                view.id(),
                                                                at,
                                                                earliest)));
            }
            case CANCELLED_RUNNING,
                    CANCELLED_WAITING,
                    TIMES_OUT,
                    SUCCEEDS,
                    RETRIES,
                    GIVES_UP,
                    HOPELESS,
                    LOOKS_AGAIN,
                    EXPIRES,
                    ORDINARY,
                    URGENT -> {}
        }
    }

    /** What is urgent was begun before anything ordinary was. */
    private void order() {
        var urgent = firstClaims(Fate.URGENT).max(Instant::compareTo);
        var ordinary = firstClaims(Fate.ORDINARY).min(Instant::compareTo);
        if (urgent.isPresent() && ordinary.isPresent() && urgent.get().isAfter(ordinary.get())) {
            differ(
                    "%s: the last one began at %s, and an ordinary one before that, at %s."
                            .formatted(Fate.URGENT.words(), urgent.get(), ordinary.get()));
        }
    }

    private Stream<Instant> firstClaims(Fate fate) {
        return views(fate).stream().flatMap(view -> firstClaim(view).stream());
    }

    private Optional<Instant> firstClaim(ExecutionView view) {
        return claims(view).stream().map(Event.Step::at).findFirst();
    }

    private List<Event.Step> claims(ExecutionView view) {
        return queries.history(view.id()).stream()
                .filter(Event.Step.class::isInstance)
                .map(Event.Step.class::cast)
                .filter(step -> CLAIMS.contains(step.transition()))
                .toList();
    }

    private List<ExecutionView> views(Fate fate) {
        return found.computeIfAbsent(fate, none -> new ArrayList<>());
    }

    private void differ(String sentence) {
        differences.add(sentence);
    }
}
