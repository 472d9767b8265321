package io.flowfabric.testkit.history;

import static io.flowfabric.testkit.history.Tale.ADA;
import static io.flowfabric.testkit.history.Tale.BOB;
import static io.flowfabric.testkit.history.Tale.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.policy.Policy;
import io.flowfabric.testkit.history.Violation.Kind;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

/**
 * When work that is due or ready starts, and what passes it over. Each promise is broken by a
 * history that was made for it, and kept by one that is nearly the same.
 */
class QueueCheckTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Expectations PROMPT = Expectations.slack(Duration.ofSeconds(2)).places(2);

    private final Tale tale = new Tale();
    private final Tale other = new Tale();

    @Test
    void a_timer_that_fires_late() {
        tale.submit().toldAccepted().claim(ADA).retry(ADA);
        tale.at = tale.at.plus(Duration.ofSeconds(10));
        tale.wake();

        assertThat(late(tale)).isTrue();
    }

    @Test
    void a_timer_that_fires_late_because_of_a_fault() {
        tale.submit().toldAccepted().claim(ADA).retry(ADA);
        var faults = new Faults();
        faults.everywhere(tale.at).over(tale.at.plus(Duration.ofSeconds(9)));
        tale.at = tale.at.plus(Duration.ofSeconds(10));
        tale.wake();

        assertThat(late(faults, tale)).isFalse();
    }

    @Test
    void a_timer_that_fires_in_time() {
        tale.submit().toldAccepted().claim(ADA).retry(ADA).wake();

        assertThat(late(tale)).isFalse();
    }

    @Test
    void ready_work_that_a_worker_with_room_takes_late() {
        tale.heartbeat(ADA, Duration.ofMinutes(1)).submit().toldAccepted();
        tale.at = tale.at.plus(Duration.ofSeconds(10));
        tale.claim(ADA);

        assertThat(late(tale)).isTrue();
    }

    @Test
    void ready_work_that_a_worker_takes_late_who_was_frozen() {
        tale.heartbeat(ADA, Duration.ofMinutes(1)).submit().toldAccepted();
        var faults = new Faults();
        faults.at("ada", tale.at).over(tale.at.plus(SECOND));
        tale.at = tale.at.plus(Duration.ofSeconds(10));
        tale.claim(ADA);

        assertThat(late(faults, tale)).isFalse();
    }

    @Test
    void ready_work_that_is_taken_late_by_a_worker_that_had_no_room() {
        tale.heartbeat(ADA, Duration.ofMinutes(1)).submit().toldAccepted();
        var first = new Tale();
        var second = new Tale();
        for (var busy : List.of(first, second)) {
            busy.submit().toldAccepted().claim(ADA);
            busy.at = tale.at.plus(Duration.ofSeconds(9));
            busy.complete(ADA);
        }
        tale.at = tale.at.plus(Duration.ofSeconds(10));
        tale.claim(ADA);

        assertThat(late(new Faults(), first, second, tale)).isFalse();
    }

    @Test
    void work_behind_a_quota_may_wait() {
        tale.policy = Policy.DEFAULT.quota("house");
        tale.heartbeat(ADA, Duration.ofMinutes(1)).submit().toldAccepted();
        tale.at = tale.at.plus(Duration.ofSeconds(10));
        tale.claim(ADA);

        assertThat(late(tale)).isFalse();
    }

    private boolean late(Tale one) {
        return late(new Faults(), one);
    }

    private boolean late(Faults faults, Tale... tales) {
        var expected = new Expectations(PROMPT.slack(), PROMPT.places(), List.of(), faults);
        return kinds(Tale.together(tales).expecting(expected)).contains(Kind.LATE);
    }

    @Test
    void work_that_is_overtaken_by_work_of_a_lower_priority_and_waits_on() {
        overtaken(Duration.ofSeconds(10));

        assertThat(kinds(Tale.together(tale, other).expecting(PROMPT))).contains(Kind.OUT_OF_ORDER);
    }

    @Test
    void work_that_is_overtaken_for_a_moment() {
        overtaken(SECOND);

        assertThat(kinds(Tale.together(tale, other).expecting(PROMPT)))
                .doesNotContain(Kind.OUT_OF_ORDER);
    }

    private void overtaken(Duration waitsOn) {
        tale.policy = Policy.DEFAULT.priority(5);
        tale.submit().toldAccepted();
        other.submit().toldAccepted();
        other.at = other.at.plus(Duration.ofSeconds(5));
        var taken = other.at;
        other.claim(BOB);
        tale.at = taken.plus(waitsOn);
        tale.claim(ADA);
    }
}
