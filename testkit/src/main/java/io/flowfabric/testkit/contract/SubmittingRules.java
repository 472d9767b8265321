package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.delay;
import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idIn;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Denied;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Rule 1: what is submitted can run, once. */
abstract class SubmittingRules extends Rules {
    /** A change of one thing about a submission that is not its id or its key. */
    private record OtherContent(String part, UnaryOperator<Submission> change) {}

    private static final List<OtherContent> OTHER_CONTENT =
            List.of(
                    new OtherContent("kind", it -> copy(it, "another-kind", it.input())),
                    new OtherContent("input", it -> copy(it, it.kind(), Payload.text("another"))),
                    new OtherContent(
                            "input",
                            it -> copy(it, it.kind(), Payload.of(it.input().bytes(), "text/html"))),
                    new OtherContent("lane", it -> it.lane(Lane.of("another-lane"))),
                    new OtherContent("creator", it -> it.creator("another creator")),
                    new OtherContent("tags", it -> it.tag("another", "tag")),
                    new OtherContent(
                            "priority of the policy", it -> it.policy(it.policy().priority(1))),
                    new OtherContent(
                            "deadline of the policy",
                            it -> it.policy(it.policy().deadline(Due.in(Duration.ofDays(1))))));

    SubmittingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    @BatchAnswers("P1")
    void submitted_work_is_claimed_and_finished_with_nothing_in_between() {
        var work = world.submit();

        var lease = world.worker().claimOne();
        var ended = world.end(complete(lease));

        assertThat(lease.fence()).isEqualTo(world.fence(work, 0, 1));
        assertThat(ended).isDone();
        assertThat(world.view(work)).endedAs(Outcome.SUCCESS).hasBegun(1);
    }

    @Test
    void a_submission_of_one_answers_as_a_list_of_one_does_or_throws_its_refusal() {
        var work = work().key("one");

        assertThat(world.store().submit(work)).isEqualTo(new Submitted(work.id(), true));
        assertThat(world.store().submit(work)).isEqualTo(new Submitted(work.id(), false));
        assertThatThrownBy(() -> world.store().submit(work.creator("another creator")))
                .isInstanceOf(Conflict.class);
    }

    @Test
    @BatchAnswers({"P6", "P7"})
    void work_that_was_begun_is_claimed_again_like_any_other() {
        var released = world.begun();
        var delayed = world.begun();
        var retried = world.begun();
        var lapsed = world.begun();

        world.end(release(released)).orThrow();
        world.end(delay(delayed, Duration.ofMinutes(1))).orThrow();
        world.end(retry(retried, Duration.ofMinutes(1))).orThrow();
        world.store().sessions().close(lapsed.session());
        world.pass(Duration.ofMinutes(1));

        for (var lease : List.of(released, delayed, retried, lapsed)) {
            var again = world.worker(lease.lane()).claimOne();
            assertThat(again.fence().execution()).isEqualTo(lease.fence().execution());
            assertThat(world.end(complete(again))).isDone();
        }
    }

    @Test
    @BatchAnswers("W48")
    void a_start_that_has_already_come_means_at_once() {
        var past = world.submit(Policy.DEFAULT.start(Due.at(world.now().minusSeconds(5))));
        var present = world.submit(Policy.DEFAULT.start(Due.at(world.now())));

        assertThat(world.view(past)).reads(new Ready(LeasePurpose.FIRST));
        assertThat(world.view(present)).reads(new Ready(LeasePurpose.FIRST));
        assertThat(world.worker().take(2)).containsExactly(past, present);
    }

    @Test
    @BatchAnswers({"P4", "W48"})
    void a_start_in_the_future_is_waited_for_and_then_comes() {
        var start = world.in(Duration.ofMillis(1));
        var work = world.submit(Policy.DEFAULT.start(Due.at(start)));
        assertThat(world.view(work))
                .reads(new Delayed(LeasePurpose.FIRST, start, DelayedBy.REQUEST));
        assertThat(world.worker().claim(1)).isEmpty();

        world.pass(Duration.ofMillis(1));

        assertThat(world.worker().take(1)).containsExactly(work);
    }

    @Test
    void submitting_again_by_id_is_the_same_submission() {
        var submission = labelledWork();
        world.submit(submission);
        var before = world.everything();

        var again = world.offer(submission);

        assertThat(again).isDone(new Submitted(submission.id(), false));
        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void submitting_again_by_id_says_so_even_after_the_work_was_done() {
        var submission = labelledWork();
        world.submit(submission);
        world.end(complete(world.worker().claimOne())).orThrow();

        assertThat(world.offer(submission)).isDone(new Submitted(submission.id(), false));
        assertThat(world.view(submission.id())).endedAs(Outcome.SUCCESS);
        assertThat(world.worker().claim(1)).isEmpty();
    }

    @Test
    @BatchAnswers("P77")
    void an_id_is_not_given_to_other_content() {
        var submission = labelledWork();
        world.submit(submission);
        var before = world.everything();

        for (var other : OTHER_CONTENT) {
            assertThat(world.offer(other.change.apply(submission)))
                    .isConflict(Conflict.Code.ID_TAKEN, submission.id())
                    .says("The id %s was submitted".formatted(submission.id()))
                    .says("What differs: %s.".formatted(other.part));
        }
        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    @BatchAnswers({"P77", "W47"})
    void a_key_is_one_execution_wherever_its_id_would_live() {
        var first = world.submit(work().id(idIn(1)).key("order-7"));

        var again = world.offer(work().id(idIn(200)).key("order-7"));

        assertThat(again).isDone(new Submitted(first, false));
        assertThat(world.find(Search.in(Lane.DEFAULT.namespace()))).containsExactly(first);
        assertThat(world.worker().take(2)).containsExactly(first);
    }

    @Test
    @BatchAnswers("P77")
    void a_key_is_not_given_to_other_content() {
        var first = world.submit(work().key("order-7"));
        var before = world.everything();

        for (var other : OTHER_CONTENT) {
            assertThat(world.offer(other.change.apply(work().key("order-7"))))
                    .isConflict(Conflict.Code.KEY_TAKEN, first)
                    .says("The key order-7 was submitted")
                    .says("What differs: %s.".formatted(other.part));
        }
        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void the_refusal_of_other_content_names_all_that_differs_and_nothing_else() {
        var policy =
                Policy.DEFAULT
                        .start(Due.at(world.now()))
                        .deadline(Due.in(Duration.ofHours(1)))
                        .retry(Retry.retries(2).jitter(0.25))
                        .attemptTimeout(Duration.ofMinutes(1))
                        .needs(Capabilities.of("gpu", "torch>=2.3"))
                        .share("ada");
        var large = Payload.text("x".repeat(10_000));
        var one = copy(labelledWork(), "resize", large).policy(policy).key("order-7");
        world.submit(one);

        assertThat(world.offer(one.creator("bo"))).says("What differs: creator.");
        assertThat(world.offer(one.key("order-8"))).says("What differs: key.");
        assertThat(
                        world.offer(
                                copy(one, "shrink", Payload.EMPTY)
                                        .id(ExecutionId.mint())
                                        .policy(policy.retry(Retry.NEVER).share("bo"))))
                .isConflict(Conflict.Code.KEY_TAKEN, one.id())
                .says(
                        "What differs: kind, input, retry of the policy, share key of the"
                                + " policy.");
    }

    @Test
    void the_refusal_of_other_content_says_nothing_of_what_cannot_be_read() {
        var one = work().key("order-7");
        world.poison(world.submit(one));

        assertThat(world.offer(one.creator("bo")))
                .isConflict(Conflict.Code.ID_TAKEN, one.id())
                .says("other content. Submit it as it was, or use another one.");
    }

    @Test
    @BatchAnswers("W47")
    void a_key_belongs_to_its_namespace() {
        var here = world.submit(work().key("order-7"));

        var there =
                world.offer(work().lane(new Lane(Scenario.ELSEWHERE, "default")).key("order-7"));

        assertThat(there.orThrow().created()).isTrue();
        assertThat(there.orThrow().id()).isNotEqualTo(here);
    }

    @Test
    void a_key_belongs_to_its_namespace_also_within_one_call() {
        var here = work().key("order-7");
        var there = work().lane(new Lane(Scenario.ELSEWHERE, "default")).key("order-7");
        var both = List.of(here, there);

        assertThat(world.store().submissions().submit(both))
                .containsExactly(
                        Answer.done(new Submitted(here.id(), true)),
                        Answer.done(new Submitted(there.id(), true)));

        var again = both.stream().map(work -> work.id(ExecutionId.mint())).toList();
        assertThat(world.store().submissions().submit(again))
                .containsExactly(
                        Answer.done(new Submitted(here.id(), false)),
                        Answer.done(new Submitted(there.id(), false)));
    }

    @Test
    @BatchAnswers("W47")
    void a_key_is_kept_as_long_as_its_execution_and_no_longer() {
        var submission = work(Policy.DEFAULT.retention(Duration.ofHours(2))).key("order-7");
        var first = world.submit(submission);
        world.end(complete(world.worker().claimOne())).orThrow();

        world.pass(Duration.ofHours(2).minusMillis(1));
        assertThat(world.offer(submission.id(ExecutionId.mint())))
                .isDone(new Submitted(first, false));

        world.pass(Duration.ofMillis(1));
        var second = ExecutionId.mint();
        assertThat(world.offer(submission.id(second))).isDone(new Submitted(second, true));
        assertThat(world.describe(first)).isNotFound("execution");
    }

    @Test
    void the_items_of_one_call_see_each_other_in_order() {
        var one = work().key("order-7");
        var same = work().key("order-7");
        var other = work().key("order-7").creator("somebody else");
        var another = work();

        var answers =
                world.store().submissions().submit(List.of(one, same, other, another, another));

        assertThat(answers.get(0)).isDone(new Submitted(one.id(), true));
        assertThat(answers.get(1)).isDone(new Submitted(one.id(), false));
        assertThat(answers.get(2)).isConflict(Conflict.Code.KEY_TAKEN, one.id());
        assertThat(answers.get(3)).isDone(new Submitted(another.id(), true));
        assertThat(answers.get(4)).isDone(new Submitted(another.id(), false));
        assertThat(world.worker().take(9)).containsExactly(one.id(), another.id());
    }

    @Test
    void a_known_id_is_recognised_before_its_key_and_before_its_lane() {
        var submission = work().key("order-7");
        world.submit(submission);
        world.configure(Lane.DEFAULT, LaneSettings.State.DISABLED);

        assertThat(world.offer(submission)).isDone(new Submitted(submission.id(), false));
        assertThat(world.offer(submission.id(ExecutionId.mint())))
                .isDone(new Submitted(submission.id(), false));
        assertThat(world.offer(submission.key("order-8")))
                .isConflict(Conflict.Code.ID_TAKEN, submission.id());
        assertThat(world.offer(work())).isDenied(Denied.Code.LANE_CLOSED);
    }

    @Test
    void a_lane_is_registered_with_its_first_submission() {
        var lane = world.newLane();

        world.submit(work().lane(lane));

        var now = world.now();
        assertThat(world.store().lanes().describe(lane))
                .isEqualTo(new LaneView(lane, LaneSettings.DEFAULT, now, "", now));
    }

    @Test
    void a_submission_is_one_event_with_nobody_behind_it() {
        var work = world.submit();

        assertThat(world.transitions(work)).containsExactly(Transition.SUBMIT);
        assertThat(world.lastStep(work).owner()).isEmpty();
        assertThat(world.lastStep(work).by()).isEmpty();
        assertThat(world.lastStep(work).at()).isEqualTo(world.now());
    }

    @Test
    void nothing_submitted_is_nothing_answered() {
        List<Answer<Submitted>> answers = world.store().submissions().submit(List.of());

        assertThat(answers).isEmpty();
    }

    private static Submission labelledWork() {
        return work().creator("ada").tag("shop.order", "7");
    }

    private static Submission copy(Submission it, String kind, Payload input) {
        return new Submission(
                it.id(), it.lane(), kind, input, it.creator(), it.key(), it.tags(), it.policy());
    }
}
