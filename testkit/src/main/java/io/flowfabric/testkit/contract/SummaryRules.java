package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idOf;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.stream.Summary;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The summary of an attempt is what its patches come to, each applied once. */
abstract class SummaryRules extends Rules {
    SummaryRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void patches_come_to_a_document_that_keeps_numbers_and_arrays_as_they_were_written() {
        var lease = world.begun();
        assertThat(summary(lease)).isEmpty();
        patch(lease, 0, "{\"n\":1.0,\"big\":123456789012345678901234567890,\"e\":1E-7}").orThrow();
        patch(lease, 1, "{\"list\":[3,1.50,null,{\"a\":null}],\"in\":{\"a\":1,\"b\":\"ü\"}}")
                .orThrow();
        patch(lease, 2, "{\"e\":null,\"in\":{\"a\":null,\"c\":{\"d\":null}}}").orThrow();

        assertThat(summary(lease))
                .contains(
                        new Summary(
                                "{\"n\":1.0,\"big\":123456789012345678901234567890,"
                                        + "\"list\":[3,1.50,null,{\"a\":null}],"
                                        + "\"in\":{\"b\":\"ü\",\"c\":{}}}",
                                3));
    }

    @Test
    void a_patch_again_is_applied_once_and_another_one_in_its_place_is_a_conflict() {
        var lease = world.begun();
        patch(lease, 0, "{\"a\":1}").orThrow();
        patch(lease, 1, "{\"a\":2}").orThrow();
        var before = summary(lease);

        assertThat(patch(lease, 0, "{\"a\":1}")).isDone(1L);
        assertThat(patch(lease, 1, "{\"a\":3}")).isConflict(Conflict.Code.APPENDED_DIFFERENTLY);

        assertThat(before).contains(new Summary("{\"a\":2}", 2));
        assertThat(summary(lease)).isEqualTo(before);
    }

    @Test
    void patches_of_one_call_see_each_other() {
        var lease = world.begun();
        var fence = lease.fence();

        var answers =
                world.store()
                        .leases()
                        .append(
                                List.of(
                                        Append.summary(fence, 0, "s", "{\"a\":1}"),
                                        Append.summary(fence, 1, "s", "[1]"),
                                        Append.summary(fence, 1, "s", "{\"b\":2}"),
                                        Append.summary(fence, 2, "s", "{\"a\":null}")));

        assertThat(answers.get(1)).isInvalid(Invalid.Code.MALFORMED_PATCH);
        assertThat(answers.get(3)).isDone(3L);
        assertThat(summary(lease)).contains(new Summary("{\"b\":2}", 3));
    }

    @Test
    void patches_are_frames_that_readers_see() {
        var lease = world.begun();
        patch(lease, 0, "{\"a\":1}").orThrow();
        world.say(lease, 1, "between").orThrow();

        assertThat(world.stream(lease).frames().getFirst().payload().asText())
                .isEqualTo("{\"a\":1}");
        assertThat(world.stream(lease).end()).isEqualTo(2);
    }

    @Test
    void what_is_no_patch_or_makes_the_summary_too_large_is_refused_and_changes_nothing() {
        var lease = world.begun();
        patch(lease, 0, "{\"a\":1}").orThrow();
        var before = world.stream(lease);

        assertThat(patch(lease, 1, "{\"a\":")).isInvalid(Invalid.Code.MALFORMED_PATCH);
        assertThat(patch(lease, 1, "7")).isInvalid(Invalid.Code.MALFORMED_PATCH);
        assertThat(world.stream(lease)).isEqualTo(before);

        var large = "x".repeat((int) Limit.FRAME_BYTES.max() - 100);
        int position = 1;
        while (patch(lease, position, "{\"f%d\":\"%s\"}".formatted(position, large)).isDone()) {
            position++;
        }
        assertThat(patch(lease, position, "{\"f%d\":\"%s\"}".formatted(position, large)))
                .isInvalid(Invalid.Code.TOO_LARGE);
        assertThat(summary(lease).orElseThrow().version()).isEqualTo(position);
        assertThat(patch(lease, position, "{\"f1\":null}")).isDone(position + 1L);
    }

    @Test
    void the_summary_of_an_earlier_attempt_stays_and_the_next_begins_anew() {
        var first = world.begun();
        patch(first, 0, "{\"a\":1}").orThrow();
        world.end(retry(first, Duration.ZERO)).orThrow();
        var second = world.worker(first.lane()).claimOne();
        patch(second, 0, "{\"b\":1}").orThrow();

        assertThat(summary(first)).contains(new Summary("{\"a\":1}", 1));
        assertThat(summary(second)).contains(new Summary("{\"b\":1}", 1));
    }

    @Test
    void a_stale_lease_patches_nothing() {
        var lease = world.begun();
        patch(lease, 0, "{\"a\":1}").orThrow();
        world.revoke(idOf(lease));

        assertThat(patch(lease, 1, "{\"a\":2}")).isLeaseLost();
        assertThat(summary(lease)).contains(new Summary("{\"a\":1}", 1));
    }

    @Test
    void a_summary_outlives_the_patches_that_it_is_made_of() {
        var lease = world.begun();
        int count = (int) Limit.LIVE_FRAMES.max() + 44;
        for (int n = 0; n < count; n++) {
            patch(lease, n, "{\"n\":%d}".formatted(n)).orThrow();
        }

        assertThat(summary(lease)).contains(new Summary("{\"n\":%d}".formatted(count - 1), count));
        assertThat(world.stream(lease).frames()).hasSize((int) Limit.LIVE_FRAMES.max());
    }

    private Answer<Long> patch(Lease lease, long position, String patch) {
        return world.append(Append.summary(lease.fence(), position, "patch", patch));
    }

    private Optional<Summary> summary(Lease lease) {
        return world.store().streams().summary(idOf(lease), lease.fence().attempt());
    }
}
