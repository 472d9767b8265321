package io.flowfabric.engine;

import io.flowfabric.core.Answer;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.HeartbeatResult;
import io.flowfabric.core.lease.OpenedSession;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.Sessions;
import io.flowfabric.core.operate.Workers;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Sessions through an engine, remembered: a claim names its session by id, and its metrics and log
 * lines need the lanes and the worker's name.
 */
final class KnownSessions implements Sessions {
    /** Beyond this many, the session that claimed least recently is looked up again. */
    private static final int MOST = 10_000;

    private static final float LOAD = 0.75f;

    private final Sessions store;
    private final Workers workers;
    private final Map<SessionId, Session> known =
            new LinkedHashMap<>(16, LOAD, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<SessionId, Session> eldest) {
                    return size() > MOST;
                }
            };

    KnownSessions(Sessions store, Workers workers) {
        this.store = store;
        this.workers = workers;
    }

    /**
     * A session by its id. One that was opened elsewhere is read from the store, once.
     *
     * @throws NotFound when the store does not know it
     */
    Session session(SessionId id) {
        synchronized (known) {
            var session = known.get(id);
            if (session != null) {
                return session;
            }
        }
        var session = workers.describe(id).session();
        remember(session);
        return session;
    }

    @Override
    public OpenedSession open(Session session) {
        var opened = store.open(session);
        remember(session);
        return opened;
    }

    @Override
    public List<Answer<HeartbeatResult>> heartbeat(List<Heartbeat> heartbeats) {
        var answers = store.heartbeat(heartbeats);
        for (int i = 0; i < answers.size(); i++) {
            if (answers.get(i) instanceof Answer.Refused<HeartbeatResult>(NotFound dead)) {
                forget(heartbeats.get(i).session());
            }
        }
        return answers;
    }

    @Override
    public void close(SessionId session) {
        forget(session);
        store.close(session);
    }

    private void remember(Session session) {
        synchronized (known) {
            known.put(session.id(), session);
        }
    }

    private void forget(SessionId session) {
        synchronized (known) {
            known.remove(session);
        }
    }
}
