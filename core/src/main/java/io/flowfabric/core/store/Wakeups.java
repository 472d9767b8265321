package io.flowfabric.core.store;

import io.flowfabric.core.Lane;

import java.util.function.Consumer;

/**
 * Tells claims that wait for work that there may be some. It is a hint: one may come for nothing,
 * and a lost one costs a poll.
 */
public interface Wakeups {
    /**
     * Calls back, from a thread of the store, when work may have become ready in a lane, whichever
     * process made it so. The listener must return at once.
     */
    Listening listen(Consumer<Lane> listener);

    /** A registered listener. Closing ends it; closing again does nothing. */
    interface Listening extends AutoCloseable {
        @Override
        void close();
    }
}
