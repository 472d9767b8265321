package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.query.LaneExplanation;
import io.flowfabric.core.query.LaneExplanation.Group;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Rule 8: what waits in a lane, what is ahead of what, and what it all waits for. */
abstract class QueueingRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    QueueingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void what_is_ahead_is_what_is_claimed_first() {
        var works = new ArrayList<ExecutionId>();
        for (int priority : List.of(0, 5, 9000, 5, 0)) {
            works.add(world.submit(Policy.DEFAULT.priority(priority)));
        }
        var begun = world.submit(Policy.DEFAULT.priority(5));
        world.end(release(world.claimByHand(begun, world.worker()).orThrow())).orThrow();
        works.add(begun);

        var ahead = new TreeMap<Integer, ExecutionId>();
        works.forEach(work -> ahead.put(ahead(work), work));

        assertThat(ahead.keySet()).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(world.worker().takeOneByOne(6)).containsExactlyElementsOf(ahead.values());
    }

    @Test
    void with_ageing_the_order_of_the_lane_counts() {
        world.configure(Lane.DEFAULT, LaneSettings.DEFAULT.ageing(MINUTE));
        var old = world.submit();
        world.advance(MINUTE.multipliedBy(3));
        var urgent = world.submit(Policy.DEFAULT.priority(2));
        var moreUrgent = world.submit(Policy.DEFAULT.priority(4));

        assertThat(ahead(moreUrgent)).isZero();
        assertThat(ahead(old)).isEqualTo(1);
        assertThat(ahead(urgent)).isEqualTo(2);
    }

    @Test
    void only_what_the_same_workers_could_take_is_ahead() {
        world.submit(Policy.DEFAULT.needs(Capabilities.of("gpu")));
        world.submit(Submission.of("print", Payload.EMPTY));
        world.submit(work().lane(world.newLane()));
        world.submit(Policy.DEFAULT.start(Due.in(MINUTE)));
        world.submit(Policy.DEFAULT.deadline(Due.in(MINUTE)));
        var work = world.submit();
        assertThat(ahead(work)).as("without a worker: its like").isEqualTo(1);

        world.worker(world.session(Lane.DEFAULT).kinds("job").ttl(Duration.ofHours(1)));
        assertThat(ahead(work)).as("which does not print").isEqualTo(1);
        world.worker();
        assertThat(ahead(work)).as("which does").isEqualTo(2);
        world.worker(
                world.session(Lane.DEFAULT)
                        .offers(Capabilities.of("gpu"))
                        .ttl(Duration.ofHours(1)));
        assertThat(ahead(work)).as("and has a gpu").isEqualTo(3);

        world.advance(MINUTE);
        assertThat(ahead(work)).as("what has expired is not in the way").isEqualTo(2);
    }

    @Test
    void more_than_a_thousand_are_not_counted() {
        world.submit(Fact.Ahead.MOST, Given::work);
        var next = world.submit();
        var last = world.submit();

        assertThat(world.explain(next).facts(Fact.Ahead.class))
                .containsExactly(new Fact.Ahead(1000, false));
        assertThat(world.explain(last).facts(Fact.Ahead.class))
                .containsExactly(new Fact.Ahead(1000, true));
        assertThat(world.explain(last).words()).contains("more than 1,000 executions are ahead");
    }

    @Test
    void a_lane_that_nobody_knows_cannot_be_explained() {
        assertThat(asked(() -> world.explain(world.newLane()))).isNotFound("lane");
    }

    @Test
    void an_empty_lane_has_nothing_to_explain() {
        world.configure(Lane.DEFAULT, LaneSettings.State.ACTIVE);

        var explanation = world.explain(Lane.DEFAULT);

        assertThat(explanation)
                .isEqualTo(
                        new LaneExplanation(
                                world.store().lanes().describe(Lane.DEFAULT),
                                Optional.empty(),
                                List.of()));
    }

    @Test
    void a_lane_says_what_waits_for_what() {
        everySituation();

        assertThat(world.explain(Lane.DEFAULT).groups())
                .containsExactly(
                        new Group(Situation.READY, "waiting for a worker", 5),
                        new Group(
                                Situation.WITHOUT_WORKER,
                                "needs gpu; 1 live worker in lane default/default, which lacks gpu",
                                4),
                        new Group(Situation.DELAYED, "delayed", 3),
                        new Group(Situation.HELD_BY_OPERATOR, "held by an operator", 2),
                        new Group(Situation.BACKING_OFF, "backing off after a failure", 1),
                        new Group(Situation.RUNNING, "running", 1),
                        new Group(
                                Situation.WITHOUT_WORKER,
                                "needs tpu; 1 live worker in lane default/default, which lacks tpu",
                                1));
    }

    @Test
    void a_closed_lane_says_who_closed_it_and_how_much_waits_for_that() {
        everySituation();
        world.configure(Lane.DEFAULT, LaneSettings.State.PAUSED);

        var explanation = world.explain(Lane.DEFAULT);

        assertThat(explanation.by()).contains(Scenario.OLGA);
        assertThat(explanation.groups())
                .startsWith(
                        new Group(
                                Situation.LANE_CLOSED,
                                "lane default/default is paused since %s, by olga: she was asked to"
                                        .formatted(world.now()),
                                10));
        assertThat(explanation.in(Situation.READY)).isZero();
        assertThat(explanation.in(Situation.DELAYED)).isEqualTo(3);

        world.configure(Lane.DEFAULT, LaneSettings.State.DRAINING);
        assertThat(world.explain(Lane.DEFAULT).by()).contains(Scenario.OLGA);
        assertThat(world.explain(Lane.DEFAULT).in(Situation.READY)).isEqualTo(5);

        world.configure(Lane.DEFAULT, LaneSettings.State.ACTIVE);
        assertThat(world.explain(Lane.DEFAULT).by()).isEmpty();
    }

    @Test
    void what_a_lane_explains_is_what_is_counted_and_not_ended() {
        everySituation();
        var other = world.newLane();
        world.submit(3, () -> work().lane(other));

        for (var lane : List.of(Lane.DEFAULT, other)) {
            var counted = new TreeMap<>(counts(lane));
            counted.keySet().removeIf(PublicState::terminal);
            var explained = new TreeMap<PublicState, Long>();
            for (Group group : world.explain(lane).groups()) {
                explained.merge(group.situation().publicState(), group.executions(), Long::sum);
            }
            assertThat(explained).isEqualTo(counted);
        }
    }

    /** The default lane with a worker, and with all that can be there. */
    private void everySituation() {
        var worker = world.worker();
        world.submit(3, Given::work);
        var leases = worker.claim(3);
        world.end(retry(leases.get(0), MINUTE)).orThrow();
        world.end(complete(leases.get(1))).orThrow();
        world.submit(4, Given::work);
        world.submit(Submission.of("print", Payload.EMPTY));
        world.submit(4, () -> work(Policy.DEFAULT.needs(Capabilities.of("gpu"))));
        world.submit(Policy.DEFAULT.needs(Capabilities.of("tpu")));
        world.submit(3, () -> work(Policy.DEFAULT.start(Due.in(MINUTE))));
        world.submit(2, Given::work).forEach(world::pause);
        world.cancel(world.submit());
    }

    private Map<PublicState, Long> counts(Lane lane) {
        return world.store().queries().counts(lane.namespace()).getOrDefault(lane, Map.of());
    }

    private int ahead(ExecutionId execution) {
        return world.explain(execution).facts(Fact.Ahead.class).findFirst().orElseThrow().count();
    }
}
