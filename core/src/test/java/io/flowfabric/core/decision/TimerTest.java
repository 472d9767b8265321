package io.flowfabric.core.decision;

import static io.flowfabric.core.Examples.ID;
import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Examples.SESSION;
import static io.flowfabric.core.decision.Given.DELAYED;
import static io.flowfabric.core.decision.Given.RUNNING;
import static io.flowfabric.core.decision.Given.ended;
import static io.flowfabric.core.decision.Given.facts;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

class TimerTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Instant LATER = NOON.plusSeconds(10);
    private static final Policy TIMED =
            Policy.DEFAULT.attemptTimeout(MINUTE).stallTimeout(MINUTE.multipliedBy(2));
    private static final Granted GRANTED = new Granted(LeasePurpose.FIRST, SESSION, LATER);

    @Test
    void a_deadline_is_due_whatever_the_execution_is_at_until_it_has_ended() {
        for (ExecutionState state :
                new ExecutionState[] {new Ready(LeasePurpose.FIRST), RUNNING, DELAYED}) {
            assertThat(Timer.DEADLINE.due(facts(state, TIMED, Optional.of(LATER)))).contains(LATER);
            assertThat(Timer.DEADLINE.due(facts(state))).isEmpty();
        }
        var over = facts(ended(Outcome.SUCCESS), TIMED, Optional.of(LATER));
        assertThat(Timer.DEADLINE.due(over)).isEmpty();
    }

    @Test
    void a_lease_that_lasts_is_due_from_when_it_was_given() {
        assertThat(Timer.ATTEMPT.due(facts(RUNNING, TIMED))).contains(NOON.plus(MINUTE));
        assertThat(Timer.ATTEMPT.due(facts(RUNNING))).isEmpty();
        assertThat(Timer.ATTEMPT.due(facts(DELAYED, TIMED))).isEmpty();
    }

    @Test
    void silence_counts_from_the_last_report_of_this_lease() {
        var quiet = NOON.plus(MINUTE.multipliedBy(2));

        assertThat(Timer.STALL.due(facts(RUNNING, TIMED))).contains(quiet);
        assertThat(Timer.STALL.due(reported(LATER))).contains(quiet.plusSeconds(10));
        assertThat(Timer.STALL.due(reported(NOON.minusSeconds(5)))).contains(quiet);
        assertThat(Timer.STALL.due(facts(DELAYED, TIMED))).isEmpty();
    }

    private static Facts reported(Instant at) {
        return new Facts(ID, TIMED, RUNNING, 0, 1, 0, 0, 0, Optional.empty(), Optional.of(at));
    }

    @Test
    void a_delay_and_a_grant_are_due_when_they_say() {
        assertThat(Timer.WAKE.due(facts(DELAYED))).contains(DELAYED.until());
        assertThat(Timer.WAKE.due(facts(RUNNING))).isEmpty();
        assertThat(Timer.GRANT.due(facts(GRANTED))).contains(LATER);
        assertThat(Timer.GRANT.due(facts(RUNNING))).isEmpty();
    }

    @Test
    void each_rings_as_its_own_step() {
        assertThat(Timer.DEADLINE.ring(facts(DELAYED), NOON).transition())
                .isEqualTo(Transition.EXPIRE);
        assertThat(Timer.ATTEMPT.ring(facts(RUNNING, TIMED), NOON).transition())
                .isEqualTo(Transition.RETRY);
        assertThat(Timer.STALL.ring(facts(RUNNING, TIMED), NOON).transition())
                .isEqualTo(Transition.LAPSE);
        assertThat(Timer.WAKE.ring(facts(DELAYED), NOON).transition()).isEqualTo(Transition.WAKE);
        assertThat(Timer.GRANT.ring(facts(GRANTED), NOON).transition())
                .isEqualTo(Transition.FORFEIT);
    }
}
