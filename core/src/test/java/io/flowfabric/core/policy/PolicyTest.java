package io.flowfabric.core.policy;

import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Components;
import io.flowfabric.core.Digest;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

class PolicyTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration CENTURY = Duration.ofMillis(Limit.DURATION_MILLIS.max());

    /** The default policy with one field changed. */
    private record Change(String field, Policy policy) {
        @Override
        public String toString() {
            return field;
        }
    }

    static List<Change> changes() {
        var policy = Policy.DEFAULT;
        return List.of(
                new Change("priority", policy.priority(1)),
                new Change("start", policy.start(Due.in(SECOND))),
                new Change("start", policy.start(Due.at(NOON))),
                new Change("deadline", policy.deadline(Due.NOW)),
                new Change("deadline", policy.deadline(Due.in(SECOND))),
                new Change("deadline", policy.deadline(Due.at(NOON))),
                new Change("retry", policy.retry(Retry.NEVER)),
                new Change("retry", policy.retry(Retry.retries(4))),
                new Change("retry", policy.retry(Retry.DEFAULT.backoff(Backoff.fixed(SECOND)))),
                new Change("retry", policy.retry(Retry.DEFAULT.jitter(0.25))),
                new Change("retry", policy.retry(Retry.DEFAULT.only("timeout"))),
                new Change("attemptTimeout", policy.attemptTimeout(SECOND)),
                new Change("stallTimeout", policy.stallTimeout(SECOND)),
                new Change("needs", policy.needs(Capabilities.of("gpu"))),
                new Change("maxReclaims", policy.maxReclaims(99)),
                new Change("maxReplays", policy.maxReplays(9)),
                new Change("budgets", policy.budget("team", Map.of("tokens", 7L))),
                new Change("quotas", policy.quota("calls", "ada")),
                new Change("retention", policy.retention(SECOND)),
                new Change("share", policy.share("ada")));
    }

    @Test
    void the_default_is_this() {
        assertThat(Policy.DEFAULT)
                .isEqualTo(
                        new Policy(
                                0,
                                Due.NOW,
                                Optional.empty(),
                                Retry.DEFAULT,
                                Optional.empty(),
                                Optional.empty(),
                                Capabilities.NONE,
                                Collections.emptySortedSet(),
                                Collections.emptySortedSet(),
                                100,
                                10,
                                Optional.empty(),
                                Optional.empty()));
    }

    @Test
    void every_field_can_be_changed() {
        assertThat(changes().stream().map(Change::field).distinct())
                .containsExactlyInAnyOrderElementsOf(Components.of(Policy.class));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void a_change_changes_its_own_field_and_no_other(Change change) {
        assertThat(Components.changed(Policy.DEFAULT, change.policy()))
                .containsExactly(change.field());
    }

    @ParameterizedTest
    @MethodSource("changes")
    void a_change_keeps_what_was_changed_before(Change change) {
        var before =
                new Policy(
                        9,
                        Due.in(CENTURY),
                        Optional.of(Due.in(CENTURY)),
                        Retry.retries(9),
                        Optional.of(CENTURY),
                        Optional.of(CENTURY),
                        Capabilities.of("cuda"),
                        Collections.emptySortedSet(),
                        Collections.emptySortedSet(),
                        9,
                        99,
                        Optional.of(CENTURY),
                        Optional.of("bob"));
        var after =
                switch (change.field()) {
                    case "priority" -> before.priority(change.policy().priority());
                    case "start" -> before.start(change.policy().start());
                    case "deadline" -> before.deadline(change.policy().deadline().orElseThrow());
                    case "retry" -> before.retry(change.policy().retry());
                    case "attemptTimeout" ->
                            before.attemptTimeout(change.policy().attemptTimeout().orElseThrow());
                    case "stallTimeout" ->
                            before.stallTimeout(change.policy().stallTimeout().orElseThrow());
                    case "needs" -> before.needs(change.policy().needs());
                    case "budgets" -> before.budget("team", Map.of("tokens", 7L));
                    case "quotas" -> before.quota("calls", "ada");
                    case "maxReclaims" -> before.maxReclaims(change.policy().maxReclaims());
                    case "maxReplays" -> before.maxReplays(change.policy().maxReplays());
                    case "retention" -> before.retention(change.policy().retention().orElseThrow());
                    case "share" -> before.share(change.policy().share().orElseThrow());
                    default -> throw new AssertionError("a field without a test: " + change);
                };

        assertThat(Components.changed(before, after)).containsExactly(change.field());
        assertThat(Components.changed(change.policy(), after)).doesNotContain(change.field());
    }

    @Test
    void every_field_is_part_of_the_digest() {
        var seen = new HashMap<Digest, Policy>();
        seen.put(digest(Policy.DEFAULT), Policy.DEFAULT);
        for (var change : changes()) {
            assertThat(seen.put(digest(change.policy()), change.policy()))
                    .as("the policy with another %s has the digest of this one", change)
                    .isNull();
        }
    }

    @Test
    void equal_policies_have_equal_digests() {
        assertThat(digest(Policy.DEFAULT.needs(Capabilities.of("b", "a")).retry(retry("y", "x"))))
                .isEqualTo(
                        digest(
                                Policy.DEFAULT
                                        .needs(Capabilities.of("a", "b"))
                                        .retry(retry("x", "y"))));
    }

    @Test
    void the_two_timeouts_are_not_mixed_up_in_the_digest() {
        assertThat(digest(Policy.DEFAULT.attemptTimeout(SECOND)))
                .isNotEqualTo(digest(Policy.DEFAULT.stallTimeout(SECOND)));
        assertThat(digest(Policy.DEFAULT.maxReclaims(7).maxReplays(8)))
                .isNotEqualTo(digest(Policy.DEFAULT.maxReclaims(8).maxReplays(7)));
        assertThat(digest(Policy.DEFAULT.start(Due.in(SECOND)).deadline(Due.NOW)))
                .isNotEqualTo(digest(Policy.DEFAULT.start(Due.NOW).deadline(Due.in(SECOND))));
    }

    @Test
    void a_deadline_counts_from_the_submission() {
        assertThat(Policy.DEFAULT.deadlineFrom(NOON)).isEmpty();
        assertThat(Policy.DEFAULT.deadline(Due.in(SECOND)).deadlineFrom(NOON))
                .contains(NOON.plusSeconds(1));
        assertThat(Policy.DEFAULT.deadline(Due.at(NOON)).deadlineFrom(NOON.plusSeconds(9)))
                .contains(NOON);
    }

    @Test
    void after_a_replay_a_wait_begins_anew_and_a_time_that_has_passed_no_longer_counts() {
        var wait = Policy.DEFAULT.deadline(Due.in(SECOND));
        var time = Policy.DEFAULT.deadline(Due.at(NOON));

        assertThat(Policy.DEFAULT.deadlineAfterReplay(NOON)).isEmpty();
        assertThat(wait.deadlineAfterReplay(NOON)).contains(NOON.plusSeconds(1));
        assertThat(time.deadlineAfterReplay(NOON.minusMillis(1))).contains(NOON);
        assertThat(time.deadlineAfterReplay(NOON)).isEmpty();
        assertThat(time.deadlineAfterReplay(NOON.plusMillis(1))).isEmpty();
    }

    @Test
    void a_lease_has_lasted_too_long_one_timeout_after_it_was_given() {
        assertThat(Policy.DEFAULT.attemptDue(NOON)).isEmpty();
        assertThat(Policy.DEFAULT.attemptTimeout(SECOND).attemptDue(NOON))
                .contains(NOON.plusSeconds(1));
        assertThat(Policy.DEFAULT.stallTimeout(SECOND).attemptDue(NOON)).isEmpty();
    }

    @Test
    void a_worker_has_stalled_one_timeout_after_it_was_last_heard_of() {
        assertThat(Policy.DEFAULT.stallDue(NOON)).isEmpty();
        assertThat(Policy.DEFAULT.stallTimeout(SECOND).stallDue(NOON))
                .contains(NOON.plusSeconds(1));
        assertThat(Policy.DEFAULT.attemptTimeout(SECOND).stallDue(NOON)).isEmpty();
    }

    @Test
    void a_lease_may_lapse_as_often_as_the_policy_says() {
        var policy = Policy.DEFAULT.maxReclaims(2);

        assertThat(Stream.of(0, 1, 2, 3).map(policy::mayReclaim))
                .containsExactly(true, true, false, false);
        assertThat(Policy.DEFAULT.maxReclaims(0).mayReclaim(0)).isFalse();
    }

    @Test
    void it_may_be_replayed_as_often_as_the_policy_says() {
        var policy = Policy.DEFAULT.maxReplays(2);

        assertThat(Stream.of(0, 1, 2, 3).map(policy::mayReplay))
                .containsExactly(true, true, false, false);
        assertThat(Policy.DEFAULT.maxReplays(0).mayReplay(0)).isFalse();
    }

    @Test
    void it_is_kept_for_its_retention() {
        assertThat(Policy.DEFAULT.keepUntil(NOON, SECOND)).isEqualTo(NOON.plus(SECOND));
        assertThat(Policy.DEFAULT.retention(Duration.ZERO).keepUntil(NOON, SECOND)).isEqualTo(NOON);
    }

    @Test
    void a_priority_goes_from_0_to_9000() {
        assertThat(Policy.DEFAULT.priority(9000).priority()).isEqualTo(9000);
        assertOutOfRange("priority", () -> Policy.DEFAULT.priority(9001));
        assertOutOfRange("priority", () -> Policy.DEFAULT.priority(-1));
    }

    @Test
    void counts_go_from_0_to_a_million() {
        assertThat(Policy.DEFAULT.maxReclaims(1_000_000).maxReclaims()).isEqualTo(1_000_000);
        assertThat(Policy.DEFAULT.maxReplays(1_000_000).maxReplays()).isEqualTo(1_000_000);
        assertOutOfRange("max reclaims", () -> Policy.DEFAULT.maxReclaims(1_000_001));
        assertOutOfRange("max reclaims", () -> Policy.DEFAULT.maxReclaims(-1));
        assertOutOfRange("max replays", () -> Policy.DEFAULT.maxReplays(1_000_001));
        assertOutOfRange("max replays", () -> Policy.DEFAULT.maxReplays(-1));
    }

    @Test
    void a_timeout_lasts_from_a_millisecond_to_a_hundred_years() {
        var millisecond = Duration.ofMillis(1);

        assertThat(Policy.DEFAULT.attemptTimeout(millisecond).attemptTimeout())
                .contains(millisecond);
        assertThat(Policy.DEFAULT.stallTimeout(millisecond).stallTimeout()).contains(millisecond);
        assertThat(Policy.DEFAULT.attemptTimeout(CENTURY).attemptTimeout()).contains(CENTURY);
        for (var timeout :
                List.of(Duration.ZERO, Duration.ofNanos(999_999), CENTURY.plusMillis(1))) {
            assertOutOfRange("attempt timeout in ms", () -> Policy.DEFAULT.attemptTimeout(timeout));
            assertOutOfRange("stall timeout in ms", () -> Policy.DEFAULT.stallTimeout(timeout));
        }
    }

    @Test
    void retention_lasts_from_nothing_to_a_hundred_years() {
        assertThat(Policy.DEFAULT.retention(CENTURY).retention()).contains(CENTURY);
        assertOutOfRange("retention in ms", () -> Policy.DEFAULT.retention(CENTURY.plusMillis(1)));
        assertOutOfRange("retention in ms", () -> Policy.DEFAULT.retention(Duration.ofMillis(-1)));
    }

    @Test
    void times_are_whole_milliseconds() {
        var odd = Duration.ofNanos(1_999_999);
        var policy = Policy.DEFAULT.attemptTimeout(odd).stallTimeout(odd).retention(odd);

        assertThat(policy.attemptTimeout()).contains(Duration.ofMillis(1));
        assertThat(policy.stallTimeout()).contains(Duration.ofMillis(1));
        assertThat(policy.retention()).contains(Duration.ofMillis(1));
    }

    @Test
    void the_latest_time_and_the_longest_wait_still_add_up() {
        var latest = Instant.EPOCH.plus(CENTURY);
        var policy =
                Policy.DEFAULT
                        .deadline(Due.in(CENTURY))
                        .attemptTimeout(CENTURY)
                        .stallTimeout(CENTURY)
                        .retention(CENTURY);

        assertThat(policy.deadlineFrom(latest)).contains(latest.plus(CENTURY));
        assertThat(policy.attemptDue(latest)).contains(latest.plus(CENTURY));
        assertThat(policy.stallDue(latest)).contains(latest.plus(CENTURY));
        assertThat(policy.keepUntil(latest, SECOND)).isEqualTo(latest.plus(CENTURY));
    }

    private static Retry retry(String... categories) {
        return Retry.DEFAULT.only(categories);
    }

    private static Digest digest(Policy policy) {
        var digest = Digest.of("test");
        policy.digest(digest);
        return digest.done();
    }

    private static void assertOutOfRange(String field, ThrowingCallable call) {
        assertRefused(Invalid.Code.OUT_OF_RANGE, field, call);
    }

    @Test
    void no_two_sets_of_categories_share_a_digest() {
        assertThat(digest(Policy.DEFAULT.retry(Retry.DEFAULT.only("a, b"))))
                .isNotEqualTo(digest(Policy.DEFAULT.retry(Retry.DEFAULT.only("a", "b"))));
    }

    @Test
    void another_reservation_is_another_policy_and_replaces_the_one_before() {
        var little = Policy.DEFAULT.budget("team", Map.of("tokens", 1L));
        var much = Policy.DEFAULT.budget("team", Map.of("tokens", 2L));

        assertThat(little).isNotEqualTo(much).isNotEqualTo(Policy.DEFAULT.budget("team"));
        assertThat(much.budget("team", Map.of("tokens", 1L))).isEqualTo(little);
    }

    @Test
    void one_more_budget_leaves_the_others() {
        assertThat(Policy.DEFAULT.budget("house").budget("team").budgets())
                .extracting(BudgetUse::budget)
                .containsExactly("house", "team");
    }

    @Test
    void no_two_sets_of_quotas_or_budgets_share_a_digest() {
        assertThat(digest(Policy.DEFAULT.quota("calls")))
                .isNotEqualTo(digest(Policy.DEFAULT.quota("mails")));
        assertThat(digest(Policy.DEFAULT.quota("calls", "ada")))
                .isNotEqualTo(digest(Policy.DEFAULT.quota("calls", "bob")));
        assertThat(digest(Policy.DEFAULT.budget("team", Map.of("tokens", 1L))))
                .isNotEqualTo(digest(Policy.DEFAULT.budget("team", Map.of("tokens", 2L))))
                .isNotEqualTo(digest(Policy.DEFAULT.budget("team", Map.of("cents", 1L))));
        assertThat(digest(Policy.DEFAULT.retry(retry("timeout"))))
                .isNotEqualTo(digest(Policy.DEFAULT.retry(retry("transient"))));
    }

    @Test
    void a_reservation_of_another_dimension_has_another_place_in_the_order() {
        var tokens = BudgetUse.of("team", Map.of("tokens", 1L));
        var cents = BudgetUse.of("team", Map.of("cents", 1L));

        assertThat(cents).isLessThan(tokens);
        assertThat(tokens).isLessThan(BudgetUse.of("team", Map.of("tokens", 2L)));
    }

    @Test
    void it_counts_against_8_quotas_and_draws_on_8_budgets_at_most() {
        var full = Policy.DEFAULT;
        for (int i = 0; i < 8; i++) {
            full = full.quota("quota" + i).budget("budget" + i);
        }
        var most = full;

        assertThat(most.quotas()).hasSize(8);
        assertThat(most.budgets()).hasSize(8);
        assertRefused(Invalid.Code.TOO_MANY, "quotas", () -> most.quota("one more"));
        assertRefused(Invalid.Code.TOO_MANY, "budgets", () -> most.budget("one more"));
    }

    @Test
    void a_share_key_is_a_name() {
        assertThat(Policy.DEFAULT.share("ada").share()).contains("ada");
        assertRefused(Invalid.Code.EMPTY, "share key", () -> Policy.DEFAULT.share(""));
    }

    @Test
    void policies_that_differ_in_what_is_each_ones_own_share_the_rest_and_become_whole_again() {
        var own =
                Policy.DEFAULT
                        .priority(1)
                        .start(Due.in(SECOND))
                        .deadline(Due.at(NOON))
                        .needs(Capabilities.of("gpu"))
                        .quota("calls")
                        .budget("team")
                        .share("ada")
                        .retry(Retry.NEVER)
                        .attemptTimeout(SECOND)
                        .maxReclaims(3);

        assertThat(own.shared())
                .isEqualTo(Policy.DEFAULT.retry(Retry.NEVER).attemptTimeout(SECOND).maxReclaims(3));
        assertThat(
                        own.shared()
                                .whole(
                                        own.priority(),
                                        own.start(),
                                        own.deadline(),
                                        own.needs(),
                                        own.quotas(),
                                        own.budgets(),
                                        own.share()))
                .isEqualTo(own);
    }

    @Test
    void another_backoff_is_another_policy() {
        assertThat(
                        digest(
                                Policy.DEFAULT.retry(
                                        Retry.DEFAULT.backoff(Backoff.fixed(Duration.ZERO)))))
                .isNotEqualTo(digest(Policy.DEFAULT));
    }
}
