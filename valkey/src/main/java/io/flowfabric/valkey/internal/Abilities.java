package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.valkey.internal.record.SessionFields;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Which routes, that is kinds with needs, each session is able to do. It is judged here, once for
 * each route: the server only keeps their numbers.
 */
public final class Abilities {
    private final ValkeyContext valkey;
    private final Map<SessionId, Known> sessions = new ConcurrentHashMap<>();

    public Abilities(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    private record Known(Session session, Map<Integer, Boolean> routes) {}

    /** What is known of a session. */
    record Judged(List<Integer> able, List<Integer> unable) {}

    Judged of(SessionId session, Partition home) {
        var routes = known(session, home).routes;
        return new Judged(
                routes.entrySet().stream()
                        .filter(Map.Entry::getValue)
                        .map(Map.Entry::getKey)
                        .toList(),
                routes.entrySet().stream()
                        .filter(route -> !route.getValue())
                        .map(Map.Entry::getKey)
                        .toList());
    }

    /** Judges routes that a claim came upon. */
    void learn(SessionId session, Partition home, Item routes) {
        var known = known(session, home);
        for (var route : routes.list()) {
            boolean able =
                    known.session.able(route.at(1).text(), Capabilities.parse(route.at(2).text()));
            known.routes.put(route.at(0).small(), able);
        }
    }

    private Known known(SessionId session, Partition home) {
        return sessions.computeIfAbsent(
                session,
                id ->
                        new Known(
                                Records.sessions(valkey, home, List.of(id)).stream()
                                        .map(SessionFields::session)
                                        .findFirst()
                                        .orElseThrow(() -> ValkeySessions.unknown(id)),
                                new ConcurrentSkipListMap<>()));
    }
}
