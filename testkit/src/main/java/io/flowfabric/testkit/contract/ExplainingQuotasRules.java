package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.query.LaneExplanation;
import io.flowfabric.core.query.LaneExplanation.Group;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.StateVector.BlockingReason;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Rule 8: work that a quota holds back says by how much, and is in the way of no other work. */
abstract class ExplainingQuotasRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Quota CUSTOMER = Quota.atOnce("customer", 1);
    private static final Quota MAIL = Quota.rate("mail", 1, MINUTE);
    private static final Policy OF_42 = Policy.DEFAULT.quota("customer", "42");

    ExplainingQuotasRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void work_behind_a_full_quota_says_what_is_full() {
        define(CUSTOMER);
        world.submit(OF_42);
        world.worker().claimOne();
        var work = world.submit(OF_42);

        var explanation = world.explain(work);

        assertThat(explanation.words()).isEqualTo("quota customer=42: 1 of 1 running");
        assertThat(explanation.state()).isEqualTo(world.view(work).state());
        assertThat(explanation.reason()).isEqualTo(BlockingReason.WAITING_FOR_QUOTA);
        assertThat(explanation.nextTry()).as("whenever the other one ends").isEmpty();
        assertThat(explanation.facts())
                .startsWith(
                        new Fact.Quota(full(CUSTOMER, QuotaUse.of("customer", "42"))),
                        new Fact.Workers(Lane.DEFAULT, 1, 1, 1, Optional.empty()));
    }

    @Test
    void work_behind_a_full_rate_says_when_it_can_be_tried() {
        define(MAIL);
        define(CUSTOMER);
        world.submit(Policy.DEFAULT.quota("mail"));
        world.worker().claimOne();
        var opens = world.in(MINUTE);
        var work = world.submit(OF_42.quota("mail"));

        var explanation = world.explain(work);
        assertThat(explanation.words())
                .isEqualTo("quota mail: 1 of 1 started within PT1M, the next at " + opens);
        assertThat(explanation.nextTry()).contains(opens);
        assertThat(explanation.facts(Fact.Quota.class))
                .extracting(Fact::words)
                .as("the one that holds it back first")
                .containsExactly(explanation.words(), "quota customer=42: 0 running, 0 started");

        world.submit(OF_42);
        world.worker().claimOne();
        assertThat(world.explain(work).nextTry()).as("a time is not all it waits for").isEmpty();

        world.advance(MINUTE);
        assertThat(world.explain(work).words()).isEqualTo("quota customer=42: 1 of 1 running");
    }

    @Test
    void quotas_are_among_the_facts_of_what_is_held_back_by_something_else() {
        define(CUSTOMER);
        var needy = world.submit(OF_42.needs(Capabilities.of("gpu")));
        var ready = world.submit(OF_42);
        world.worker();
        var open = "quota customer=42: 0 running, 0 started";

        assertThat(world.explain(needy).facts()).extracting(Fact::words).contains(open);
        assertThat(world.explain(ready).facts()).extracting(Fact::words).contains(open);
        assertThat(world.explain(ready).words()).startsWith("ready: ");
        world.configure(Lane.DEFAULT, LaneSettings.State.PAUSED);
        assertThat(world.explain(ready).facts()).extracting(Fact::words).contains(open);
    }

    @Test
    void what_a_quota_holds_back_is_not_ahead() {
        define(CUSTOMER);
        world.submit(OF_42);
        world.worker().claimOne();
        world.submit(5, () -> work(OF_42.priority(9)));
        world.submit(2, () -> work(Policy.DEFAULT.quota("customer", "43").priority(9)));
        var work = world.submit();

        assertThat(world.explain(work).facts()).contains(Fact.Ahead.of(2));
    }

    @Test
    void a_lane_counts_what_waits_for_each_quota() {
        define(CUSTOMER);
        world.submit(OF_42);
        world.worker().claimOne();
        world.submit(3, () -> work(OF_42));
        world.submit(Policy.DEFAULT.quota("customer", "43"));
        world.submit(2, () -> work(OF_42.needs(Capabilities.of("gpu"))));

        assertThat(world.explain(Lane.DEFAULT).groups())
                .containsExactly(
                        new Group(Situation.OVER_QUOTA, "quota customer=42: 1 of 1 running", 3),
                        new Group(
                                Situation.WITHOUT_WORKER,
                                "needs gpu; 1 live worker in lane default/default, which lacks gpu",
                                2),
                        new Group(Situation.READY, "waiting for a worker", 1),
                        new Group(Situation.RUNNING, "running", 1));
    }

    @Test
    void a_lane_names_the_largest_reasons_and_counts_the_rest() {
        define(Quota.atOnce("customer", 0));
        int customers = LaneExplanation.MOST_NAMED + 5;
        for (int i = 0; i < customers; i++) {
            var policy = Policy.DEFAULT.quota("customer", "number-" + i);
            world.submit(i < 2 ? 2 : 1, () -> work(policy));
        }

        var explanation = world.explain(Lane.DEFAULT);

        assertThat(explanation.groups()).hasSize(LaneExplanation.MOST_NAMED + 1);
        assertThat(explanation.groups())
                .startsWith(
                        new Group(
                                Situation.OVER_QUOTA, "quota customer=number-0: 0 of 0 running", 2))
                .endsWith(new Group(Situation.OVER_QUOTA, "waiting for a quota, as others do", 5));
        assertThat(explanation.in(Situation.OVER_QUOTA))
                .isEqualTo(customers + 2)
                .isEqualTo(
                        world.store()
                                .queries()
                                .counts(Namespace.DEFAULT)
                                .getOrDefault(Lane.DEFAULT, Map.of())
                                .get(PublicState.RATE_LIMITED));
    }

    private void define(Quota quota) {
        world.store().quotas().define(quota, Scenario.OLGA);
    }

    private static QuotaView full(Quota quota, QuotaUse use) {
        return new QuotaView(quota, use, 1, 0, Optional.empty());
    }
}
