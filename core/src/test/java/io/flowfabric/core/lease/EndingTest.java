package io.flowfabric.core.lease;

import static io.flowfabric.core.Examples.FAILURE;
import static io.flowfabric.core.Examples.FENCE;
import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Examples.OTHER_FENCE;
import static io.flowfabric.core.Examples.payload;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Payload;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.RetryDecision;
import io.flowfabric.core.signal.Condition;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.state.SuspendedFor;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

class EndingTest {
    private static final RetryDecision AT_ONCE = new RetryDecision.TryAgain(Duration.ZERO);
    private static final RetryDecision LATER = new RetryDecision.TryAgain(Duration.ofMillis(1));

    private static final Suspension UNTIL_APPROVED =
            Suspension.until("approval", Condition.signal("boss"));

    /** Endings of one lease, no two of which say the same. */
    private static List<Ending> endings(Fence fence) {
        return List.of(
                new Ending.Complete(fence, Payload.EMPTY),
                new Ending.Complete(fence, Payload.text("")),
                new Ending.Complete(fence, Payload.text("done")),
                new Ending.Fail(fence, FAILURE, RetryDecision.GIVE_UP),
                new Ending.Fail(fence, FAILURE, AT_ONCE),
                new Ending.Fail(fence, FAILURE, LATER),
                new Ending.Fail(fence, new Failure("mine", "no route", "at Line 1"), LATER),
                new Ending.Fail(fence, new Failure("transient", "other", "at Line 1"), LATER),
                new Ending.Fail(fence, new Failure("transient", "no route", ""), LATER),
                new Ending.Fail(fence, new Failure("transient", "", "no route"), LATER),
                new Ending.Cancel(fence, ""),
                new Ending.Cancel(fence, "called off"),
                new Ending.Delay(fence, Due.NOW),
                new Ending.Delay(fence, Due.in(Duration.ofMillis(1))),
                new Ending.Delay(fence, Due.at(NOON)),
                new Ending.Suspend(fence, UNTIL_APPROVED),
                new Ending.Suspend(fence, UNTIL_APPROVED.reason(SuspendedFor.MANUAL_PAUSE)),
                new Ending.Suspend(fence, UNTIL_APPROVED.resumeDelay(Duration.ofMillis(1))),
                new Ending.Suspend(
                        fence, UNTIL_APPROVED.timeout(Due.at(NOON), Suspension.Behaviour.FAIL)),
                new Ending.Suspend(
                        fence, UNTIL_APPROVED.timeout(Due.at(NOON), Suspension.Behaviour.CANCEL)),
                new Ending.Suspend(
                        fence, Suspension.until("approval", Condition.signal("boss", "yes"))),
                new Ending.Suspend(
                        fence,
                        Suspension.until("approval", Condition.all(Condition.signal("boss")))),
                new Ending.Suspend(
                        fence,
                        Suspension.until(
                                "approval",
                                Condition.atLeast(1, Condition.Distinct.SIGNALS, "boss"))),
                new Ending.Suspend(
                        fence,
                        Suspension.until(
                                "approval",
                                Condition.atLeast(1, Condition.Distinct.SOURCES, "boss"))),
                new Ending.Suspend(fence, Suspension.untilResumed("approval")),
                new Ending.Await(fence, FlowId.below(fence.execution(), "one")),
                new Ending.Await(fence, FlowId.below(fence.execution(), "another")),
                new Ending.Release(fence));
    }

    @Test
    void every_alternative_is_among_the_examples() {
        assertThat(endings(FENCE).stream().<Class<?>>map(Ending::getClass).distinct())
                .containsExactlyInAnyOrder(Ending.class.getPermittedSubclasses());
    }

    @Test
    void it_is_as_large_as_its_result_or_the_trace_of_its_failure() {
        assertThat(new Ending.Complete(FENCE, payload(1000)).bytes()).isEqualTo(1000);
        assertThat(
                        new Ending.Fail(
                                        FENCE,
                                        new Failure("mine", "no route", "at Line 1"),
                                        RetryDecision.GIVE_UP)
                                .bytes())
                .isEqualTo(9);
        assertThat(new Ending.Release(FENCE).bytes()).isZero();
    }

    @Test
    void a_repeat_is_told_from_a_contradiction_by_the_digest() {
        assertThat(endings(FENCE))
                .extracting(Ending::digest)
                .doesNotContainNull()
                .doesNotHaveDuplicates();
    }

    @Test
    void the_fence_is_not_part_of_the_digest_because_the_digest_is_kept_with_it() {
        assertThat(endings(OTHER_FENCE))
                .extracting(Ending::digest)
                .containsExactlyElementsOf(endings(FENCE).stream().map(Ending::digest).toList());
    }

    @Test
    void each_carries_the_fence_it_ends() {
        assertThat(endings(OTHER_FENCE)).extracting(Ending::fence).containsOnly(OTHER_FENCE);
    }

    /** R3: a null that gets as far as a store fails every ending of its batch. */
    @Test
    void nothing_that_an_ending_or_a_report_carries_is_null() {
        var fail = new Ending.Fail(FENCE, FAILURE, LATER);
        assertNamed("fence", () -> new Ending.Complete(nothing(), Payload.EMPTY));
        assertNamed("result", () -> new Ending.Complete(FENCE, nothing()));
        assertNamed("fence", () -> new Ending.Fail(nothing(), fail.failure(), fail.verdict()));
        assertNamed("failure", () -> new Ending.Fail(FENCE, nothing(), fail.verdict()));
        assertNamed("verdict", () -> new Ending.Fail(FENCE, fail.failure(), nothing()));
        assertNamed("fence", () -> new Ending.Cancel(nothing(), ""));
        assertNamed("reason", () -> new Ending.Cancel(FENCE, nothing()));
        assertNamed("fence", () -> new Ending.Delay(nothing(), Due.NOW));
        assertNamed("until", () -> new Ending.Delay(FENCE, nothing()));
        assertNamed("fence", () -> new Ending.Release(nothing()));
        assertNamed("fence", () -> new UsageReport(nothing(), "team", "tokens", 1, "key"));
        assertNamed("fence", () -> new Progress(nothing(), 1, ""));
        assertNamed("execution", () -> new Fence(nothing(), 0, 1));
    }

    private static void assertNamed(String field, ThrowingCallable construction) {
        assertThatThrownBy(construction).isInstanceOf(NullPointerException.class).hasMessage(field);
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // as callers without checks do
    private static <T> T nothing() {
        return null;
    }

    @Test
    void a_result_may_take_a_mebibyte_and_no_more() {
        assertThat(new Ending.Complete(FENCE, payload(1 << 20)).result().size()).isEqualTo(1 << 20);
        assertRefused(
                Invalid.Code.TOO_LARGE,
                "result",
                () -> new Ending.Complete(FENCE, payload((1 << 20) + 1)));
    }

    @Test
    void the_reason_of_a_cancellation_is_mended_and_cut() {
        assertThat(new Ending.Cancel(FENCE, "\0" + "x".repeat(5_000)).reason())
                .isEqualTo("\uFFFD" + "x".repeat(4_093));
    }
}
