package io.flowfabric.mutation;

import io.flowfabric.mutation.Coverage.Covering;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * How long tests are waited for: each for many times as long as it usually takes. All of them
 * together would be waited for much longer, for one that does not end.
 */
final class Patience implements TestExecutionListener {
    /** For what a test needs the first time: a schema, connections, a machine that is busy. */
    private static final Duration GRACE = Duration.ofSeconds(20);

    private static final int TIMES_AS_LONG = 10;

    private final Map<String, Long> usual;
    private final long usualOfAll;
    private final long begun;
    private final Map<String, Long> running = new ConcurrentHashMap<>();

    Patience(List<Covering> tests, long now) {
        usual =
                tests.stream()
                        .collect(Collectors.toUnmodifiableMap(Covering::test, Covering::millis));
        usualOfAll = tests.stream().mapToLong(Covering::millis).sum();
        begun = now;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (test.isTest()) {
            started(test.getUniqueId(), System.nanoTime());
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        finished(test.getUniqueId());
    }

    void started(String test, long now) {
        running.put(test, now);
    }

    void finished(String test) {
        running.remove(test);
    }

    /** Whether a test, or all of them, has been running for too long. */
    boolean isOver(long now) {
        return isTooLong(begun, usualOfAll, now)
                || running.entrySet().stream()
                        .anyMatch(
                                one ->
                                        isTooLong(
                                                one.getValue(),
                                                usual.getOrDefault(one.getKey(), 0L),
                                                now));
    }

    private static boolean isTooLong(long since, long millis, long now) {
        return TimeUnit.NANOSECONDS.toMillis(now - since)
                > GRACE.toMillis() + TIMES_AS_LONG * millis;
    }
}
