package io.flowfabric.core.decision;

import static io.flowfabric.core.Examples.NOON;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.Optional;

class ReclaimDecisionsTest {
    private static final Ready LOST = new Ready(LeasePurpose.RECLAIM);
    private static final Session MAILER = Session.of("mailer", "mailer-1", "emails");
    private static final Policy GPU = Policy.DEFAULT.needs(Capabilities.of("gpu"));

    private static void reclaim(Facts facts, boolean laneGives, Session worker) {
        ReclaimDecisions.mustBeReclaimable(
                facts, NOON, Lane.of("emails"), laneGives, "mail", worker);
    }

    private static void assertTaken(Facts facts, Session worker) {
        assertThatCode(() -> reclaim(facts, true, worker)).doesNotThrowAnyException();
    }

    private static void assertConflict(
            Conflict.Code code, Facts facts, boolean laneGives, Session worker) {
        assertThatThrownBy(() -> reclaim(facts, laneGives, worker))
                .isInstanceOfSatisfying(
                        Conflict.class, conflict -> assertThat(conflict.code()).isEqualTo(code));
    }

    private static void assertNotClaimable(Facts facts) {
        assertConflict(Conflict.Code.NOT_CLAIMABLE, facts, true, MAILER);
    }

    private static Facts lostWithDeadline(Instant deadline) {
        return Given.facts(LOST, Policy.DEFAULT, Optional.of(deadline));
    }

    @Test
    void work_that_lost_its_lease_goes_to_a_worker_that_could_claim_it() {
        assertTaken(Given.facts(LOST), MAILER);
        assertTaken(Given.facts(LOST, GPU), MAILER.offers(Capabilities.of("gpu")));
    }

    @Test
    void only_work_that_lost_its_lease_is_reclaimed() {
        assertNotClaimable(Given.facts(new Ready(LeasePurpose.FIRST)));
        assertNotClaimable(Given.facts(new Ready(LeasePurpose.CONTINUE)));
        assertNotClaimable(Given.facts(Given.RUNNING));
        assertNotClaimable(Given.facts(new Blocked(BlockedBy.OPERATOR, "held", LOST)));
    }

    @Test
    void what_has_ended_says_so() {
        assertConflict(
                Conflict.Code.ALREADY_FINISHED,
                Given.facts(Given.ended(Outcome.FAILED)),
                true,
                MAILER);
    }

    @Test
    void what_has_expired_is_not_reclaimed() {
        assertTaken(lostWithDeadline(NOON.plusMillis(1)), MAILER);
        assertNotClaimable(lostWithDeadline(NOON));
    }

    @Test
    void a_lane_that_gives_nothing_out_gives_no_lost_work_out_either() {
        assertConflict(Conflict.Code.NOT_CLAIMABLE, Given.facts(LOST), false, MAILER);
    }

    // R24
    @Test
    void a_worker_of_another_namespace_does_not_get_it_though_its_lane_has_the_same_name() {
        assertConflict(
                Conflict.Code.OTHER_NAMESPACE,
                Given.facts(LOST),
                true,
                MAILER.namespace(new Namespace("elsewhere")));
    }

    @Test
    void a_worker_that_could_not_have_claimed_it_does_not_get_it() {
        assertConflict(
                Conflict.Code.NOT_CLAIMABLE,
                Given.facts(LOST),
                true,
                Session.of("mailer", "mailer-1", "letters"));
        assertConflict(Conflict.Code.NOT_CLAIMABLE, Given.facts(LOST), true, MAILER.kinds("fax"));
        assertConflict(Conflict.Code.NOT_CLAIMABLE, Given.facts(LOST, GPU), true, MAILER);
    }
}
