package io.flowfabric.engine;

import io.flowfabric.core.SessionId;
import io.flowfabric.core.store.Wakeups;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Tells the sessions of this engine that leases of theirs may be lost, as soon as a store does. */
final class LossNotices extends Service {
    private final Wakeups wakeups;
    private final Map<SessionId, Runnable> sessions = new ConcurrentHashMap<>();
    private Wakeups.@Nullable Listening listening;

    LossNotices(Wakeups wakeups) {
        this.wakeups = wakeups;
    }

    /** Lets a session hear of its losses from now on. */
    void join(SessionId session, Runnable ask) {
        sessions.put(session, ask);
    }

    void leave(SessionId session) {
        sessions.remove(session);
    }

    @Override
    protected void begin() {
        listening = wakeups.listenForLosses(this::lost);
    }

    @Override
    protected void end() {
        if (listening != null) {
            listening.close();
        }
    }

    private void lost(SessionId session) {
        var ask = sessions.get(session);
        if (ask != null) {
            ask.run();
        }
    }

    @Override
    public String toString() {
        return "The notices of losses";
    }
}
