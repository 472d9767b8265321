package io.flowfabric.engine;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * How an engine goes about its work.
 *
 * @param sweepEvery how long the engine waits at most before it asks again what is due; what
 *     becomes due through another process is late by no more than that
 * @param retentionEvery how often one of all engines on the store forgets what has been kept long
 *     enough; they take turns, a little spread
 * @param recountEvery how often one of all engines on the store counts anew what runs against
 *     quotas and budgets, and puts right what says otherwise; they take turns, too
 * @param sweepLimit how many items one round of a sweep takes on, in one commit or several
 * @param safetyPoll how often it looks for work although no wake-up has come: what a lost wake-up
 *     costs
 * @param submitChunk how many submissions go to the store in one commit; fewer where they are large
 * @param stopsWithJvm whether it stops, and its workers before it, when the JVM is told to end: by
 *     SIGTERM, Ctrl-C or {@code System.exit}. A program that does so in an order of its own turns
 *     it off
 */
public record EngineOptions(
        Duration sweepEvery,
        Duration retentionEvery,
        Duration recountEvery,
        int sweepLimit,
        Duration safetyPoll,
        int submitChunk,
        boolean stopsWithJvm) {

    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofDays(1);

    /** 500 ms between sweeps, a minute between rounds of retention, 10 minutes between recounts. */
    public static final EngineOptions DEFAULT =
            new EngineOptions(
                    Duration.ofMillis(500),
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(10),
                    1000,
                    Duration.ofSeconds(1),
                    1000,
                    true);

    public EngineOptions {
        check("sweep every", sweepEvery);
        check("retention every", retentionEvery);
        check("recount every", recountEvery);
        check("safety poll", safetyPoll);
        Limit.BATCH.checkRange("sweep limit", 1, sweepLimit);
        Limit.BATCH.checkRange("submit chunk", 1, submitChunk);
    }

    /**
     * With another longest wait between two looks at what is due.
     *
     * @throws io.flowfabric.core.Invalid when it is outside of 10 ms to 1 day
     */
    public EngineOptions sweepEvery(Duration other) {
        return with(draft -> draft.sweepEvery = other);
    }

    /**
     * With another wait between two turns at retention, of all engines on the store together.
     *
     * @throws io.flowfabric.core.Invalid when it is outside of 10 ms to 1 day
     */
    public EngineOptions retentionEvery(Duration other) {
        return with(draft -> draft.retentionEvery = other);
    }

    /**
     * With another wait between two recounts of quotas and budgets, of all engines on the store
     * together.
     *
     * @throws io.flowfabric.core.Invalid when it is outside of 10 ms to 1 day
     */
    public EngineOptions recountEvery(Duration other) {
        return with(draft -> draft.recountEvery = other);
    }

    /**
     * With another number of items in one round of a sweep.
     *
     * @throws io.flowfabric.core.Invalid when it is below 1 or above the limit of a batch
     */
    public EngineOptions sweepLimit(int other) {
        return with(draft -> draft.sweepLimit = other);
    }

    /**
     * With another wait before a claim looks again without a wake-up.
     *
     * @throws io.flowfabric.core.Invalid when it is outside of 10 ms to 1 day
     */
    public EngineOptions safetyPoll(Duration other) {
        return with(draft -> draft.safetyPoll = other);
    }

    /**
     * With another number of submissions in one commit.
     *
     * @throws io.flowfabric.core.Invalid when it is below 1 or above the limit of a batch
     */
    public EngineOptions submitChunk(int other) {
        return with(draft -> draft.submitChunk = other);
    }

    /** With or without stopping when the JVM is told to end. */
    public EngineOptions stopsWithJvm(boolean other) {
        return with(draft -> draft.stopsWithJvm = other);
    }

    private EngineOptions with(Consumer<Draft> change) {
        var draft = new Draft(this);
        change.accept(draft);
        return draft.options();
    }

    private static void check(String field, Duration value) {
        if (value.compareTo(SHORTEST) < 0 || value.compareTo(LONGEST) > 0) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    field,
                    "%s is outside of %s to %s.".formatted(value, SHORTEST, LONGEST));
        }
    }

    /** Options whose fields can be set one by one. */
    private static final class Draft {
        private Duration sweepEvery;
        private Duration retentionEvery;
        private Duration recountEvery;
        private int sweepLimit;
        private Duration safetyPoll;
        private int submitChunk;
        private boolean stopsWithJvm;

        Draft(EngineOptions base) {
            sweepEvery = base.sweepEvery;
            retentionEvery = base.retentionEvery;
            recountEvery = base.recountEvery;
            sweepLimit = base.sweepLimit;
            safetyPoll = base.safetyPoll;
            submitChunk = base.submitChunk;
            stopsWithJvm = base.stopsWithJvm;
        }

        EngineOptions options() {
            return new EngineOptions(
                    sweepEvery,
                    retentionEvery,
                    recountEvery,
                    sweepLimit,
                    safetyPoll,
                    submitChunk,
                    stopsWithJvm);
        }
    }
}
