package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Denied;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.operate.NamespaceSettings;
import io.flowfabric.core.operate.NamespaceView;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Namespaces: what a tenant can have otherwise than the others. */
abstract class NamespaceRules extends Rules {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Lane ELSEWHERE_BY_THE_SAME_NAME =
            new Lane(Scenario.ELSEWHERE, Lane.DEFAULT.name());
    private static final NamespaceSettings AN_HOUR = NamespaceSettings.DEFAULT.retention(HOUR);

    NamespaceRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_namespace_behaves_by_default_until_somebody_says_otherwise() {
        assertThat(world.store().namespaces().describe(Scenario.ELSEWHERE))
                .isEqualTo(new NamespaceView(Scenario.ELSEWHERE, NamespaceSettings.DEFAULT));

        assertThat(configure(Scenario.ELSEWHERE, AN_HOUR))
                .isEqualTo(new NamespaceView(Scenario.ELSEWHERE, AN_HOUR));

        assertThat(world.store().namespaces().describe(Scenario.ELSEWHERE))
                .isEqualTo(new NamespaceView(Scenario.ELSEWHERE, AN_HOUR));
        assertThat(world.store().namespaces().describe(Namespace.DEFAULT).settings())
                .isEqualTo(NamespaceSettings.DEFAULT);
    }

    @Test
    void a_namespace_says_how_long_its_work_is_kept_where_the_work_does_not() {
        configure(Scenario.ELSEWHERE, AN_HOUR);
        var elsewhere = new Lane(Scenario.ELSEWHERE, "default");
        var brief = world.submit(work().lane(elsewhere));
        var lasting =
                world.submit(work(Policy.DEFAULT.retention(HOUR.plusMillis(1))).lane(elsewhere));
        var here = world.submit();
        List.of(brief, lasting, here).forEach(world::cancel);

        world.pass(HOUR.minusMillis(1));
        assertThat(world.describe(brief)).isDone();
        world.pass(Duration.ofMillis(1));

        assertThat(world.describe(brief)).isNotFound("execution");
        assertThat(world.describe(lasting)).isDone();
        assertThat(world.describe(here)).isDone();
        world.pass(Duration.ofMillis(1));
        assertThat(world.describe(lasting)).isNotFound("execution");
        assertThat(world.describe(here)).isDone();
    }

    @Test
    void another_retention_holds_for_what_has_ended_already() {
        var work = world.submit();
        world.cancel(work);
        world.pass(HOUR);
        assertThat(world.describe(work)).isDone();

        configure(Namespace.DEFAULT, AN_HOUR);
        world.tick();

        assertThat(world.describe(work)).isNotFound("execution");
    }

    @Test
    void a_longer_retention_saves_what_would_have_been_forgotten() {
        configure(Namespace.DEFAULT, AN_HOUR);
        var work = world.submit();
        world.cancel(work);

        configure(Namespace.DEFAULT, AN_HOUR.retention(HOUR.multipliedBy(2)));
        world.pass(HOUR);

        assertThat(world.describe(work)).isDone();
        world.pass(HOUR);
        assertThat(world.describe(work)).isNotFound("execution");
    }

    @Test
    void namespaces_with_lanes_or_settings_are_listed_by_name() {
        var third = new Namespace("third");
        world.submit();
        world.submit(work().lane(new Lane(third, "somewhere")));
        configure(Scenario.ELSEWHERE, AN_HOUR);
        configure(third, AN_HOUR);

        for (int size = 1; size <= 4; size++) {
            int max = size;
            assertThat(Everything.pages(after -> world.store().namespaces().list(after, max)))
                    .containsExactly(
                            new NamespaceView(Namespace.DEFAULT, NamespaceSettings.DEFAULT),
                            new NamespaceView(Scenario.ELSEWHERE, AN_HOUR),
                            new NamespaceView(third, AN_HOUR));
        }
    }

    @Test
    void a_change_is_told_with_who_made_it_and_only_when_it_is_one() {
        var feed = world.feed(FeedFilter.of(Topic.OPERATIONS).namespace(Scenario.ELSEWHERE));

        configure(Scenario.ELSEWHERE, AN_HOUR);
        configure(Scenario.ELSEWHERE, AN_HOUR);
        configure(Namespace.DEFAULT, AN_HOUR);

        assertThat(feed.read())
                .containsExactly(
                        new Event.NamespaceChange(
                                Scenario.ELSEWHERE, AN_HOUR, Scenario.OLGA, world.now()));
    }

    @Test
    void a_listing_refuses_what_is_no_place_and_no_size() {
        var namespaces = world.store().namespaces();

        assertThat(asked(() -> namespaces.list(world.store().feeds().beginning(), 1)))
                .isInvalid(Invalid.Code.MALFORMED_CURSOR);
        for (int max : new int[] {-1, 0, 1001}) {
            assertThat(asked(() -> namespaces.list(Cursor.START, max)))
                    .isInvalid(Invalid.Code.OUT_OF_RANGE);
        }
    }

    // R24
    @Test
    void an_operator_leases_no_work_to_a_worker_of_another_namespace() {
        var work = world.submit();
        var stranger = world.worker(ELSEWHERE_BY_THE_SAME_NAME);
        var before = world.everything();

        assertThat(world.claimByHand(work, stranger))
                .isConflict(Conflict.Code.OTHER_NAMESPACE, work)
                .says("name a session of default");

        assertThat(world.everything()).isEqualTo(before);
        assertThat(world.claimByHand(work, world.worker())).isDone();
    }

    // R24
    @Test
    void work_that_lost_its_lease_is_granted_to_no_worker_of_another_namespace() {
        world.store().keys().first();
        var work = world.submit();
        var dying = world.frailWorker();
        dying.claimOne();
        world.bury(dying);
        var stranger = world.worker(ELSEWHERE_BY_THE_SAME_NAME);
        var before = world.everything();

        assertThat(stranger.reclaim(work))
                .isConflict(Conflict.Code.OTHER_NAMESPACE, work)
                .says("name a session of default");

        assertThat(world.everything()).isEqualTo(before);
        assertThat(world.worker().reclaim(work)).isDone();
    }

    // R24
    @Test
    void a_worker_of_another_namespace_is_granted_nothing_and_redeems_no_ticket_from_here() {
        world.store().keys().first();
        world.submit();
        var stranger = world.worker(ELSEWHERE_BY_THE_SAME_NAME);

        assertThat(stranger.granted(1, Grants.DEFAULT_TTL)).isEmpty();
        var worker = world.worker();
        var grant = worker.grantedOne();

        assertThat(stranger.redeem(grant)).isDenied(Denied.Code.UNKNOWN_GRANT);
        assertThat(worker.redeem(grant)).isDone();
    }

    // R24
    @Test
    void a_worker_spends_of_the_budgets_of_its_own_namespace_alone() {
        world.store()
                .budgets()
                .define(
                        Budget.of("team", "tokens", 100).namespace(Scenario.ELSEWHERE),
                        Scenario.OLGA);
        var fence = world.begun().fence();

        var answers =
                world.store()
                        .leases()
                        .spend(List.of(new UsageReport(fence, "team", "tokens", 1, "key")));

        assertThat(answers.getFirst()).isNotFound("budget");
    }

    private NamespaceView configure(Namespace namespace, NamespaceSettings settings) {
        return world.store().namespaces().configure(namespace, settings, Scenario.OLGA);
    }
}
