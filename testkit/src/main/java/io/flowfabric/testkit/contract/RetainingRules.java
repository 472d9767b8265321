package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Rule 20: everything is kept until its retention ends, and then it is gone everywhere. */
abstract class RetainingRules extends Rules {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final Policy AN_HOUR = Policy.DEFAULT.retention(HOUR);

    RetainingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void what_has_ended_is_kept_until_its_retention_ends() {
        var lease = world.begun(AN_HOUR);
        world.end(complete(lease)).orThrow();
        var view = world.view(lease);
        var result = world.result(idOf(lease)).orThrow();

        world.pass(HOUR.minus(MOMENT));

        assertThat(world.describe(idOf(lease))).isDone(view);
        assertThat(world.result(idOf(lease))).isDone(result);
        assertThat(world.transitions(idOf(lease))).hasSize(3);
    }

    @Test
    void what_is_forgotten_is_gone_everywhere() {
        var lease = world.begun(AN_HOUR);
        world.end(complete(lease)).orThrow();
        var work = idOf(lease);

        world.pass(HOUR);

        var queries = world.store().queries();
        assertThat(world.describe(work)).isNotFound("execution");
        assertThat(world.result(work)).isNotFound("execution");
        assertThat(queries.inputs(List.of(work)).getFirst()).isNotFound("execution");
        assertThat(asked(() -> queries.history(work))).isNotFound("execution");
        assertThat(world.act(new OperatorCommand.Replay(work))).isNotFound("execution");
        assertThat(world.end(complete(lease))).isNotFound("execution");
        assertThat(world.find(Search.in(Namespace.DEFAULT))).isEmpty();
        assertThat(queries.counts(Namespace.DEFAULT)).isEmpty();
    }

    @Test
    void an_id_is_free_again_when_its_execution_is_forgotten() {
        var submission = work(AN_HOUR);
        world.submit(submission);
        world.cancel(submission.id());

        world.pass(HOUR);

        assertThat(world.offer(submission.creator("somebody else")))
                .isDone(new Submitted(submission.id(), true));
        assertThat(world.view(submission.id())).hasBegun(0);
        assertThat(world.transitions(submission.id())).containsExactly(Transition.SUBMIT);
        assertThat(world.worker().take(1)).containsExactly(submission.id());
    }

    @Test
    void a_key_that_is_forgotten_in_one_namespace_is_kept_in_the_others() {
        var here = work(AN_HOUR).key("order-7");
        var there = here.id(ExecutionId.mint()).lane(new Lane(Scenario.ELSEWHERE, "default"));
        world.submit(here);
        world.submit(there);
        world.cancel(here.id());

        world.pass(HOUR);

        var again = here.id(ExecutionId.mint());
        assertThat(world.offer(again)).isDone(new Submitted(again.id(), true));
        assertThat(world.offer(there.id(ExecutionId.mint())))
                .isDone(new Submitted(there.id(), false));
    }

    @Test
    void the_time_is_counted_from_the_end_and_not_from_the_submission() {
        var work = world.submit(AN_HOUR.start(Due.in(HOUR.multipliedBy(3))));
        world.pass(HOUR.multipliedBy(2));
        assertThat(world.describe(work)).isDone();
        world.cancel(work);

        world.pass(HOUR.minus(MOMENT));
        assertThat(world.describe(work)).isDone();

        world.pass(MOMENT);
        assertThat(world.describe(work)).isNotFound("execution");
    }

    @Test
    void what_has_not_ended_is_never_forgotten() {
        var work = world.submit(Policy.DEFAULT.retention(Duration.ZERO));

        world.pass(Duration.ofDays(365));

        assertThat(world.describe(work)).isDone();
        assertThat(world.worker().take(1)).containsExactly(work);
    }

    @Test
    void work_that_is_not_kept_at_all_is_gone_with_the_next_round() {
        var work = world.submit(Policy.DEFAULT.retention(Duration.ZERO));
        world.cancel(work);
        assertThat(world.describe(work)).isDone();

        world.tick();

        assertThat(world.describe(work)).isNotFound("execution");
    }

    @Test
    void others_are_kept_when_one_is_forgotten() {
        var brief = world.submit(AN_HOUR);
        var lasting = world.submit(AN_HOUR.retention(HOUR.plus(MOMENT)));
        world.cancel(brief);
        world.cancel(lasting);

        world.pass(HOUR);

        assertThat(world.find(Search.in(Namespace.DEFAULT))).containsExactly(lasting);
    }

    @Test
    void others_of_the_same_moment_are_still_found_by_their_tags_when_one_is_forgotten() {
        var gone = world.submit(work(AN_HOUR).tag("colour", "red"));
        var left = world.submit(work(AN_HOUR).tag("colour", "red"));
        world.cancel(gone);

        world.pass(HOUR);

        assertThat(world.describe(gone)).isNotFound("execution");
        assertThat(world.find(Search.in(Namespace.DEFAULT).tag("colour", "red")))
                .containsExactly(left);
    }

    @Test
    void a_round_forgets_no_more_than_its_limit() {
        world.submit(5, () -> work(AN_HOUR)).forEach(world::cancel);
        world.advance(HOUR);

        var round = world.tick(Chore.RETENTION, 2);

        assertThat(round.processed()).isEqualTo(2);
        assertThat(round.more()).isTrue();
        assertThat(world.find(Search.in(Namespace.DEFAULT))).hasSize(3);
        world.tick();
        assertThat(world.find(Search.in(Namespace.DEFAULT))).isEmpty();
    }
}
