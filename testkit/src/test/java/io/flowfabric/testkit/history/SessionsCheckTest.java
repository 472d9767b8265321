package io.flowfabric.testkit.history;

import static io.flowfabric.testkit.history.Tale.ADA;
import static io.flowfabric.testkit.history.Tale.BOB;
import static io.flowfabric.testkit.history.Tale.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.history.Violation.Kind;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What sessions may do, and when what they held comes back. Each promise is broken by a history
 * that was made for it, and kept by one that is nearly the same.
 */
class SessionsCheckTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Expectations PROMPT = Expectations.slack(Duration.ofSeconds(2)).places(2);

    private final Tale tale = new Tale();
    private final Tale other = new Tale();

    @Test
    void an_end_by_a_session_that_an_operator_had_declared_dead() {
        tale.submit().toldAccepted().claim(ADA).tell(marked(tale.at));
        tale.at = tale.at.plus(SECOND);
        tale.complete(ADA).seenCompleted("late");

        assertThat(kinds(tale)).containsExactly(Kind.WRITE_AFTER_DEATH);
    }

    @Test
    void an_end_in_the_moment_of_the_death_may_have_come_before_it() {
        tale.submit().toldAccepted().claim(ADA).tell(marked(tale.at));
        tale.complete(ADA).seenCompleted("in time");

        assertThat(kinds(tale)).isEmpty();
    }

    @Test
    void an_end_that_waited_for_another_step_may_have_begun_before_the_death() {
        tale.submit().toldAccepted().claim(ADA).tell(marked(tale.at));
        tale.at = tale.at.plus(SECOND);
        var moment = tale.at;
        reprioritise(tale);
        tale.at = moment;
        tale.complete(ADA).seenCompleted("in time");

        assertThat(kinds(tale)).isEmpty();
    }

    @Test
    void an_end_after_another_step_and_after_the_death() {
        tale.submit().toldAccepted().claim(ADA).tell(marked(tale.at));
        tale.at = tale.at.plus(SECOND);
        reprioritise(tale);
        tale.complete(ADA).seenCompleted("late");

        assertThat(kinds(tale)).containsExactly(Kind.WRITE_AFTER_DEATH);
    }

    private static void reprioritise(Tale tale) {
        tale.step(
                Transition.REPRIORITISE,
                Situation.RUNNING,
                Optional.empty(),
                Optional.of(new Attribution("olga", "first things first")));
    }

    @Test
    void an_end_by_a_session_whose_other_work_had_lapsed() {
        tale.submit().toldAccepted().claim(ADA);
        other.submit().toldAccepted().claim(ADA).lapse(ADA).claim(BOB).complete(BOB);
        tale.at = other.at;
        tale.complete(ADA);

        assertThat(kinds(tale.seenCompleted("a"), other.seenCompleted("b")))
                .containsExactly(Kind.WRITE_AFTER_DEATH);
    }

    @Test
    void an_end_by_a_session_whose_work_in_another_part_of_the_store_had_lapsed() {
        tale.submit().toldAccepted().claim(ADA);
        other.submit().toldAccepted().claim(ADA).lapse(ADA).claim(BOB).complete(BOB);
        tale.at = other.at;
        tale.complete(ADA);
        var history = Tale.together(tale.seenCompleted("a"), other.seenCompleted("b"));

        assertThat(new HistoryChecker(history, Optional.of(id -> id)).verdict()).isEmpty();
        assertThat(new HistoryChecker(history, Optional.of(id -> "one")).verdict())
                .extracting(Violation::kind)
                .containsExactly(Kind.WRITE_AFTER_DEATH);
    }

    @Test
    void an_end_in_any_part_of_the_store_by_a_session_that_was_declared_dead() {
        tale.submit().toldAccepted().claim(ADA).tell(marked(tale.at));
        tale.at = tale.at.plus(SECOND);
        tale.complete(ADA).seenCompleted("late");

        assertThat(new HistoryChecker(Tale.together(tale), Optional.of(id -> id)).verdict())
                .extracting(Violation::kind)
                .containsExactly(Kind.WRITE_AFTER_DEATH);
    }

    @Test
    void an_end_after_the_time_of_the_last_heartbeat() {
        tale.submit().toldAccepted().claim(ADA).heartbeat(ADA, SECOND);
        tale.at = tale.at.plus(Duration.ofSeconds(2));
        tale.complete(ADA).seenCompleted("late");

        assertThat(kinds(tale)).containsExactly(Kind.WRITE_AFTER_DEATH);
    }

    @Test
    void an_end_within_the_time_of_the_last_heartbeat() {
        tale.submit().toldAccepted().claim(ADA).heartbeat(ADA, TTL);
        tale.at = tale.at.plus(Duration.ofSeconds(2));
        tale.complete(ADA).seenCompleted("in time");

        assertThat(kinds(tale)).isEmpty();
    }

    @Test
    void a_heartbeat_of_a_dead_session() {
        tale.tell(marked(tale.at));
        tale.at = tale.at.plus(SECOND);
        tale.heartbeat(ADA, TTL);

        assertThat(kinds(tale)).containsExactly(Kind.WRITE_AFTER_DEATH);
    }

    @Test
    void a_lease_for_a_dead_session() {
        tale.submit().toldAccepted().tell(marked(tale.at));
        tale.at = tale.at.plus(SECOND);
        tale.claim(ADA).cancel(Optional.of(ADA));

        assertThat(kinds(tale)).contains(Kind.WRITE_AFTER_DEATH);
    }

    @Test
    void work_of_a_dead_session_that_comes_back_late() {
        tale.submit().toldAccepted().claim(ADA).heartbeat(ADA, SECOND);
        tale.at = tale.at.plus(Duration.ofSeconds(10));
        tale.lapse(ADA);

        assertThat(late(tale)).isTrue();
    }

    @Test
    void work_of_a_dead_session_that_comes_back_in_time() {
        tale.submit().toldAccepted().claim(ADA).heartbeat(ADA, SECOND);
        tale.at = tale.at.plus(Duration.ofSeconds(2));
        tale.lapse(ADA);

        assertThat(late(tale)).isFalse();
    }

    private boolean late(Tale one) {
        return late(new Faults(), one);
    }

    private boolean late(Faults faults, Tale... tales) {
        var expected = new Expectations(PROMPT.slack(), PROMPT.places(), List.of(), faults);
        return kinds(Tale.together(tales).expecting(expected)).contains(Kind.LATE);
    }

    private static Event marked(Instant at) {
        return new Event.MarkedDead(ADA, Namespace.DEFAULT, Tale.OPERATOR, at);
    }
}
