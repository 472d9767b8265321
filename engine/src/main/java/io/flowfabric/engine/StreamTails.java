package io.flowfabric.engine;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.store.Wakeups;
import io.flowfabric.core.stream.StreamPage;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** Where readers of streams wait for frames. It costs nothing while none does. */
final class StreamTails extends Service {
    private final Store store;
    private final Time time;
    private final long safetyPoll;
    private final Map<UUID, Set<Reader>> readers = new ConcurrentHashMap<>();
    private Wakeups.@Nullable Listening listening;
    private volatile boolean open;

    /** A thread that waits, and whether there may be something for it. */
    private static final class Reader {
        final Thread thread = Thread.currentThread();
        volatile boolean told;

        void tell() {
            told = true;
            LockSupport.unpark(thread);
        }
    }

    StreamTails(Store store, EngineOptions options, Time time) {
        this.store = store;
        this.time = time;
        this.safetyPoll = options.safetyPoll().toNanos();
    }

    @Override
    protected void begin() {
        listening = store.wakeups().listenForStreams(this::streamed);
        open = true;
    }

    @Override
    protected void end() {
        open = false;
        if (listening != null) {
            listening.close();
        }
        readers.values().forEach(some -> some.forEach(Reader::tell));
    }

    private void streamed(UUID execution) {
        var some = readers.get(execution);
        if (some != null) {
            some.forEach(Reader::tell);
        }
    }

    /** What there is from a position on; if there is nothing, what comes. */
    StreamPage tail(ExecutionId execution, int attempt, long from, int max, Duration maxWait)
            throws InterruptedException {
        if (!open) {
            throw new Unavailable("The engine does not run; read through one that does.");
        }
        long began = time.nanos();
        long longest = Time.nanos(maxWait);
        var reader = new Reader();
        // Entered before it reads: what comes after that comes with a word.
        enter(execution, reader);
        try {
            while (true) {
                reader.told = false;
                var page = store.streams().tail(execution, attempt, from, max);
                if (!page.frames().isEmpty() || page.closed().isPresent()) {
                    return page;
                }
                long asked = time.nanos();
                while (!reader.told && time.nanos() - asked < safetyPoll) {
                    long left = longest - (time.nanos() - began);
                    if (left <= 0 || !open) {
                        return page;
                    }
                    time.park(Math.min(left, safetyPoll - (time.nanos() - asked)));
                    if (Thread.interrupted()) {
                        throw new InterruptedException();
                    }
                }
                if (!open) {
                    return page;
                }
            }
        } finally {
            leave(execution, reader);
        }
    }

    private void enter(ExecutionId execution, Reader reader) {
        readers.compute(
                execution.uuid(),
                (id, some) -> {
                    var all = some == null ? ConcurrentHashMap.<Reader>newKeySet() : some;
                    all.add(reader);
                    return all;
                });
    }

    private void leave(ExecutionId execution, Reader reader) {
        readers.computeIfPresent(
                execution.uuid(),
                (id, some) -> {
                    some.remove(reader);
                    return some.isEmpty() ? null : some;
                });
    }

    /** How many readers are here. */
    int waiting() {
        return readers.values().stream().mapToInt(Set::size).sum();
    }

    @Override
    public String toString() {
        return "The tails of streams";
    }
}
