package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.admission.QuotaRecount;
import io.flowfabric.core.admission.QuotaRecount.Drift;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/** What becomes of meters that somebody has written to past the store. */
class RecountTest {
    private static final QuotaUse MAIL = QuotaUse.of("mail");
    private static final Attribution OLGA = new Attribution("olga", "to see");
    private static final int KEYS = 10;
    private static final int CLAIMERS = 4;
    private static final int ROUNDS = 20;
    private static final Duration LONG = Duration.ofHours(1);

    private final SchemaName schema = TestPostgres.freshSchema();
    private final PostgresStore store = open();

    @BeforeEach
    void define() {
        store.quotas().define(Quota.atOnce("mail", 3), OLGA);
        store.quotas().define(Quota.atOnce("customer", 2), OLGA);
    }

    @AfterEach
    void close() throws SQLException {
        store.close();
        execute("drop schema %s cascade".formatted(schema));
    }

    private PostgresStore open() {
        return PostgresStore.open(TestPostgres.options().withConnections(3), schema);
    }

    @Test
    void a_meter_that_says_too_much_is_put_right_and_lets_work_in_again() throws SQLException {
        submit(Policy.DEFAULT.quota("mail"), 3);
        var session = session();
        assertThat(claim(session, 1, 1)).hasSize(1);
        damage(3, "mail");
        assertThat(claim(session, 2, 3)).isEmpty();

        assertThat(recount()).isEqualTo(new QuotaRecount(1, List.of(new Drift(MAIL, 3, 1))));

        assertThat(claim(session, 3, 3)).hasSize(2);
        assertThat(recount().drifts()).isEmpty();
    }

    @Test
    void what_was_put_right_is_told_once() throws SQLException {
        submit(Policy.DEFAULT.quota("mail"), 1);
        assertThat(claim(session(), 1, 1)).hasSize(1);
        damage(3, "mail");

        recount();
        recount();

        assertThat(told(Topic.EVERYTHING))
                .extracting(Event.Drifted::of, Event.Drifted::said, Event.Drifted::found)
                .containsExactly(tuple("quota mail", 3L, 1L));
        assertThat(told(Topic.OPERATIONS)).isEmpty();
    }

    private List<Event.Drifted> told(Topic topic) {
        var feeds = store.feeds();
        return feeds.read(FeedFilter.of(topic), feeds.beginning(), 100).entries().stream()
                .map(Feeds.Entry::event)
                .filter(Event.Drifted.class::isInstance)
                .map(Event.Drifted.class::cast)
                .toList();
    }

    @Test
    void a_meter_that_says_too_little_is_put_right_before_it_lets_too_much_in()
            throws SQLException {
        submit(Policy.DEFAULT.quota("mail"), 5);
        submit(Policy.DEFAULT.quota("mail").quota("customer", "ada"), 1);
        var session = session();
        var leases = claim(session, 1, 3);
        assertThat(leases).hasSize(3);
        damage(1, "mail");

        var recount = recount();

        assertThat(recount.drifts()).containsExactly(new Drift(MAIL, 1, 3));
        assertThat(recount.drift()).isEqualTo(2);
        assertThat(claim(session, 2, 3)).isEmpty();
        assertThat(end(leases)).allMatch(Answer.Done.class::isInstance);
    }

    @Test
    void counting_anew_beside_claims_and_endings_finds_nothing_to_put_right() throws Exception {
        for (int i = 0; i < ROUNDS * KEYS; i++) {
            submit(Policy.DEFAULT.quota("mail").quota("customer", "c" + i % KEYS), 1);
        }
        int counted = 0;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var claimers =
                    IntStream.range(0, CLAIMERS)
                            .<Callable<Integer>>mapToObj(i -> this::claimAndEndAll)
                            .map(threads::submit)
                            .toList();
            for (; claimers.stream().anyMatch(claimer -> !claimer.isDone()); counted++) {
                assertThat(recount().drifts()).isEmpty();
            }
            int ended = 0;
            for (var claimer : claimers) {
                ended += claimer.get();
            }
            assertThat(ended).isEqualTo(ROUNDS * KEYS);
        }
        assertThat(counted).isGreaterThan(CLAIMERS);
        assertThat(recount()).isEqualTo(new QuotaRecount(1 + KEYS, List.of()));
    }

    /** Each on connections of its own, until nothing is left. */
    private int claimAndEndAll() {
        try (var own = open()) {
            var session = session();
            int ended = 0;
            for (long number = 1; anyLeft(); number++) {
                var leases = own.claims().claim(new Claim(session.id(), number, 2)).leases();
                own.leases().end(endings(leases)).forEach(Answer::orThrow);
                ended += leases.size();
            }
            return ended;
        }
    }

    private boolean anyLeft() {
        return store.queries().counts(Namespace.DEFAULT).values().stream()
                .flatMap(lane -> lane.keySet().stream())
                .anyMatch(state -> !state.terminal());
    }

    private void submit(Policy policy, int count) {
        for (int i = 0; i < count; i++) {
            var work = Submission.of("welcome", Payload.EMPTY).policy(policy);
            store.submissions().submit(List.of(work)).getFirst().orThrow();
        }
    }

    private Session session() {
        var session = Session.of("mailer", "here", Lane.DEFAULT.name()).ttl(LONG);
        store.sessions().open(session);
        return session;
    }

    private List<Lease> claim(Session session, long number, int max) {
        return store.claims().claim(new Claim(session.id(), number, max)).leases();
    }

    private List<? extends Answer<?>> end(List<Lease> leases) {
        return store.leases().end(endings(leases));
    }

    private static List<Ending> endings(List<Lease> leases) {
        return leases.stream()
                .<Ending>map(lease -> new Ending.Complete(lease.fence(), Payload.EMPTY))
                .toList();
    }

    private QuotaRecount recount() {
        return store.quotas().recount(Namespace.DEFAULT);
    }

    private void damage(int running, String quota) throws SQLException {
        execute(
                "update %1$s.meter set running = %2$d where quota = (select id from %1$s.quota where name = '%3$s')"
                        .formatted(schema, running, quota));
    }

    private static void execute(String sql) throws SQLException {
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
