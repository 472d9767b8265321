package io.flowfabric.testkit.harness;

import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.harness.Difference.Kind;
import io.flowfabric.testkit.history.Acknowledgements;
import io.flowfabric.testkit.history.History;
import io.flowfabric.testkit.history.HistoryChecker;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * One case, performed on a fresh store beside a fresh model.
 *
 * @param moreEvery after how many operations more is compared than what each execution is
 */
record HarnessTrial(Supplier<? extends StoreFixture> fixtures, int moreEvery) {
    private static final int WORKERS = 4;

    /**
     * A case that showed a difference.
     *
     * @param last the place of the last operation that was performed
     * @param lines what was done, to be read
     */
    record Failed(Difference difference, int last, List<String> lines) {}

    Optional<Failed> run(Case tried) {
        try (var fixture = fixtures.get()) {
            var trace = new Trace();
            var twins = new StoreAndModel(fixture, trace);
            var cast =
                    Participants.of(
                            new Identity(tried.seed()),
                            twins.now(),
                            Participants.workers(WORKERS),
                            new Acknowledgements(twins::now));
            return new Course(twins, cast, trace).run(tried);
        }
    }

    private final class Course {
        private final StoreAndModel twins;
        private final Participants cast;
        private final Trace trace;
        private final StateComparison state;
        private final FeedComparison feed;
        private int last;

        Course(StoreAndModel twins, Participants cast, Trace trace) {
            this.twins = twins;
            this.cast = cast;
            this.trace = trace;
            this.state = new StateComparison(twins, cast.ledger());
            this.feed = new FeedComparison(twins);
        }

        Optional<Failed> run(Case tried) {
            try {
                perform(tried);
                trace.heading("drain");
                new FinalDrain(twins, cast).drain(cast.sessions());
                var unused = state.compareEverything();
                feed.compareNews();
                feed.compareReadings();
                judge();
                return Optional.empty();
            } catch (Difference.Found found) {
                return Optional.of(failed(found.difference()));
            }
        }

        private void perform(Case tried) {
            var performer = new Performer(twins, cast);
            int performed = 0;
            for (Map.Entry<Integer, Operation> entry : tried.performed().entrySet()) {
                last = entry.getKey();
                trace.heading(String.valueOf(last));
                performer.perform(entry.getValue());
                var unused = state.compareViews();
                performed++;
                if (performed % moreEvery == 0) {
                    state.compareMore();
                    feed.compareNews();
                }
            }
            var unused = state.compareEverything();
            feed.compareNews();
        }

        private void judge() {
            var history =
                    History.of(
                            twins.tested(),
                            twins.now(),
                            cast.acknowledgements().all(),
                            feed.seen());
            var violations = new HistoryChecker(history.meantToBeDrained()).verdict();
            if (!violations.isEmpty()) {
                throw new Difference.Found(
                        Kind.HISTORY,
                        violations.getFirst().kind().name(),
                        violations.stream().limit(3).map(Object::toString).toList());
            }
        }

        private Failed failed(Difference difference) {
            var named =
                    new Difference(
                            difference.kind(),
                            difference.about(),
                            difference.details().stream().map(cast.names()::in).toList());
            var lines = trace.lines().stream().map(cast.names()::in).toList();
            return new Failed(named, last, lines);
        }
    }
}
