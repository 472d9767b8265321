package io.flowfabric.core.decision;

import static io.flowfabric.core.Examples.FAILURE;
import static io.flowfabric.core.Examples.ID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Fence;
import io.flowfabric.core.LeaseLost;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.decision.LeaseStanding.GivenUp;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.policy.RetryDecision;
import io.flowfabric.core.state.Transition;

import org.junit.jupiter.api.Test;

import java.util.Optional;

class LeaseStandingTest {
    private static final Fence FENCE = new Fence(ID, 1, 5);
    private static final Ending DONE = new Ending.Complete(FENCE, Payload.text("done"));
    private static final Ended ANSWER = new Ended(Transition.COMPLETE, Optional.empty());

    private static LeaseStanding standing(int attempts, long epoch, long given) {
        return new LeaseStanding(
                ID,
                attempts,
                epoch,
                PublicState.COMPLETED,
                Optional.of(new GivenUp(given, DONE.digest(), ANSWER)));
    }

    @Test
    void the_same_ending_gets_the_same_answer() {
        assertThat(standing(2, 5, 5).repeated(DONE)).isEqualTo(ANSWER);
    }

    @Test
    void another_ending_of_the_same_lease_is_a_conflict() {
        var other = new Ending.Fail(FENCE, FAILURE, RetryDecision.GIVE_UP);

        assertThatThrownBy(() -> standing(2, 5, 5).repeated(other))
                .isInstanceOfSatisfying(
                        Conflict.class,
                        conflict ->
                                assertThat(conflict.code())
                                        .isEqualTo(Conflict.Code.ENDED_DIFFERENTLY))
                .hasMessageContaining("complete");
    }

    @Test
    void a_lease_that_is_not_the_newest_is_lost() {
        assertLost(standing(2, 6, 5));
        assertLost(standing(3, 5, 5));
        assertLost(standing(2, 5, 4));
        assertLost(new LeaseStanding(ID, 2, 5, PublicState.ACTIVE, Optional.empty()));
        assertLost(standing(0, 5, 5));
    }

    private static void assertLost(LeaseStanding standing) {
        assertThatThrownBy(() -> standing.repeated(DONE)).isInstanceOf(LeaseLost.class);
    }
}
