package io.flowfabric.core.decision;

import static io.flowfabric.core.Examples.NOON;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Lane;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.decision.LaneExplainer.Queue;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.query.LaneExplanation;
import io.flowfabric.core.query.LaneExplanation.Group;
import io.flowfabric.core.state.Situation;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

class LaneExplainerTest {
    private static final Attribution OLGA = new Attribution("olga", "spring cleaning");
    private static final Session MAILER = Session.of("mailer", "mailer-1", "emails");

    private static LaneView lane(LaneSettings.State state) {
        return new LaneView(
                Lane.of("emails"), LaneSettings.DEFAULT.state(state), NOON, "ada", NOON);
    }

    private static LaneExplanation explain(List<Queue> ready, Map<Situation, Long> others) {
        return LaneExplainer.explain(
                lane(LaneSettings.State.ACTIVE), Optional.empty(), ready, others, List.of(MAILER));
    }

    private static Queue queue(String kind, long executions, QuotaView... quotas) {
        return new Queue(kind, Capabilities.NONE, Optional.empty(), List.of(quotas), executions);
    }

    private static Queue behindFullQuota(int customer, long executions) {
        return queue(
                "mail",
                executions,
                new QuotaView(
                        Quota.atOnce("customer", 1),
                        QuotaUse.of("customer", "c" + customer),
                        1,
                        0,
                        Optional.empty()));
    }

    @Test
    void work_that_waits_for_the_same_is_counted_together() {
        var explanation = explain(List.of(queue("mail", 2), queue("fax", 3)), Map.of());

        assertThat(explanation.groups())
                .containsExactly(new Group(Situation.READY, "waiting for a worker", 5));
        assertThat(explanation.lane()).isEqualTo(lane(LaneSettings.State.ACTIVE));
    }

    @Test
    void ready_work_is_counted_where_its_first_obstacle_puts_it() {
        var needy = new Queue("mail", Capabilities.of("gpu"), Optional.empty(), List.of(), 4);
        var poor =
                new Queue(
                        "mail", Capabilities.NONE, Optional.of("budget team: spent"), List.of(), 3);

        assertThat(explain(List.of(queue("mail", 1), needy, poor, behindFullQuota(7, 2)), Map.of()))
                .extracting(LaneExplanation::groups)
                .isEqualTo(
                        List.of(
                                new Group(
                                        Situation.WITHOUT_WORKER,
                                        "needs gpu; 1 live worker in lane default/emails, which"
                                                + " lacks gpu",
                                        4),
                                new Group(Situation.SHORT_OF_BUDGET, "budget team: spent", 3),
                                new Group(
                                        Situation.OVER_QUOTA,
                                        "quota customer=c7: 1 of 1 running",
                                        2),
                                new Group(Situation.READY, "waiting for a worker", 1)));
    }

    @Test
    void all_ready_work_of_a_closed_lane_waits_for_it_to_open() {
        var explanation =
                LaneExplainer.explain(
                        lane(LaneSettings.State.PAUSED),
                        Optional.of(OLGA),
                        List.of(queue("mail", 2), behindFullQuota(7, 1)),
                        Map.of(Situation.RUNNING, 1L),
                        List.of());

        assertThat(explanation.by()).contains(OLGA);
        assertThat(explanation.groups())
                .containsExactly(
                        new Group(
                                Situation.LANE_CLOSED,
                                "lane default/emails is paused since %s, by olga: spring cleaning"
                                        .formatted(NOON),
                                3),
                        new Group(Situation.RUNNING, "running", 1));
    }

    @Test
    void other_situations_have_their_words_and_nothing_is_told_of_those_without_work() {
        var explanation =
                explain(
                        List.of(queue("mail", 0)),
                        Map.of(
                                Situation.DELAYED, 9L,
                                Situation.BACKING_OFF, 8L,
                                Situation.RESUMING_LATER, 7L,
                                Situation.AWAITING_CHILDREN, 6L,
                                Situation.HELD_BY_OPERATOR, 5L,
                                Situation.GRANTED, 4L,
                                Situation.RUNNING, 3L,
                                Situation.SUSPENDED, 2L));

        assertThat(explanation.groups())
                .extracting(Group::words)
                .containsExactly(
                        "delayed",
                        "backing off after a failure",
                        "resuming later",
                        "waiting for children",
                        "held by an operator",
                        "granted to a worker",
                        "running",
                        "suspended");
    }

    @Test
    void the_hundred_largest_groups_are_named_and_the_rest_is_counted_by_situation() {
        var customers =
                IntStream.rangeClosed(1, 102)
                        .mapToObj(customer -> behindFullQuota(customer, customer))
                        .toList();

        var explanation = explain(customers, Map.of(Situation.RUNNING, 1L));

        assertThat(explanation.groups()).hasSize(102);
        assertThat(explanation.groups().getFirst().words())
                .isEqualTo("quota customer=c102: 1 of 1 running");
        assertThat(explanation.groups().subList(0, 100))
                .isSortedAccordingTo((a, b) -> Long.compare(b.executions(), a.executions()));
        assertThat(explanation.groups().subList(100, 102))
                .containsExactlyInAnyOrder(
                        new Group(Situation.RUNNING, "running, as others do", 1),
                        new Group(Situation.OVER_QUOTA, "waiting for a quota, as others do", 3));
        assertThat(explanation.in(Situation.OVER_QUOTA)).isEqualTo(102 * 103 / 2);
        assertThat(explanation.in(Situation.RUNNING)).isEqualTo(1);
        assertThat(explanation.in(Situation.SUSPENDED)).isZero();
    }

    @Test
    void a_hundred_groups_are_all_named() {
        var customers =
                IntStream.rangeClosed(1, 100)
                        .mapToObj(customer -> behindFullQuota(customer, 1))
                        .toList();

        assertThat(explain(customers, Map.of()).groups())
                .hasSize(100)
                .noneMatch(group -> group.words().endsWith("as others do"));
    }
}
