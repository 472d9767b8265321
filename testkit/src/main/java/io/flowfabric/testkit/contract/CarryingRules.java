package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.fail;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Tags;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.RetryDecision;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

/** Rule 18: bytes in are the same bytes out, up to the limits and not beyond. */
abstract class CarryingRules extends Rules {
    private static final int MEBIBYTE = 1 << 20;

    /** Characters of one to four bytes, and those that quoting gets wrong. */
    private static final String ANY_SCRIPT = "Größe 値 \uD83D\uDE80 'O\"Neil' \\ {fp:1} %s -- ;";

    CarryingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    @BatchAnswers("W31")
    void an_input_comes_out_as_it_went_in() {
        for (var input : payloads()) {
            var work = world.submit(Submission.of("job", input));

            assertThat(world.worker().claimOne().input()).isEqualTo(input);
            assertThat(world.store().queries().inputs(List.of(work)).getFirst()).isDone(input);
        }
    }

    @Test
    @BatchAnswers("W31")
    void a_result_comes_out_as_it_went_in() {
        for (var result : payloads()) {
            var lease = world.begun();
            world.end(complete(lease, result)).orThrow();
            var byHand = world.submit();
            world.act(new OperatorCommand.Complete(byHand, result)).orThrow();

            assertThat(world.result(idOf(lease)).orThrow().result()).contains(result);
            assertThat(world.result(byHand).orThrow().result()).contains(result);
        }
    }

    @Test
    void text_in_any_script_comes_out_as_it_went_in() {
        var lane = new Lane(new Namespace(ANY_SCRIPT), "'; -- \\ {fp:1} %s");
        var submission =
                new Submission(
                        Given.unknown(),
                        lane,
                        ANY_SCRIPT,
                        Payload.EMPTY,
                        ANY_SCRIPT,
                        Optional.of(ANY_SCRIPT),
                        Tags.NONE.with("shop.order", ANY_SCRIPT),
                        Policy.DEFAULT);

        world.submit(submission);

        var view = world.view(submission.id());
        assertThat(view.lane()).isEqualTo(lane);
        assertThat(view.kind()).isEqualTo(ANY_SCRIPT);
        assertThat(view.creator()).isEqualTo(ANY_SCRIPT);
        assertThat(view.key()).contains(ANY_SCRIPT);
        assertThat(view.tags()).isEqualTo(submission.tags());
        assertThat(world.worker(lane).take(1)).containsExactly(submission.id());
        assertThat(world.offer(submission.id(Given.unknown())).orThrow().created()).isFalse();
    }

    @Test
    void words_about_the_work_come_out_as_they_went_in() {
        var lease = world.begun();
        var by = new Attribution(ANY_SCRIPT, ANY_SCRIPT);
        world.store()
                .leases()
                .progress(List.of(new Progress(lease.fence(), 42, ANY_SCRIPT)))
                .forEach(answer -> answer.orThrow());
        world.store()
                .operations()
                .act(List.of(new OperatorCommand.Reprioritise(idOf(lease), 7)), by);

        assertThat(world.view(lease).progress().orElseThrow().message()).isEqualTo(ANY_SCRIPT);
        assertThat(world.lastStep(idOf(lease)).by()).contains(by);
    }

    @Test
    void a_failure_is_reported_whatever_it_says() {
        var awkward = "a NUL \u0000, half a pair \uD83D, and \u001B[31m";
        var endless = "x".repeat(2 * MEBIBYTE);
        var failure = new Failure(ANY_SCRIPT, awkward, endless);
        var lease = world.begun();

        world.end(new Ending.Fail(lease.fence(), failure, RetryDecision.GIVE_UP)).orThrow();

        assertThat(world.failureOf(idOf(lease))).isEqualTo(failure);
        assertThat(world.result(idOf(lease)).orThrow().failure()).contains(failure);
        assertThat(world.lastStep(idOf(lease)).failure()).contains(failure);
        assertThat(world.end(new Ending.Fail(lease.fence(), failure, RetryDecision.GIVE_UP)))
                .isDone();
        assertThat(failure.message()).doesNotContain("\u0000");
    }

    @Test
    void the_longest_of_everything_is_kept() {
        var name = "ä".repeat(128);
        var tags = Tags.NONE;
        for (int i = 0; i < 32; i++) {
            tags = tags.with("k" + i + "x".repeat(250), name);
        }
        var submission =
                new Submission(
                        Given.unknown(),
                        new Lane(new Namespace(name), "l".repeat(64)),
                        name,
                        Payload.EMPTY,
                        name,
                        Optional.of(name),
                        tags,
                        Policy.DEFAULT.priority(9000).retention(longest()));

        world.submit(submission);

        var view = world.view(submission.id());
        assertThat(view.lane()).isEqualTo(submission.lane());
        assertThat(view.key()).isEqualTo(submission.key());
        assertThat(view.tags()).isEqualTo(tags);
        assertThat(view.policy()).isEqualTo(submission.policy());
    }

    @Test
    void one_byte_too_many_is_refused_and_nothing_is_stored() {
        var tooLarge = Payload.of(new byte[MEBIBYTE + 1], "application/octet-stream");
        var lease = world.begun();
        var before = world.everything();

        assertThat(asked(() -> world.submit(Submission.of("job", tooLarge))))
                .isInvalid(Invalid.Code.TOO_LARGE);
        assertThat(asked(() -> world.end(complete(lease, tooLarge))))
                .isInvalid(Invalid.Code.TOO_LARGE);
        assertThat(asked(() -> world.act(new OperatorCommand.Complete(idOf(lease), tooLarge))))
                .isInvalid(Invalid.Code.TOO_LARGE);

        assertThat(world.everything()).isEqualTo(before);
        assertThat(world.end(fail(lease))).isDone();
    }

    @Test
    void the_largest_call_is_taken_whole() {
        int most = (int) Limit.BATCH.max();

        var works = world.submit(most, Given::work);

        assertThat(Set.copyOf(works)).hasSize(most);
        assertThat(world.store().queries().describe(works)).allMatch(answer -> answer.isDone());
        assertThat(world.worker().take(256)).isEqualTo(works.subList(0, 256));
    }

    private static Duration longest() {
        return Duration.ofMillis(Limit.DURATION_MILLIS.max());
    }

    private static List<Payload> payloads() {
        var everyByte = new byte[256];
        for (int i = 0; i < everyByte.length; i++) {
            everyByte[i] = (byte) i;
        }
        var large = new byte[MEBIBYTE];
        new Random(7).nextBytes(large);
        return List.of(
                Payload.EMPTY,
                Payload.text(""),
                Payload.text(ANY_SCRIPT),
                Payload.of(everyByte, "application/octet-stream"),
                Payload.of(new byte[] {(byte) 0xC3, 0x28, 0, (byte) 0xFF}, ANY_SCRIPT),
                Payload.of(large, "application/octet-stream"));
    }
}
