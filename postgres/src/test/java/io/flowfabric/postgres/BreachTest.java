package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Budget.Enforcement;
import io.flowfabric.core.admission.BudgetRecount;
import io.flowfabric.core.admission.BudgetRecount.Drift;
import io.flowfabric.core.admission.BudgetView.Level;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Meters of budgets that say what nobody has followed up, or what is not so. */
class BreachTest {
    private static final Attribution OLGA = new Attribution("olga", "to see");
    private static final Budget TEAM =
            Budget.of("team", "tokens", 100).enforcement(Enforcement.CANCEL);

    private final SchemaName schema = TestPostgres.freshSchema();
    private final PostgresStore store =
            PostgresStore.open(TestPostgres.options().withConnections(3), schema);
    private final Session session =
            Session.of("mailer", "here", Lane.DEFAULT.name()).ttl(Duration.ofHours(1));
    private long claims;

    @BeforeEach
    void define() {
        store.budgets().define(TEAM, OLGA);
        store.sessions().open(session);
    }

    @AfterEach
    void close() throws SQLException {
        store.close();
        execute("drop schema %s cascade".formatted(schema));
    }

    @Test
    void what_a_reporter_did_not_live_to_cancel_the_timers_do() throws SQLException {
        submit(3);
        var leases = claim(3);
        // As its report leaves it, when it dies right after the commit.
        damage("used = 100");
        submit(1);

        assertThat(store.maintenance().tick(Chore.TIMERS, 2).processed()).isEqualTo(2);
        assertThat(store.maintenance().tick(Chore.TIMERS, 2).processed()).isEqualTo(1);
        assertThat(store.maintenance().tick(Chore.TIMERS, 2).processed()).isZero();

        assertThat(leases)
                .allSatisfy(lease -> assertThat(state(lease)).isEqualTo(PublicState.CANCELLED));
        assertThat(level()).isEqualTo(new Level(100, 0));
        assertThat(claim(1)).as("what waits, waits").isEmpty();
    }

    @Test
    void one_that_cannot_be_cancelled_keeps_none_of_the_others() throws SQLException {
        submit(3);
        var leases = claim(3);
        var stubborn = leases.get(1);
        execute(
                "alter table %s.execution add check (id <> '%s' or situation <> 'cancelled')"
                        .formatted(schema, stubborn.fence().execution().uuid()));
        damage("used = 100");

        var round = store.maintenance().tick(Chore.TIMERS, 10);

        assertThat(round.processed()).isEqualTo(2);
        assertThat(round.errors()).isEqualTo(1);
        assertThat(leases)
                .filteredOn(lease -> !lease.equals(stubborn))
                .allSatisfy(lease -> assertThat(state(lease)).isEqualTo(PublicState.CANCELLED));
        assertThat(store.maintenance().tick(Chore.TIMERS, 10).errors())
                .as("it is left alone for a minute")
                .isZero();
    }

    @Test
    void a_budget_that_says_too_much_is_set_aside_is_put_right_and_lets_work_in_again()
            throws SQLException {
        submit(3);
        assertThat(claim(1)).hasSize(1);
        damage("reserved = 100");
        assertThat(claim(3)).isEmpty();

        var recount = recount();

        assertThat(recount)
                .isEqualTo(new BudgetRecount(1, List.of(new Drift("team", "tokens", 100, 30))));
        assertThat(recount.drift()).isEqualTo(70);
        assertThat(told()).containsExactly("budget team: tokens said 100, found 30");
        assertThat(claim(3)).hasSize(2);
        assertThat(recount().drifts()).isEmpty();
    }

    @Test
    void a_budget_that_says_too_little_is_set_aside_is_put_right_before_it_lets_too_much_in()
            throws SQLException {
        submit(4);
        assertThat(claim(4)).hasSize(3);
        damage("reserved = 0, running = 0");

        assertThat(recount().drifts()).containsExactly(new Drift("team", "tokens", 0, 90));

        assertThat(claim(1)).isEmpty();
        damage("used = 100");
        assertThat(store.maintenance().tick(Chore.TIMERS, 10).processed())
                .as("it also knows again that something runs")
                .isEqualTo(3);
    }

    private void submit(int count) {
        var policy = Policy.DEFAULT.budget("team", Map.of("tokens", 30L));
        store.submissions()
                .submit(
                        Stream.generate(
                                        () ->
                                                Submission.of("welcome", Payload.EMPTY)
                                                        .policy(policy))
                                .limit(count)
                                .toList());
    }

    private List<Lease> claim(int max) {
        return store.claims().claim(new Claim(session.id(), ++claims, max)).leases();
    }

    private PublicState state(Lease lease) {
        var id = lease.fence().execution();
        var view = store.queries().describe(List.of(id)).getFirst().orThrow();
        return view.state().publicState();
    }

    private Level level() {
        return store.budgets()
                .describe(Namespace.DEFAULT, "team")
                .levels()
                .getOrDefault("tokens", Level.ZERO);
    }

    private List<String> told() {
        var feeds = store.feeds();
        return feeds
                .read(FeedFilter.of(Topic.EVERYTHING), feeds.beginning(), 100)
                .entries()
                .stream()
                .map(Feeds.Entry::event)
                .filter(Event.Drifted.class::isInstance)
                .map(Event.Drifted.class::cast)
                .map(d -> "%s said %d, found %d".formatted(d.of(), d.said(), d.found()))
                .toList();
    }

    private BudgetRecount recount() {
        return store.budgets().recount(Namespace.DEFAULT);
    }

    private void damage(String change) throws SQLException {
        execute("update %s.meter set %s".formatted(schema, change));
    }

    private static void execute(String sql) throws SQLException {
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
