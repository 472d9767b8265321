package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.OpenedSession;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.store.Store;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** A claim of a session that is known costs no other call of the store. */
class KnownSessionsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final List<Object> read = new ArrayList<>();

    /** Whether the store says that a session is open and saves itself the time to open it. */
    private boolean hasty;

    private final ManualTime time = new ManualTime();
    private final MemoryStore memory = new MemoryStore(time);
    private final Store store =
            HookedStore.over(
                    memory,
                    (call, real) -> {
                        if (call.equals("describe")) {
                            read.add(real.argument());
                        }
                        return hasty && call.equals("open")
                                ? new OpenedSession(time.instant(), true)
                                : real.call();
                    });
    private final KnownSessions known = new KnownSessions(store.sessions(), store.workers());

    @Test
    void one_that_was_opened_here_is_never_read() {
        var session = session(1);
        assertThat(known.open(session)).isNotNull();

        assertThat(known.session(session.id())).isEqualTo(session);
        assertThat(read).isEmpty();
    }

    @Test
    void one_that_was_opened_elsewhere_is_read_once() {
        var session = session(1);
        memory.sessions().open(session);

        assertThat(known.session(session.id())).isEqualTo(session);
        assertThat(known.session(session.id())).isEqualTo(session);

        assertThat(read).containsExactly(session.id());
    }

    @Test
    void one_that_was_closed_is_forgotten() {
        var session = session(1);
        known.open(session);

        known.close(session.id());

        known.session(session.id());
        assertThat(read).containsExactly(session.id());
    }

    @Test
    void one_whose_heartbeat_finds_it_dead_is_forgotten_and_no_other() {
        var dead = session(1);
        var alive = session(2);
        known.open(dead);
        known.open(alive);
        memory.sessions().close(dead.id());

        var answers = known.heartbeat(List.of(beat(alive), beat(dead)));

        assertThat(answers.getFirst().isDone()).isTrue();
        assertThat(answers.getLast().isDone()).isFalse();
        known.session(alive.id());
        known.session(dead.id());
        assertThat(read).containsExactly(dead.id());
    }

    /** A server behind which workers come and go for years must not keep them all. */
    @Test
    void beyond_ten_thousand_the_one_that_claimed_least_recently_is_read_again() {
        var sessions = IntStream.range(0, 10_000).mapToObj(KnownSessionsTest::session).toList();
        memory.sessions().open(sessions.get(1));
        hasty = true;
        sessions.forEach(known::open);
        known.session(sessions.getFirst().id());
        assertThat(read).isEmpty();

        known.open(session(10_000));

        known.session(sessions.getFirst().id());
        assertThat(read).isEmpty();
        known.session(sessions.get(1).id());
        assertThat(read).containsExactly(sessions.get(1).id());
    }

    private static Heartbeat beat(Session session) {
        return new Heartbeat(session.id(), 0, Set.of(), PATIENCE);
    }

    private static Session session(int number) {
        return Session.of("worker", "number " + number, "default").id(SessionId.mint());
    }
}
