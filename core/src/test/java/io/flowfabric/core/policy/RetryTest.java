package io.flowfabric.core.policy;

import static io.flowfabric.core.Examples.ID;
import static io.flowfabric.core.Examples.longest;
import static io.flowfabric.core.Examples.tooLong;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Components;
import io.flowfabric.core.Examples;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.IdSource;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;

class RetryTest {
    private static final Failure TRANSIENT = Failure.of(Failure.TRANSIENT, "");
    private static final Duration HOUR = Duration.ofHours(1);

    /** Without jitter, so that the wait is exact. */
    private static final Retry THREE = Retry.retries(3).jitter(0);

    @Test
    void the_default_is_three_retries_with_half_of_the_wait_left_to_chance() {
        assertThat(Retry.DEFAULT)
                .isEqualTo(new Retry(3, Backoff.DEFAULT, 0.5, Collections.emptySortedSet()));
        assertThat(Retry.retries(3)).isEqualTo(Retry.DEFAULT);
        assertThat(Retry.retries(7))
                .isEqualTo(new Retry(7, Backoff.DEFAULT, 0.5, Collections.emptySortedSet()));
    }

    @Test
    void never_means_never() {
        assertThat(Retry.NEVER.decide(ID, TRANSIENT, 0)).isEqualTo(RetryDecision.GIVE_UP);
        assertThat(Retry.retries(0).decide(ID, TRANSIENT, 0)).isEqualTo(RetryDecision.GIVE_UP);
    }

    @Test
    void there_are_as_many_retries_as_the_policy_says() {
        assertThat(IntStream.range(0, 5).mapToObj(used -> THREE.decide(ID, TRANSIENT, used)))
                .containsExactly(
                        tryAgain(Duration.ofSeconds(1)),
                        tryAgain(Duration.ofSeconds(2)),
                        tryAgain(Duration.ofSeconds(4)),
                        RetryDecision.GIVE_UP,
                        RetryDecision.GIVE_UP);
    }

    @ParameterizedTest
    @CsvSource({
        "transient, true",
        "infra_crash, true",
        "timeout, true",
        "my own, true",
        "permanent, false",
        "cancelled, false"
    })
    void all_but_hopeless_failures_are_retried_when_none_are_named(
            String category, boolean retried) {
        var verdict = THREE.decide(ID, Failure.of(category, ""), 0);

        assertThat(verdict)
                .isEqualTo(retried ? tryAgain(Duration.ofSeconds(1)) : RetryDecision.GIVE_UP);
    }

    @ParameterizedTest
    @CsvSource({
        "permanent, true",
        "my own, true",
        "transient, false",
        "Permanent, false",
        "cancelled, false"
    })
    void only_the_named_failures_are_retried_when_some_are(String category, boolean retried) {
        var verdict = THREE.only("permanent", "my own").decide(ID, Failure.of(category, ""), 0);

        assertThat(verdict)
                .isEqualTo(retried ? tryAgain(Duration.ofSeconds(1)) : RetryDecision.GIVE_UP);
    }

    @Test
    void the_wait_is_that_of_the_backoff_at_most() {
        var retry = THREE.backoff(Backoff.fixed(HOUR));

        assertThat(retry.decide(ID, TRANSIENT, 2)).isEqualTo(tryAgain(HOUR));
        assertThat(THREE.backoff(Backoff.fixed(Duration.ZERO)).decide(ID, TRANSIENT, 0))
                .isEqualTo(tryAgain(Duration.ZERO));
    }

    @Test
    void the_longest_wait_is_kept_to_the_millisecond() {
        var century = Duration.ofMillis(Limit.DURATION_MILLIS.max());

        assertThat(THREE.backoff(Backoff.fixed(century)).decide(ID, TRANSIENT, 0))
                .isEqualTo(tryAgain(century));
    }

    // Computed by a program in another language. A new version of this code must decide a failure,
    // whose answer was lost, as the old one did.
    @ParameterizedTest
    @CsvSource({
        "550e8400-e29b-41d4-a716-446655440000, 0, 642, 1025830",
        "550e8400-e29b-41d4-a716-446655440000, 1, 1002, 7020",
        "550e8400-e29b-41d4-a716-446655440000, 2, 2926, 1667069",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f, 0, 710, 1510632",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f, 1, 1334, 1203825",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f, 2, 3063, 1912684"
    })
    void the_chance_in_the_wait_never_changes(
            String uuid, int retriesUsed, long byDefault, long ofAnHour) {
        var id = ExecutionId.parse(uuid);
        var wild = Retry.DEFAULT.backoff(Backoff.fixed(HOUR)).jitter(1);

        assertThat(Retry.DEFAULT.decide(id, TRANSIENT, retriesUsed))
                .isEqualTo(tryAgain(Duration.ofMillis(byDefault)));
        assertThat(wild.decide(id, TRANSIENT, retriesUsed))
                .isEqualTo(tryAgain(Duration.ofMillis(ofAnHour)));
    }

    @Test
    void the_same_failure_is_decided_the_same_way_again() {
        for (var id : ids(1_000)) {
            assertThat(Retry.DEFAULT.decide(id, TRANSIENT, 1))
                    .isEqualTo(Retry.DEFAULT.decide(id, TRANSIENT, 1));
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.1, 0.5, 0.9, 1})
    void jitter_shortens_the_wait_by_its_part_at_most(double jitter) {
        var retry = Retry.DEFAULT.backoff(Backoff.fixed(HOUR)).jitter(jitter);
        long shortest = Math.round((double) HOUR.toMillis() * (1 - jitter));

        assertThat(waits(retry, ids(10_000)))
                .allSatisfy(wait -> assertThat(wait).isBetween(shortest, HOUR.toMillis()));
    }

    @Test
    void jitter_spreads_what_failed_together() {
        var retry = Retry.DEFAULT.backoff(Backoff.fixed(HOUR)).jitter(1);
        var tenths = new int[10];
        for (long wait : waits(retry, ids(10_000))) {
            tenths[(int) Math.min(9, wait * 10 / HOUR.toMillis())]++;
        }

        // A thousand each, give or take more than five standard deviations.
        for (int count : tenths) {
            assertThat(count).isBetween(840, 1160);
        }
    }

    @Test
    void each_retry_draws_anew() {
        var retry = Retry.retries(100).backoff(Backoff.fixed(HOUR)).jitter(1);
        var waits = IntStream.range(0, 100).mapToObj(used -> retry.decide(ID, TRANSIENT, used));

        assertThat(waits).doesNotHaveDuplicates();
    }

    @Test
    void a_change_changes_nothing_else() {
        assertThat(Components.changed(Retry.DEFAULT, Retry.DEFAULT.backoff(Backoff.fixed(HOUR))))
                .containsExactly("backoff");
        assertThat(Components.changed(Retry.DEFAULT, Retry.DEFAULT.jitter(0.25)))
                .containsExactly("jitter");
        assertThat(Components.changed(Retry.DEFAULT, Retry.DEFAULT.only("a", "b")))
                .containsExactly("categories");
        assertThat(Components.changed(Retry.DEFAULT, Retry.retries(9))).containsExactly("max");
        assertThat(Retry.DEFAULT.only("b", "a").categories()).containsExactly("a", "b");
    }

    @Test
    void there_may_be_a_million_retries_and_no_more() {
        assertThat(Retry.retries(1_000_000).max()).isEqualTo(1_000_000);
        assertRefused(Invalid.Code.OUT_OF_RANGE, "max retries", () -> Retry.retries(1_000_001));
        assertRefused(Invalid.Code.OUT_OF_RANGE, "max retries", () -> Retry.retries(-1));
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.001, 1.001, Double.NaN, Double.POSITIVE_INFINITY})
    void jitter_is_a_part_of_the_whole(double jitter) {
        assertRefused(Invalid.Code.OUT_OF_RANGE, "jitter", () -> Retry.DEFAULT.jitter(jitter));
    }

    @Test
    void a_category_is_a_name_and_there_may_be_32() {
        var most = IntStream.range(0, 32).mapToObj(i -> "c" + i).toArray(String[]::new);
        var oneMore = IntStream.range(0, 33).mapToObj(i -> "c" + i).toArray(String[]::new);

        assertThat(Retry.DEFAULT.only(most).categories()).hasSize(32);
        assertThat(Retry.DEFAULT.only(longest(Limit.NAME_BYTES)).categories()).hasSize(1);
        assertRefused(Invalid.Code.TOO_MANY, "retry categories", () -> Retry.DEFAULT.only(oneMore));
        assertRefused(Invalid.Code.EMPTY, "retry category", () -> Retry.DEFAULT.only(""));
        assertRefused(
                Invalid.Code.TOO_LONG,
                "retry category",
                () -> Retry.DEFAULT.only(tooLong(Limit.NAME_BYTES)));
    }

    @Test
    void nobody_can_change_the_categories() {
        var given = new TreeSet<>(List.of("a"));
        var retry = new Retry(1, Backoff.DEFAULT, 0, given);
        given.add("b");

        assertThat(retry.categories()).containsExactly("a");
        assertThatThrownBy(() -> retry.categories().add("b"))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void a_verdict_waits_for_whole_milliseconds_up_to_a_hundred_years() {
        var longest = Duration.ofMillis(Limit.DURATION_MILLIS.max());

        assertThat(new RetryDecision.TryAgain(Duration.ofNanos(1_999_999)))
                .isEqualTo(tryAgain(Duration.ofMillis(1)));
        assertThat(new RetryDecision.TryAgain(longest).delay()).isEqualTo(longest);
        assertRefused(
                Invalid.Code.OUT_OF_RANGE,
                "retry delay in ms",
                () -> new RetryDecision.TryAgain(longest.plusMillis(1)));
        assertRefused(
                Invalid.Code.OUT_OF_RANGE,
                "retry delay in ms",
                () -> new RetryDecision.TryAgain(Duration.ofMillis(-1)));
    }

    private static RetryDecision tryAgain(Duration delay) {
        return new RetryDecision.TryAgain(delay);
    }

    private static List<Long> waits(Retry retry, List<ExecutionId> ids) {
        return ids.stream()
                .map(
                        id ->
                                ((RetryDecision.TryAgain) retry.decide(id, TRANSIENT, 0))
                                        .delay()
                                        .toMillis())
                .toList();
    }

    /** Ids as one process mints them, one after the other. */
    private static List<ExecutionId> ids(int count) {
        var source = new IdSource(InstantSource.fixed(Examples.NOON), new SplittableRandom(7));
        var ids = new ArrayList<ExecutionId>();
        for (int i = 0; i < count; i++) {
            ids.add(source.execution(Partition.of(Namespace.DEFAULT)));
        }
        return ids;
    }

    @Test
    void naming_a_category_twice_is_naming_it_once() {
        assertThat(Retry.DEFAULT.only("a", "a")).isEqualTo(Retry.DEFAULT.only("a"));
    }
}
