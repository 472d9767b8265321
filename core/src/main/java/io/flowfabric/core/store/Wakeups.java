package io.flowfabric.core.store;

import io.flowfabric.core.Lane;
import io.flowfabric.core.SessionId;

import java.util.UUID;
import java.util.function.Consumer;

/**
 * Tells claims that wait for work that there may be some, sessions that leases of theirs may be
 * lost, and readers that streams have gone on. It is a hint: one may come for nothing, and a lost
 * one costs a poll or a heartbeat.
 */
public interface Wakeups {
    /**
     * Calls back, from a thread of the store, when work may have become ready in a lane, whichever
     * process made it so.
     */
    Listening listen(Listener listener);

    /**
     * Tells all other listeners, of this process and of the others, that there may be work in a
     * lane: this one has taken charge of some, and none of its waiters got it.
     */
    void pass(Lane lane, Listener from);

    /**
     * Calls back, from a thread of the store, when work was taken from a session by an operator, by
     * time or by a budget, or the session was declared dead, whichever process did that: its next
     * heartbeat says what is lost. What the session gives up itself it is not told of. The listener
     * must return at once.
     */
    Listening listenForLosses(Consumer<SessionId> listener);

    /**
     * Calls back, from a thread of the store, with the UUID of an execution that has a stream when
     * frames were appended to it, or the execution took a step that may have closed it, whichever
     * process did that. The listener must return at once.
     */
    Listening listenForStreams(Consumer<UUID> listener);

    /** What hears of ready work, on behalf of those who wait for some. It must return at once. */
    @FunctionalInterface
    interface Listener {
        /** Hears that there may be work in a lane. All listeners are told, of all processes. */
        void ready(Lane lane);

        /**
         * Hears of one piece of work that became ready through this process. Listeners are asked
         * one after the other, until one takes charge of it: then no other one is told.
         *
         * @param work the UUID of its id
         * @return whether a waiter will look for it; if that comes to nothing, the listener tells
         *     the others through {@link Wakeups#pass}. By default none does
         */
        default boolean take(Lane lane, UUID work) {
            ready(lane);
            return false;
        }
    }

    /** A registered listener. Closing ends it; closing again does nothing. */
    interface Listening extends AutoCloseable {
        @Override
        void close();
    }
}
