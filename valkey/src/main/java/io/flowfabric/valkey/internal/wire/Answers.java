package io.flowfabric.valkey.internal.wire;

import io.flowfabric.core.StoreFailure;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Waits for what servers answer, and says what it means when they do not. */
final class Answers {
    private static final Duration BRIEFLY = Duration.ofMillis(500);

    private final String server;
    private final Duration timeout;

    /**
     * @param server who is asked, as a person would say it
     */
    Answers(String server, Duration timeout) {
        this.server = server;
        this.timeout = timeout;
    }

    /**
     * A connection that is being made.
     *
     * @param patience how long it may take
     */
    <T> T connected(Future<T> connection, Duration patience) {
        try {
            return connection.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreFailure(
                    "The thread was interrupted while it waited for a connection.", false, e);
        } catch (TimeoutException | CancellationException e) {
            throw new StoreFailure(
                    "%s could not be connected with within %s.".formatted(server, patience),
                    false,
                    e);
        } catch (ExecutionException e) {
            throw Refusals.connecting(server, e);
        }
    }

    /** How long an answer may take. */
    Duration timeout() {
        return timeout;
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
    <T> T await(Supplier<RedisFuture<T>> call) {
        try {
            return tryOut(call);
        } catch (Unprepared refused) {
            throw refused.failure();
        }
    }

    /**
     * The answer to a call.
     *
     * @throws Unprepared when it was refused for want of something that can be seen to
     */
    <T> T tryOut(Supplier<RedisFuture<T>> call) {
        return tryOut(call, timeout);
    }

    /**
     * The answer to a call, unless it takes longer than this.
     *
     * @throws Unprepared when it was refused for want of something that can be seen to
     */
    <T> T tryOut(Supplier<RedisFuture<T>> call, Duration patience) {
        RedisFuture<T> sent;
        try {
            sent = call.get();
        } catch (RedisException e) {
            throw Refusals.of(server, e);
        }
        return answered(sent, patience);
    }

    /** Sends a call. One that cannot be sent is answered with the reason. */
    static <T> Future<T> sent(Supplier<RedisFuture<T>> call) {
        try {
            return call.get();
        } catch (RedisException unsent) {
            return CompletableFuture.failedFuture(unsent);
        }
    }

    /**
     * The answer to a call that was sent.
     *
     * @throws Unprepared as above
     */
    <T> T answered(Future<T> sent, Duration patience) {
        return awaited(sent, patience);
    }

    /** The answer to calls that are made one after the other. */
    <T> T awaitStage(CompletionStage<T> calls) {
        try {
            return awaited(calls.toCompletableFuture(), timeout);
        } catch (Unprepared refused) {
            throw refused.failure();
        }
    }

    /** Waits a moment for what is good to have; without it something will be tried again later. */
    void awaitBriefly(List<? extends CompletionStage<?>> calls) {
        var all =
                CompletableFuture.allOf(
                        calls.stream()
                                .map(call -> call.handle((done, failed) -> true))
                                .map(CompletionStage::toCompletableFuture)
                                .toArray(CompletableFuture<?>[]::new));
        try {
            all.get(BRIEFLY.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException e) {
            // It goes without.
        }
    }

    private <T> T awaited(Future<T> call, Duration patience) {
        try {
            return call.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            call.cancel(true);
            Thread.currentThread().interrupt();
            throw new StoreFailure(
                    "The thread was interrupted while it waited for an answer.", true, e);
        } catch (TimeoutException e) {
            call.cancel(true);
            throw new StoreFailure(
                    "%s did not answer within %s.".formatted(server, patience), true, e);
        } catch (CancellationException e) {
            throw new StoreFailure(
                    "The connection to %s was closed before it answered.".formatted(inSentence()),
                    true,
                    e);
        } catch (ExecutionException e) {
            throw Refusals.of(server, e.getCause());
        }
    }

    /** Its name in the middle of a sentence. */
    private String inSentence() {
        return Character.toLowerCase(server.charAt(0)) + server.substring(1);
    }
}
