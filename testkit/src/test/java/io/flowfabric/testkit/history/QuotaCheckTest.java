package io.flowfabric.testkit.history;

import static io.flowfabric.testkit.history.Tale.ADA;
import static io.flowfabric.testkit.history.Tale.BOB;
import static io.flowfabric.testkit.history.Tale.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.history.Violation.Kind;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What runs and starts under quotas. Each promise is broken by a history that was made for it, and
 * kept by one that is nearly the same.
 */
class QuotaCheckTest {
    private final Tale tale = new Tale();
    private final Tale other = new Tale();

    @Test
    void more_at_once_than_a_quota_allows() {
        bothBehind(Quota.atOnce("house", 1));
        tale.claim(ADA);
        other.at = tale.at;
        other.claim(BOB);

        assertThat(kinds(tale, other)).contains(Kind.QUOTA_EXCEEDED);
    }

    @Test
    void one_after_the_other_is_allowed() {
        bothBehind(Quota.atOnce("house", 1));
        tale.claim(ADA).complete(ADA);
        other.at = tale.at;
        other.claim(BOB).complete(BOB);

        assertThat(kinds(tale.seenCompleted("a"), other.seenCompleted("b"))).isEmpty();
    }

    @Test
    void keys_count_apart() {
        bothBehind(Quota.atOnce("house", 1));
        tale.policy = Policy.DEFAULT.quota("house", "north");
        other.policy = Policy.DEFAULT.quota("house", "south");
        tale.toldAccepted().claim(ADA);
        other.toldAccepted().claim(BOB);

        assertThat(kinds(tale, other)).doesNotContain(Kind.QUOTA_EXCEEDED);
    }

    @Test
    void more_starts_in_a_window_than_a_quota_allows() {
        bothBehind(Quota.rate("house", 1, Duration.ofSeconds(10)));
        tale.claim(ADA).complete(ADA);
        other.at = tale.at;
        other.claim(BOB).complete(BOB);

        assertThat(kinds(tale.seenCompleted("a"), other.seenCompleted("b")))
                .containsExactly(Kind.QUOTA_EXCEEDED);
    }

    @Test
    void starts_in_two_windows_are_allowed() {
        bothBehind(Quota.rate("house", 1, Duration.ofSeconds(1)));
        tale.claim(ADA).complete(ADA);
        other.at = tale.at;
        other.claim(BOB).complete(BOB);

        assertThat(kinds(tale.seenCompleted("a"), other.seenCompleted("b"))).isEmpty();
    }

    @Test
    void going_on_with_an_attempt_is_no_start() {
        bothBehind(Quota.rate("house", 1, Duration.ofSeconds(60)));
        tale.claim(ADA).release(ADA).claim(BOB).complete(BOB);

        assertThat(kinds(tale.seenCompleted("done"))).isEmpty();
    }

    @Test
    void the_quota_of_a_lane_counts_for_all_of_its_work() {
        tale.tell(define(Quota.atOnce("house", 1), tale.at));
        tale.tell(configure(Lane.DEFAULT, LaneSettings.DEFAULT.quota("house")));
        tale.submit().toldAccepted().claim(ADA);
        other.at = tale.at;
        other.submit().toldAccepted().claim(BOB);

        assertThat(kinds(tale, other)).contains(Kind.QUOTA_EXCEEDED);
    }

    @Test
    void a_grant_holds_its_place_until_it_is_forfeited() {
        bothBehind(Quota.atOnce("house", 1));
        tale.epoch = Fence.epochAfter(tale.epoch, tale.at);
        tale.step(Transition.GRANT, Situation.GRANTED, Optional.of(ADA), Optional.empty());
        other.at = tale.at;
        other.claim(BOB);

        assertThat(kinds(tale, other)).contains(Kind.QUOTA_EXCEEDED);
    }

    private void bothBehind(Quota quota) {
        tale.tell(define(quota, tale.at));
        tale.policy = Policy.DEFAULT.quota("house");
        other.policy = tale.policy;
        tale.submit().toldAccepted();
        other.submit().toldAccepted();
    }

    private static Event define(Quota quota, Instant at) {
        return new Event.QuotaChange(
                Namespace.DEFAULT, quota.name(), Optional.of(quota), Tale.OPERATOR, at);
    }

    private Event configure(Lane lane, LaneSettings settings) {
        return new Event.LaneChange(lane, settings, Tale.OPERATOR, tale.at);
    }
}
