package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.valkey.internal.record.SessionFields;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Which routes, that is kinds with needs, each session is able to do. It is judged here, once for
 * each route: the server only keeps their numbers. A server that has lost the last that it was told
 * gives the numbers out again, so nothing of it outlives a connection.
 */
public final class Abilities {
    private static final int MOST = 10_000;

    private final ValkeyContext valkey;
    private volatile Map<Known, Judged> sessions = LatelyUsed.ofMost(MOST);

    public Abilities(ValkeyContext valkey) {
        this.valkey = valkey;
        valkey.whenInDoubt(() -> sessions = LatelyUsed.ofMost(MOST));
    }

    /** What is known of a session. */
    static final class Judged {
        private final Session session;
        private final Map<Integer, Boolean> routes = new ConcurrentSkipListMap<>();

        private Judged(Session session) {
            this.session = session;
        }

        /** The numbers of the routes that it is able to do. */
        List<Integer> able() {
            return numbers(true);
        }

        /** The numbers of the routes that it is not able to do. */
        List<Integer> unable() {
            return numbers(false);
        }

        private List<Integer> numbers(boolean able) {
            return routes.entrySet().stream()
                    .filter(route -> route.getValue() == able)
                    .map(Map.Entry::getKey)
                    .toList();
        }

        /** Judges routes that a claim came upon that was made with this. */
        void learn(Item told) {
            for (var route : told.list()) {
                boolean able =
                        session.able(route.at(1).text(), Capabilities.parse(route.at(2).text()));
                routes.put(route.at(0).small(), able);
            }
        }
    }

    /** Routes have numbers of their own in each partition. */
    private record Known(SessionId session, Partition home) {}

    Judged of(SessionId session, Partition home) {
        var known = sessions;
        var key = new Known(session, home);
        var judged = known.get(key);
        if (judged == null) {
            judged = new Judged(read(session, home));
            var other = known.putIfAbsent(key, judged);
            judged = other == null ? judged : other;
        }
        return judged;
    }

    private Session read(SessionId session, Partition home) {
        return Records.sessions(valkey, home, List.of(session)).stream()
                .map(SessionFields::session)
                .findFirst()
                .orElseThrow(() -> ValkeySessions.unknown(session));
    }
}
