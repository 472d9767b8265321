package io.flowfabric.core.store;

import io.flowfabric.core.Lane;
import io.flowfabric.core.SessionId;

import java.util.function.Consumer;

/**
 * Tells claims that wait for work that there may be some, and sessions that leases of theirs may be
 * lost. It is a hint: one may come for nothing, and a lost one costs a poll or a heartbeat.
 */
public interface Wakeups {
    /**
     * Calls back, from a thread of the store, when work may have become ready in a lane, whichever
     * process made it so. The listener must return at once.
     */
    Listening listen(Consumer<Lane> listener);

    /**
     * Calls back, from a thread of the store, when work was taken from a session by an operator, by
     * time or by a budget, or the session was declared dead, whichever process did that: its next
     * heartbeat says what is lost. What the session gives up itself it is not told of. The listener
     * must return at once.
     */
    Listening listenForLosses(Consumer<SessionId> listener);

    /** A registered listener. Closing ends it; closing again does nothing. */
    interface Listening extends AutoCloseable {
        @Override
        void close();
    }
}
