package io.flowfabric.engine;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.operate.NamespaceView;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.store.Maintenance.Duty;
import io.flowfabric.core.store.Store;
import io.flowfabric.engine.EngineMetrics.Counted;

import org.slf4j.Logger;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Counts anew, from time to time, what runs against quotas and what is set aside of budgets. The
 * store puts right what is wrong and tells of it in its feed; here it is counted and warned about.
 *
 * <p>Nothing should ever be found: drift means that a program wrote past the store, or a bug. The
 * engines on a store take turns.
 */
final class Recounts extends Service {
    private static final Logger LOG = QuietLogger.of(Recounts.class);

    private static final Backoff AFTER_FAILURE =
            Backoff.exponential(Duration.ofSeconds(1), Duration.ofMinutes(1), 2);

    private final Store store;
    private final EngineMetrics metrics;
    private final Time time;
    private final Duration every;
    private final OutageLog trouble;
    private final Loop loop;
    private boolean begun;
    private volatile boolean stopping;

    /** What came of counting in one namespace, or in all of them. */
    private record Sum(int counters, long drift) {
        Sum and(Sum more) {
            return new Sum(counters + more.counters, drift + more.drift);
        }
    }

    private interface Count {
        Sum in(Namespace namespace);
    }

    /** All that is counted anew. */
    private final Map<Counted, Count> counts = new EnumMap<>(Counted.class);

    Recounts(Store store, EngineOptions options, EngineMetrics metrics, Time time) {
        this.store = store;
        this.metrics = metrics;
        this.time = time;
        this.every = options.recountEvery();
        this.trouble = new OutageLog(LOG, time, "The recounts of this engine");
        this.loop = new Loop("ff-recounts", time, this::turn, AFTER_FAILURE, trouble::failed);
        counts.put(
                Counted.QUOTAS,
                namespace -> {
                    var recount = store.quotas().recount(namespace);
                    return new Sum(recount.counted(), recount.drift());
                });
        counts.put(
                Counted.BUDGETS,
                namespace -> {
                    var recount = store.budgets().recount(namespace);
                    return new Sum(recount.counted(), recount.drift());
                });
    }

    @Override
    protected void begin() {
        loop.start();
    }

    @Override
    protected void end() {
        stopping = true;
        loop.stop();
    }

    private long turn() {
        // Not at once: engines that are restarted again and again would do little else.
        if (begun && store.maintenance().takeTurn(Duty.RECOUNT, every)) {
            recount();
        }
        begun = true;
        trouble.worked();
        return Sweeps.spread(time, every);
    }

    private void recount() {
        var sums = new EnumMap<Counted, Sum>(Counted.class);
        namespaces(
                namespace ->
                        counts.forEach(
                                (what, count) ->
                                        sums.merge(
                                                what, counted(namespace, what, count), Sum::and)));
        sums.forEach((what, sum) -> metrics.recounted(what, sum.counters, sum.drift));
    }

    /** One namespace that cannot be counted is none of the others' business. */
    private Sum counted(Namespace namespace, Counted what, Count count) {
        try {
            var sum = count.in(namespace);
            if (sum.drift > 0) {
                LOG.warn(
                        "The {} of {} were off by {}; they are put right. Did a program write past"
                                + " the store?",
                        what.wire(),
                        namespace,
                        sum.drift);
            }
            return sum;
        } catch (RuntimeException e) {
            metrics.recountFailed(what);
            LOG.warn("The {} of {} could not be counted anew.", what.wire(), namespace, e);
            return new Sum(0, 0);
        }
    }

    private void namespaces(Consumer<Namespace> each) {
        var after = Cursor.START;
        do {
            var page = store.namespaces().list(after, (int) Limit.PAGE.max());
            for (NamespaceView view : page.items()) {
                if (stopping) {
                    return;
                }
                each.accept(view.namespace());
            }
            after = page.next();
        } while (!after.equals(Cursor.END));
    }

    @Override
    protected long rested() {
        return rested(List.of(loop));
    }

    @Override
    public String toString() {
        return "The recounts";
    }
}
