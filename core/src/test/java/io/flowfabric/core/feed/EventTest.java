package io.flowfabric.core.feed;

import static io.flowfabric.core.Examples.ID;
import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Examples.OWNER;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.feed.Event.LeaseChange;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Optional;

class EventTest {
    private static final Lane LANE = new Lane(new Namespace("shop"), "emails");
    private static final Attribution OPERATOR = new Attribution("ada", "because");

    @ParameterizedTest
    @EnumSource
    void a_step_without_an_owner_touched_no_lease(Transition transition) {
        assertThat(step(transition, Optional.empty(), Optional.empty()).leaseChange()).isEmpty();
        assertThat(step(transition, Optional.empty(), Optional.of(OPERATOR)).leaseChange())
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"GRANT", "FORFEIT"})
    void a_grant_is_no_lease(Transition transition) {
        assertThat(step(transition, Optional.of(OWNER), Optional.empty()).leaseChange()).isEmpty();
        assertThat(step(transition, Optional.of(OWNER), Optional.of(OPERATOR)).leaseChange())
                .isEmpty();
    }

    // The holder acts without a name, everyone else with one.
    @ParameterizedTest
    @CsvSource({
        "CLAIM, ACQUIRED, ACQUIRED",
        "REDEEM, ACQUIRED, ACQUIRED",
        "RECLAIM, RECLAIMED, RECLAIMED",
        "LAPSE, EXPIRED, EXPIRED",
        "COMPLETE, RELEASED, REVOKED",
        "RETRY, RELEASED, REVOKED",
        "FAIL, RELEASED, REVOKED",
        "DELAY, RELEASED, REVOKED",
        "RELEASE, RELEASED, REVOKED",
        "SUSPEND, RELEASED, REVOKED",
        "AWAIT, RELEASED, REVOKED",
        "REVOKE, RELEASED, REVOKED",
        "PAUSE, RELEASED, REVOKED",
        "CANCEL, RELEASED, REVOKED",
        "EXPIRE, RELEASED, REVOKED",
        "SKIP, RELEASED, REVOKED"
    })
    void a_step_with_an_owner_gave_or_ended_a_lease(
            Transition transition, LeaseChange byHolder, LeaseChange byOther) {
        assertThat(step(transition, Optional.of(OWNER), Optional.empty()).leaseChange())
                .contains(byHolder);
        assertThat(step(transition, Optional.of(OWNER), Optional.of(OPERATOR)).leaseChange())
                .contains(byOther);
        assertThat(
                        step(
                                        transition,
                                        Optional.of(OWNER),
                                        Optional.of(Attribution.engine("deadline")))
                                .leaseChange())
                .contains(byOther);
    }

    // R36
    @Test
    void a_lease_that_was_lost_once_too_often_expired_and_was_not_revoked() {
        var step =
                step(
                        Transition.FAIL,
                        Optional.of(OWNER),
                        Optional.of(Attribution.RECLAIMS_EXHAUSTED));

        assertThat(step.leaseChange()).contains(LeaseChange.EXPIRED);
    }

    @Test
    void a_step_belongs_to_the_namespace_of_its_lane() {
        assertThat(step(Transition.WAKE, Optional.empty(), Optional.empty()).namespace())
                .isEqualTo(LANE.namespace());
    }

    @Test
    void a_change_of_a_lane_belongs_to_the_namespace_of_the_lane() {
        assertThat(new Event.LaneChange(LANE, LaneSettings.DEFAULT, OPERATOR, NOON).namespace())
                .isEqualTo(LANE.namespace());
    }

    @Test
    void an_erasure_belongs_to_the_namespace_of_the_lane() {
        assertThat(new Event.Erased(ID, LANE, OPERATOR, NOON).namespace())
                .isEqualTo(LANE.namespace());
    }

    private static Event.Step step(
            Transition transition, Optional<Owner> owner, Optional<Attribution> by) {
        return new Event.Step(
                ID,
                LANE,
                transition,
                Situation.READY,
                NOON,
                1,
                1,
                owner,
                by,
                Optional.empty(),
                Optional.empty());
    }
}
