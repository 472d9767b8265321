package io.flowfabric;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.query.Queries;
import io.flowfabric.core.query.Result;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Callers that await the results of executions.
 *
 * <p>One thread asks the store for all of them in one call, soon after somebody has begun to wait
 * and less and less often after that; there is no thread while nobody waits. It goes by real time:
 * so a test that moves the clock of its store is answered at once.
 */
final class AwaitedResults {
    private static final long SOONEST = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LATEST = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int PIECE = 500;

    /** One call that waits. */
    private static final class Waiter {
        private final CompletableFuture<Result> result = new CompletableFuture<>();
    }

    private final Queries queries;
    private final Map<ExecutionId, Set<Waiter>> awaited = new HashMap<>();
    private @Nullable Thread asking;
    private long pause = SOONEST;

    AwaitedResults(Queries queries) {
        this.queries = queries;
    }

    /**
     * The result of an execution once there is one.
     *
     * @throws TimeoutException when there is none in that time
     */
    Result await(ExecutionId execution, Duration timeout)
            throws InterruptedException, TimeoutException {
        var waiter = join(execution);
        try {
            return waiter.result.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof RuntimeException refusal) {
                throw refusal;
            }
            throw new IllegalStateException(failed.getCause());
        } finally {
            leave(execution, waiter);
        }
    }

    private synchronized Waiter join(ExecutionId execution) {
        var waiter = new Waiter();
        awaited.computeIfAbsent(execution, id -> new HashSet<>()).add(waiter);
        pause = SOONEST;
        if (asking == null) {
            asking =
                    Thread.ofPlatform()
                            .daemon()
                            .name("ff-await")
                            .inheritInheritableThreadLocals(false)
                            .start(this::ask);
        } else {
            LockSupport.unpark(asking);
        }
        return waiter;
    }

    private synchronized void leave(ExecutionId execution, Waiter waiter) {
        awaited.computeIfPresent(
                execution,
                (id, waiting) -> {
                    waiting.remove(waiter);
                    return waiting.isEmpty() ? null : waiting;
                });
    }

    private void ask() {
        for (var wanted = wanted(); !wanted.isEmpty(); wanted = wanted()) {
            for (int from = 0; from < wanted.size(); from += PIECE) {
                tell(wanted.subList(from, Math.min(wanted.size(), from + PIECE)));
            }
            LockSupport.parkNanos(nextPause());
        }
    }

    private synchronized List<ExecutionId> wanted() {
        if (awaited.isEmpty()) {
            asking = null;
        }
        return new ArrayList<>(awaited.keySet());
    }

    private synchronized long nextPause() {
        long now = pause;
        pause = Math.min(2 * now, LATEST);
        return now;
    }

    private void tell(List<ExecutionId> some) {
        List<Answer<Result>> answers;
        try {
            answers = queries.results(some);
        } catch (FlowFabricException unreachable) {
            if (unreachable.isAnswer() || unreachable instanceof Unavailable) {
                some.forEach(id -> end(id, Answer.refused(unreachable)));
            }
            // Otherwise the store may be back before those who wait have lost their patience.
            return;
        } catch (RuntimeException | Error bug) {
            some.forEach(id -> waiting(id).forEach(one -> one.result.completeExceptionally(bug)));
            return;
        }
        for (int i = 0; i < some.size(); i++) {
            end(some.get(i), answers.get(i));
        }
    }

    private void end(ExecutionId id, Answer<Result> answer) {
        switch (answer) {
            case Answer.Done<Result>(Result result) ->
                    waiting(id).forEach(one -> one.result.complete(result));
            case Answer.Refused<Result>(Conflict notYet) -> {}
            case Answer.Refused<Result>(FlowFabricException gone) ->
                    waiting(id).forEach(one -> one.result.completeExceptionally(gone));
        }
    }

    private synchronized List<Waiter> waiting(ExecutionId id) {
        return List.copyOf(awaited.getOrDefault(id, Set.of()));
    }
}
