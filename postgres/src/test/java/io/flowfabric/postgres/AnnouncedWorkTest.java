package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.store.Wakeups;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.postgres.internal.ready.WakeupNotifier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * R20: what a waiter of this process will look for is not announced to others, unless it comes to
 * nothing; but they always hear that work stands before what was taken.
 */
class AnnouncedWorkTest {
    private static final Attribution OLGA = new Attribution("olga", "she was asked to");
    private static final Lane LANE = Lane.of("here");
    private static final long PATIENCE = Duration.ofSeconds(20).toNanos();

    private final SchemaName schema = TestPostgres.freshSchema();
    private final PostgresStore store = PostgresStore.open(TestPostgres.options(), schema);
    private final Set<Lane> served = ConcurrentHashMap.newKeySet();
    private final Wakeups.Listener listener = new Charge();
    private int ends;

    @SuppressWarnings("NullAway.Init")
    private Connection ear;

    /** Takes charge of work in the lanes that are served. */
    private final class Charge implements Wakeups.Listener {
        @Override
        public void ready(Lane lane) {}

        @Override
        public boolean take(Lane lane, UUID work) {
            return served.contains(lane);
        }
    }

    @BeforeEach
    void listen() throws Exception {
        var unused = store.wakeups().listen(listener);
        ear = TestPostgres.connect();
        try (var statement = ear.createStatement()) {
            statement.execute("listen \"" + WakeupNotifier.channel(schema) + "\"");
        }
    }

    @AfterEach
    void close() throws Exception {
        ear.close();
        store.close();
    }

    @Test
    void a_piece_of_work_is_announced_only_where_nobody_here_looks_for_it() throws Exception {
        submit(1);
        assertThat(announced()).containsExactly("WORK");

        served.add(LANE);
        submit(1);
        assertThat(announced()).isEmpty();
    }

    @Test
    void more_work_than_one_piece_is_announced() throws Exception {
        served.add(LANE);

        submit(2);

        assertThat(announced()).containsExactly("WORK");
    }

    @Test
    void what_is_passed_on_is_announced() throws Exception {
        served.add(LANE);
        submit(1);

        store.wakeups().pass(LANE, listener);

        assertThat(announced()).containsExactly("WORK");
    }

    @Test
    void others_hear_that_work_stands_before_what_was_taken_also_when_it_is_looked_for_here()
            throws Exception {
        served.add(LANE);
        var work = submit(1).getFirst();
        act(new OperatorCommand.Pause(work));

        act(new OperatorCommand.Resume(work));
        assertThat(announced()).containsExactly("PLACES");

        served.clear();
        act(new OperatorCommand.Pause(work));
        act(new OperatorCommand.Resume(work));
        assertThat(announced()).containsExactly("WORK_AND_PLACES");
    }

    @Test
    void work_before_what_was_taken_elsewhere_is_found_there_although_nobody_was_woken()
            throws Exception {
        var there = new LinkedBlockingQueue<Lane>();
        try (var other = PostgresStore.open(TestPostgres.options(), schema);
                var listening = other.wakeups().listen(there::add)) {
            assertThat(listening).isNotNull();
            var works = submit(2);
            act(new OperatorCommand.Pause(works.getFirst()));
            hearsAll(there);
            var session = Session.of("worker", "there", LANE.name());
            other.sessions().open(session);
            var claims = other.claims();
            assertThat(claims.claim(new Claim(session.id(), 1, 1)).leases()).hasSize(1);

            served.add(LANE);
            act(new OperatorCommand.Resume(works.getFirst()));

            assertThat(hearsAll(there)).doesNotContain(LANE);
            assertThat(claims.claim(new Claim(session.id(), 2, 1)).leases())
                    .extracting(lease -> lease.fence().execution())
                    .containsExactly(works.getFirst());
        }
    }

    /** Waits until another process has heard all that was announced to it. */
    private List<Lane> hearsAll(BlockingQueue<Lane> there) throws InterruptedException {
        var heard = new ArrayList<Lane>();
        // What is announced together comes in any order, so one end is not enough.
        for (int i = 0; i < 2; i++) {
            var end = Lane.of("end-" + ++ends);
            while (!heard.contains(end)) {
                // Until it listens it hears nothing.
                submit(1, end);
                var next = there.poll(100, TimeUnit.MILLISECONDS);
                if (next != null) {
                    heard.add(next);
                }
            }
        }
        return heard;
    }

    /** What was announced of the lane until now. */
    private List<String> announced() throws Exception {
        var news = new ArrayList<String>();
        for (int i = 0; i < 2; i++) {
            var end = Lane.of("end-" + ++ends);
            submit(1, end);
            boolean ended = false;
            for (long since = System.nanoTime(); !ended; ) {
                assertThat(System.nanoTime() - since).as("nothing is heard").isLessThan(PATIENCE);
                for (var message : messages()) {
                    var words = message.split(" ", -1);
                    var lane = new String(Base64.getUrlDecoder().decode(words[3]), UTF_8);
                    ended |= lane.equals(end.name());
                    if (lane.equals(LANE.name())) {
                        news.add(words[1]);
                    }
                }
            }
        }
        return news;
    }

    private List<String> messages() throws SQLException {
        var heard = ear.unwrap(PGConnection.class).getNotifications(100);
        return heard == null
                ? List.of()
                : Stream.of(heard).map(PGNotification::getParameter).toList();
    }

    private List<ExecutionId> submit(int count) {
        return submit(count, LANE);
    }

    private List<ExecutionId> submit(int count, Lane lane) {
        var submissions =
                IntStream.range(0, count)
                        .mapToObj(i -> Submission.of("kind", Payload.EMPTY).lane(lane))
                        .toList();
        return store.submissions().submit(submissions).stream()
                .map(answer -> answer.orThrow().id())
                .toList();
    }

    private void act(OperatorCommand command) {
        store.operations().act(List.of(command), OLGA).forEach(Answer::orThrow);
    }
}
