package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.fail;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idIn;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.unknown;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** What has ended can be forgotten on demand, and nothing but that is told of it afterwards. */
abstract class ErasingRules extends Rules {
    private static final FeedFilter EVERYTHING = FeedFilter.of(Topic.EVERYTHING);

    ErasingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void what_is_erased_is_gone_everywhere() {
        var lease = world.begun();
        world.end(complete(lease)).orThrow();
        var work = idOf(lease);

        assertThat(erase(work)).isDone(work);

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
    void all_that_is_told_of_it_is_that_it_was_erased_and_by_whom() {
        var lane = world.newLane();
        var work = world.submit(work().lane(lane).tag("customer", "ada"));
        world.end(fail(world.worker(lane).claimOne())).orThrow();
        world.advance(Duration.ofSeconds(1));

        erase(work).orThrow();

        var erased = new Event.Erased(work, lane, Scenario.OLGA, world.now());
        assertThat(world.wholeFeed(EVERYTHING).read()).containsExactly(erased);
        assertThat(world.wholeFeed(FeedFilter.of(Topic.OPERATIONS)).read()).containsExactly(erased);
        assertThat(world.wholeFeed(FeedFilter.of(Topic.COMPLETIONS)).read()).isEmpty();
        assertThat(world.wholeFeed(EVERYTHING.lane(lane)).read()).containsExactly(erased);
        assertThat(world.wholeFeed(EVERYTHING.tag("customer", "ada")).read()).isEmpty();
    }

    @Test
    void a_reader_of_a_feed_goes_on_over_what_was_erased() {
        var erased = world.submit();
        var kept = world.submit();
        world.cancel(erased);
        var feed = world.wholeFeed(EVERYTHING);
        var read = world.store().feeds().read(EVERYTHING, feed.cursor(), 1);
        var inTheMiddle = FeedReader.from(world.store().feeds(), EVERYTHING, read.next());
        world.cancel(kept);

        erase(erased).orThrow();

        assertThat(inTheMiddle.read())
                .containsExactly(
                        world.steps(kept).get(0),
                        world.steps(kept).get(1),
                        new Event.Erased(erased, Lane.DEFAULT, Scenario.OLGA, world.now()));
        assertThat(feed.read()).hasSize(3);
        assertThat(feed.read()).isEmpty();
    }

    @Test
    void its_key_is_free_again() {
        var first = world.submit(work().key("order-7"));
        world.cancel(first);
        erase(first).orThrow();

        var again = work().key("order-7").creator("somebody else");

        assertThat(world.offer(again)).isDone(new Submitted(again.id(), true));
    }

    @Test
    void the_same_key_in_another_namespace_stays_taken() {
        var here = work().key("order-7");
        var there = here.id(ExecutionId.mint()).lane(new Lane(Scenario.ELSEWHERE, "default"));
        world.submit(here);
        world.submit(there);
        world.cancel(here.id());
        erase(here.id()).orThrow();

        assertThat(world.offer(there.id(ExecutionId.mint())))
                .isDone(new Submitted(there.id(), false));
    }

    @Test
    void its_id_is_free_again_and_a_new_life_begins_with_its_own_history() {
        var submission = work();
        world.submit(submission);
        world.cancel(submission.id());
        erase(submission.id()).orThrow();

        assertThat(world.offer(submission)).isDone(new Submitted(submission.id(), true));
        assertThat(world.transitions(submission.id())).containsExactly(Transition.SUBMIT);
        assertThat(world.store().queries().history(submission.id())).hasSize(1);

        world.cancel(submission.id());
        erase(submission.id()).orThrow();
        assertThat(world.wholeFeed(EVERYTHING).read())
                .as("both erasures")
                .hasSize(2)
                .allMatch(Event.Erased.class::isInstance);
    }

    @Test
    void the_end_of_its_retention_changes_nothing_any_more() {
        var work = world.submit(Policy.DEFAULT.retention(Duration.ofHours(1)));
        var other = world.submit(Policy.DEFAULT.retention(Duration.ofHours(2)));
        world.cancel(work);
        world.cancel(other);
        erase(work).orThrow();
        var before = world.everything();

        world.pass(Duration.ofHours(1));

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void what_has_not_ended_is_not_erased() {
        var waiting = world.submit();
        var running = idOf(world.begun());
        var replayed = world.submit();
        world.cancel(replayed);
        world.replay(replayed);
        var before = world.everything();

        for (var work : List.of(waiting, running, replayed)) {
            assertThat(erase(work)).isConflict(Conflict.Code.NOT_FINISHED, work);
        }

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void what_is_not_there_is_not_found_and_neither_is_what_was_erased_before() {
        var work = world.submit(work().id(idIn(7)));
        world.cancel(work);
        var elsewhere = new ExecutionId(idIn(8).partition(), work.uuid());

        assertThat(erase(unknown())).isNotFound("execution");
        assertThat(erase(elsewhere)).isNotFound("execution");
        assertThat(erase(work)).isDone();
        assertThat(erase(work)).isNotFound("execution");
    }

    @Test
    void one_refusal_never_keeps_the_others() {
        var ended = world.submit(2, Given::work);
        ended.forEach(world::cancel);
        var waiting = world.submit();
        var batch = List.of(ended.get(0), waiting, ended.get(1), ended.get(0));

        var answers = world.store().operations().erase(batch, Scenario.OLGA);

        assertThat(answers.get(0)).isDone(ended.get(0));
        assertThat(answers.get(1)).isConflict(Conflict.Code.NOT_FINISHED);
        assertThat(answers.get(2)).isDone(ended.get(1));
        assertThat(answers.get(3)).isNotFound("execution");
        assertThat(world.find(Search.in(Namespace.DEFAULT))).containsExactly(waiting);
    }

    @Test
    void what_is_erased_and_replayed_at_once_is_one_of_them() {
        for (int round = 0; round < 25; round++) {
            var work = world.submit(work().lane(world.newLane()));
            world.cancel(work);

            var answers =
                    Crowd.<Answer<?>>together(
                            List.of(
                                    () -> erase(work),
                                    () -> world.act(new OperatorCommand.Replay(work))));

            if (answers.get(0).isDone()) {
                assertThat(answers.get(1)).isNotFound("execution");
                assertThat(world.describe(work)).isNotFound("execution");
            } else {
                assertThat(answers.get(0)).isConflict(Conflict.Code.NOT_FINISHED);
                assertThat(world.worker(world.view(work).lane()).take(1)).containsExactly(work);
            }
        }
    }

    private Answer<ExecutionId> erase(ExecutionId work) {
        return world.store().operations().erase(List.of(work), Scenario.OLGA).getFirst();
    }
}
