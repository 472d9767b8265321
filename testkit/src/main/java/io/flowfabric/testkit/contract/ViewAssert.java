package io.flowfabric.testkit.contract;

import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Finished;
import io.flowfabric.core.state.Outcome;

import org.assertj.core.api.AbstractObjectAssert;
import org.assertj.core.api.Assertions;

/** An execution as it is read. */
final class ViewAssert extends AbstractObjectAssert<ViewAssert, ExecutionView> {
    ViewAssert(ExecutionView actual) {
        super(actual, ViewAssert.class);
    }

    /** It is in this state, with all that belongs to it. */
    ViewAssert reads(ExecutionState state) {
        return has("state", actual.state(), state);
    }

    /** It has ended this way, and no session holds it any more. */
    ViewAssert endedAs(Outcome outcome) {
        Assertions.assertThat(actual.state())
                .as(info.description())
                .isInstanceOfSatisfying(
                        Finished.class, end -> has("outcome", end.outcome(), outcome));
        return isUnowned();
    }

    /** How many attempts there were, and whether there was a lease. */
    ViewAssert hasBegun(int attempts) {
        return has("attempts", actual.attempts(), attempts)
                .has("whether it was leased", actual.epoch() > 0, attempts > 0);
    }

    /** Which lease or grant was given last. */
    ViewAssert isAt(long epoch) {
        return has("epoch", actual.epoch(), epoch);
    }

    ViewAssert hasRetried(int times) {
        return has("retries", actual.retries(), times);
    }

    ViewAssert hasLapsed(int times) {
        return has("reclaims", actual.reclaims(), times);
    }

    ViewAssert isHeldBy(ScenarioWorker worker) {
        Assertions.assertThat(actual.owner()).as(info.description()).contains(worker.owner());
        return this;
    }

    ViewAssert isUnowned() {
        Assertions.assertThat(actual.owner()).as("owner %s", info.descriptionText()).isEmpty();
        return this;
    }

    private ViewAssert has(String name, Object found, Object expected) {
        Assertions.assertThat(found).as("%s %s", name, info.descriptionText()).isEqualTo(expected);
        return this;
    }
}
