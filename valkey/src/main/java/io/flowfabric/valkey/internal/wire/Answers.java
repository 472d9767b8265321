package io.flowfabric.valkey.internal.wire;

import io.flowfabric.core.StoreFailure;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Waits for what servers answer, and says what it means when they do not. */
final class Answers {
    private final String server;
    private final Duration timeout;

    /**
     * @param server who is asked, as a person would say it
     */
    Answers(String server, Duration timeout) {
        this.server = server;
        this.timeout = timeout;
    }

    /** Makes a connection. */
    <T> T connecting(Supplier<T> connect) {
        try {
            return connect.get();
        } catch (RedisException e) {
            throw Refusals.connecting(server, e);
        }
    }

    /** The answer to a call. */
    <T> T await(RedisFuture<T> call) {
        try {
            return call.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            call.cancel(true);
            Thread.currentThread().interrupt();
            throw new StoreFailure(
                    "The thread was interrupted while it waited for an answer.", true, e);
        } catch (TimeoutException e) {
            call.cancel(true);
            throw new StoreFailure(
                    "%s did not answer within %s.".formatted(server, timeout), true, e);
        } catch (ExecutionException e) {
            throw Refusals.of(server, e.getCause());
        }
    }
}
