package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Denied;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.KeyUse;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Rule 1, of keys: what becomes of a submission whose key an execution has already. */
abstract class KeyUseRules extends Rules {
    private static final String KEY = "report-7";

    KeyUseRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void work_that_is_wanted_if_absent_is_answered_with_what_is_there_whatever_its_content() {
        var first = world.submit(work().key(KEY));
        var before = world.everything();

        var other = work().creator("another").tag("colour", "red").key(KEY, KeyUse.IF_ABSENT);

        assertThat(world.offer(other)).isDone(new Submitted(first, false));
        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void work_that_is_wanted_if_absent_is_answered_so_as_long_as_what_is_there_is_kept() {
        var first = world.submit(work().key(KEY, KeyUse.IF_ABSENT));
        world.end(complete(world.worker().claimOne())).orThrow();

        assertThat(world.offer(work().creator("another").key(KEY, KeyUse.IF_ABSENT)))
                .isDone(new Submitted(first, false));
    }

    @Test
    void work_that_is_unique_while_pending_is_answered_with_what_has_not_ended() {
        var first = world.submit(pending());
        var repeats =
                Stream.<Runnable>of(
                        () -> {},
                        () -> world.pause(first),
                        () -> world.resume(first),
                        () -> world.worker().claimOne());

        repeats.forEach(
                change -> {
                    change.run();
                    assertThat(world.offer(pending().creator("another")))
                            .isDone(new Submitted(first, false));
                });
        assertThat(world.find(Search.in(Lane.DEFAULT.namespace()))).containsExactly(first);
    }

    @Test
    void delayed_work_has_not_ended() {
        var first =
                world.submit(pending().policy(Policy.DEFAULT.start(Due.in(Duration.ofHours(1)))));

        assertThat(world.offer(pending())).isDone(new Submitted(first, false));
    }

    @Test
    void once_it_has_ended_the_next_takes_the_key_over() {
        var first = world.submit(pending());
        world.end(complete(world.worker().claimOne())).orThrow();

        var second = pending();
        assertThat(world.offer(second)).isDone(new Submitted(second.id(), true));

        assertThat(world.offer(pending())).isDone(new Submitted(second.id(), false));
        assertThat(world.worker().take(2)).containsExactly(second.id());
        assertThat(world.view(first).key()).as("what it was submitted with").contains(KEY);
        assertThat(world.view(second.id()).key()).contains(KEY);
    }

    @Test
    void however_it_ended_the_next_takes_the_key_over() {
        for (int turn = 0; turn < 3; turn++) {
            var next = pending();
            assertThat(world.offer(next)).isDone(new Submitted(next.id(), true));
            world.cancel(next.id());
        }
    }

    @Test
    void a_key_is_taken_over_within_one_call() {
        var first = world.submit(pending());
        world.cancel(first);
        var second = pending();
        var third = pending();

        var answers = world.store().submissions().submit(List.of(second, third, work()));

        assertThat(answers.get(0)).isDone(new Submitted(second.id(), true));
        assertThat(answers.get(1)).isDone(new Submitted(second.id(), false));
        assertThat(answers.get(2).orThrow().created()).isTrue();
    }

    @Test
    void a_repeat_by_its_id_is_the_same_submission_after_it_has_ended() {
        var once = pending();
        world.submit(once);
        world.cancel(once.id());

        assertThat(world.offer(once)).isDone(new Submitted(once.id(), false));
        var next = pending();
        world.submit(next);
        assertThat(world.offer(once)).isDone(new Submitted(once.id(), false));
        assertThat(world.offer(pending())).isDone(new Submitted(next.id(), false));
    }

    @Test
    void the_submission_says_how_a_key_is_used_and_not_what_has_it() {
        var first = world.submit(work().key(KEY));
        world.cancel(first);

        assertThat(world.offer(work().creator("another").key(KEY)))
                .isConflict(Conflict.Code.KEY_TAKEN, first);
        var second = pending().creator("another");
        assertThat(world.offer(second)).isDone(new Submitted(second.id(), true));
        assertThat(world.offer(work().key(KEY))).isConflict(Conflict.Code.KEY_TAKEN, second.id());
    }

    @Test
    void what_was_replayed_runs_without_the_key_that_was_taken_over() {
        var first = world.submit(pending());
        world.end(complete(world.worker().claimOne())).orThrow();
        var second = pending();
        world.submit(second);

        world.replay(first);

        assertThat(world.offer(pending())).isDone(new Submitted(second.id(), false));
        world.cancel(second.id());
        var third = pending();
        assertThat(world.offer(third)).isDone(new Submitted(third.id(), true));
        assertThat(world.view(first).state().publicState()).isNotEqualTo(PublicState.COMPLETED);
    }

    @Test
    void what_was_replayed_before_the_key_was_taken_over_has_it_still() {
        var first = world.submit(pending());
        world.end(complete(world.worker().claimOne())).orThrow();
        world.replay(first);

        assertThat(world.offer(pending())).isDone(new Submitted(first, false));
    }

    @Test
    void what_is_forgotten_takes_no_key_with_it_that_was_taken_over() {
        var brief = Policy.DEFAULT.retention(Duration.ofMinutes(1));
        var first = world.submit(pending().policy(brief));
        world.cancel(first);
        var second = pending();
        world.submit(second);

        world.advance(Duration.ofMinutes(2));
        world.tick(Chore.RETENTION, 100);

        assertThat(world.describe(first)).isNotFound("execution");
        assertThat(world.offer(pending())).isDone(new Submitted(second.id(), false));
    }

    @Test
    void what_is_erased_takes_no_key_with_it_that_was_taken_over() {
        var first = world.submit(pending());
        world.cancel(first);
        var second = pending();
        world.submit(second);

        world.store().operations().erase(List.of(first), Scenario.OLGA).forEach(Answer::orThrow);

        assertThat(world.offer(pending())).isDone(new Submitted(second.id(), false));
    }

    @Test
    void a_refused_submission_takes_no_key_over() {
        var first = world.submit(pending());
        world.cancel(first);
        world.configure(Lane.DEFAULT, LaneSettings.State.DRAINING);

        assertThat(world.offer(pending())).isDenied(Denied.Code.LANE_CLOSED);

        world.configure(Lane.DEFAULT, LaneSettings.State.ACTIVE);
        assertThat(world.offer(work().creator("another").key(KEY)))
                .isConflict(Conflict.Code.KEY_TAKEN, first);
    }

    @Test
    void of_many_that_race_for_a_key_one_creates_and_the_others_are_answered_with_it() {
        for (int turn = 0; turn < 5; turn++) {
            var answers = Crowd.of(4, member -> world.offer(pending()).orThrow());

            var ids = answers.stream().map(Submitted::id).distinct().toList();
            assertThat(ids).hasSize(1);
            assertThat(answers).filteredOn(Submitted::created).hasSize(1);
            world.cancel(ids.getFirst());
        }
    }

    private static Submission pending() {
        return work().id(ExecutionId.mint()).key(KEY, KeyUse.WHILE_PENDING);
    }
}
