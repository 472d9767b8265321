package io.flowfabric.engine;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submissions;
import io.flowfabric.core.submit.Submitted;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * Submissions through an engine: in chunks of so many and so many bytes, counted, and with the
 * sweeps told what is coming.
 */
final class ChunkedSubmissions implements Submissions {
    private final Submissions store;
    private final Sweeps sweeps;
    private final EngineMetrics metrics;
    private final Time time;
    private final int chunk;
    private final BooleanSupplier stopped;

    /**
     * @param stopped whether nothing may come in any more
     */
    ChunkedSubmissions(
            Submissions store,
            Sweeps sweeps,
            EngineMetrics metrics,
            Time time,
            int chunk,
            BooleanSupplier stopped) {
        this.store = store;
        this.sweeps = sweeps;
        this.metrics = metrics;
        this.time = time;
        this.chunk = chunk;
        this.stopped = stopped;
    }

    @Override
    public List<Answer<Submitted>> submit(List<Submission> submissions) {
        var chunks = Chunks.of(submissions, chunk, submission -> submission.input().size());
        if (chunks.size() <= 1) {
            return once(submissions);
        }
        var answers = new ArrayList<Answer<Submitted>>(submissions.size());
        chunks.forEach(some -> answers.addAll(once(some)));
        return answers;
    }

    private List<Answer<Submitted>> once(List<Submission> submissions) {
        if (stopped.getAsBoolean()) {
            throw new Unavailable("The engine has stopped; start another one and submit to that.");
        }
        var answers = store.submit(submissions);
        int created = 0;
        for (var answer : answers) {
            if (answer instanceof Answer.Done<Submitted>(var submitted) && submitted.created()) {
                created++;
            }
        }
        if (created > 0) {
            metrics.submitted(created);
        }
        var now = time.instant();
        submissions.stream()
                .flatMap(submission -> due(submission, now))
                .min(Instant::compareTo)
                .ifPresent(sweeps::expect);
        return answers;
    }

    private static Stream<Instant> due(Submission submission, Instant now) {
        var policy = submission.policy();
        return Stream.concat(
                policy.start().equals(Due.NOW)
                        ? Stream.empty()
                        : Stream.of(policy.start().from(now)),
                policy.deadlineFrom(now).stream());
    }
}
