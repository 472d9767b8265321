package io.flowfabric.core.decision;

import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Examples.SESSION;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Failure;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;

import org.junit.jupiter.api.Test;

class BudgetDecisionsTest {
    private static final String BREACH = "budget team: tokens 10 of 10";

    @Test
    void a_breach_cancels_what_runs_and_names_the_limit() {
        var change = BudgetDecisions.cancel(Given.facts(Given.RUNNING), BREACH, NOON);

        assertThat(change.transition()).isEqualTo(Transition.CANCEL);
        assertThat(change.after()).isEqualTo(Given.ended(Outcome.CANCELLED));
        assertThat(change.failure()).contains(Failure.of(Failure.CANCELLED, BREACH));
        assertThat(change.by()).contains(Attribution.engine(BREACH));
    }

    @Test
    void a_breach_sends_what_was_only_granted_back_to_wait() {
        var granted = new Granted(LeasePurpose.RETRY, SESSION, NOON.plusSeconds(9));

        var change = BudgetDecisions.cancel(Given.facts(granted), BREACH, NOON);

        assertThat(change.transition()).isEqualTo(Transition.FORFEIT);
        assertThat(change.after()).isEqualTo(new Ready(LeasePurpose.RETRY));
        assertThat(change.failure()).isEmpty();
        assertThat(change.by()).contains(Attribution.engine(BREACH));
    }
}
