package io.flowfabric.valkey.internal.wire;

import io.flowfabric.core.StoreFailure;
import io.lettuce.core.RedisFuture;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Calls that are made again once it was seen to what they were refused for: no connection was made
 * yet, a server does not know the functions, or a slot is being moved. All of these were refused
 * before anything happened.
 */
final class PreparedCalls {
    /** So long it is tried again while a slot is being moved. */
    private static final Duration MOVING = Duration.ofSeconds(2);

    private static final Duration PAUSE = Duration.ofMillis(20);

    /** A node that a call is led to by another one may take a moment to be connected with. */
    private static final int CONNECTING = 3;

    private final Servers servers;
    private final Answers answers;
    private final Library library;

    PreparedCalls(Servers servers, Answers answers, Library library) {
        this.servers = servers;
        this.answers = answers;
        this.library = library;
    }

    /**
     * Calls.
     *
     * @param key one of those that it declares
     */
    byte[] prepared(byte[] key, Supplier<RedisFuture<byte[]>> call) {
        return prepared(key, call, answers.timeout());
    }

    /** Calls, and waits no longer than so for each answer. */
    byte[] prepared(byte[] key, Supplier<RedisFuture<byte[]>> call, Duration patience) {
        return tried(key, () -> answers.tryOut(call, patience), patience);
    }

    /**
     * Sends a call at once.
     *
     * @return waits for the answer; a call that was refused is made again only then
     */
    Supplier<byte[]> sent(byte[] key, Supplier<RedisFuture<byte[]>> call) {
        servers.notice(key);
        int doubts = servers.doubts();
        var sent = Answers.sent(call);
        var waited = new AtomicBoolean();
        return () ->
                tried(
                        key,
                        () ->
                                waited.getAndSet(true)
                                        ? answers.tryOut(call)
                                        : answers.answered(sent, answers.timeout()),
                        answers.timeout(),
                        doubts);
    }

    /**
     * Does something with a key that may be refused.
     *
     * @param attempt throws what it was refused for
     */
    byte[] tried(byte[] key, Supplier<byte[]> attempt, Duration patience) {
        servers.notice(key);
        return tried(key, attempt, patience, servers.doubts());
    }

    /**
     * @param doubts how often it had been doubted what is stored when the call was put together
     */
    private byte[] tried(byte[] key, Supplier<byte[]> attempt, Duration patience, int doubts) {
        int connected = 0;
        boolean loaded = false;
        long began = System.nanoTime();
        while (true) {
            try {
                return attempt.get();
            } catch (Unprepared refused) {
                switch (refused.need()) {
                    case A_CONNECTION -> {
                        if (connected++ == CONNECTING) {
                            throw refused.failure();
                        }
                        if (connected > 1) {
                            pause(refused);
                        }
                        servers.connect(key);
                        if (servers.doubts() != doubts) {
                            // The call may rest on what is not so any more.
                            throw refused.failure();
                        }
                    }
                    case THE_FUNCTIONS -> {
                        if (loaded) {
                            throw refused.failure();
                        }
                        servers.load(library, key);
                        loaded = true;
                    }
                    // It was led from node to node for long enough.
                    case ANOTHER_NODE -> throw refused.failure();
                    case A_PRIMARY -> {
                        servers.seekPrimary();
                        throw refused.failure();
                    }
                    case AN_OWNER -> {
                        servers.seekPrimary();
                        awaitTheMove(refused, began, patience);
                    }
                    case ALL_KEYS -> awaitTheMove(refused, began, patience);
                }
            }
        }
    }

    private static void awaitTheMove(Unprepared refused, long began, Duration patience) {
        if (System.nanoTime() - began > Math.min(MOVING.toNanos(), patience.toNanos())) {
            throw refused.failure();
        }
        pause(refused);
    }

    private static void pause(Unprepared refused) {
        LockSupport.parkNanos(PAUSE.toNanos());
        if (Thread.currentThread().isInterrupted()) {
            throw new StoreFailure(
                    "The thread was interrupted before the call was sent.", false, refused);
        }
    }
}
