package io.flowfabric.core.query;

import static io.flowfabric.core.Examples.ID;
import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Examples.OTHER_ID;
import static io.flowfabric.core.Examples.OWNER;
import static io.flowfabric.core.Examples.SESSION;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.StateVector.BlockingReason;

import org.junit.jupiter.api.Test;

/** Which executions a search finds. */
class SearchFitsTest {
    private static final Search ALL = Search.in(Namespace.DEFAULT);
    private static final Ready READY = new Ready(LeasePurpose.FIRST);

    private static ViewExample ready() {
        return ViewExample.in(READY);
    }

    @Test
    void without_conditions_everything_in_the_namespace_fits() {
        var elsewhere = ready().lane(new Lane(new Namespace("shop"), "emails"));

        assertThat(ALL.fits(ready().view())).isTrue();
        assertThat(ALL.fits(ViewExample.in(new Running(SESSION, NOON)).view())).isTrue();
        assertThat(ALL.fits(elsewhere.view())).isFalse();
        assertThat(Search.in(new Namespace("shop")).fits(elsewhere.view())).isTrue();
    }

    @Test
    void lane_kind_and_creator_must_be_those_that_are_named() {
        assertThat(ALL.lane("emails").fits(ready().view())).isTrue();
        assertThat(ALL.lane("emails").fits(ready().lane(Lane.of("letters")).view())).isFalse();
        assertThat(ALL.kind("mail").fits(ready().view())).isTrue();
        assertThat(ALL.kind("mail").fits(ready().kind("fax").view())).isFalse();
        assertThat(ALL.creator("ada").fits(ready().view())).isTrue();
        assertThat(ALL.creator("ada").fits(ready().creator("eve").view())).isFalse();
    }

    @Test
    void any_of_the_named_states_fits() {
        var search = ALL.states(PublicState.WAITING, PublicState.ACTIVE);

        assertThat(search.fits(ready().view())).isTrue();
        assertThat(search.fits(ViewExample.in(new Running(SESSION, NOON)).view())).isTrue();
        assertThat(ALL.states(PublicState.ACTIVE).fits(ready().view())).isFalse();
    }

    @Test
    void what_it_waits_for_is_found_as_it_reads() {
        var search = ALL.reason(BlockingReason.WAITING_FOR_QUOTA);

        assertThat(search.fits(ViewExample.in(blocked(BlockedBy.QUOTA)).view())).isTrue();
        assertThat(search.fits(ViewExample.in(blocked(BlockedBy.BUDGET)).view())).isFalse();
        assertThat(search.fits(ready().view())).isFalse();
    }

    @Test
    void lapsed_work_waits_and_goes_on_with_what_a_worker_lost() {
        var search = ALL.onlyLapsed();
        var lost = new Ready(LeasePurpose.RECLAIM);

        assertThat(search.fits(ViewExample.in(lost).view())).isTrue();
        assertThat(search.fits(ViewExample.in(new Blocked(BlockedBy.LANE, "paused", lost)).view()))
                .as("what holds it back is another matter")
                .isTrue();
        assertThat(search.fits(ready().view())).isFalse();
        assertThat(search.fits(ViewExample.in(letGo()).view()))
                .as("its worker let go of it in good order")
                .isFalse();
        assertThat(search.fits(ViewExample.in(new Running(SESSION, NOON)).view()))
                .as("another worker has taken it up")
                .isFalse();
    }

    @Test
    void all_tags_must_be_there_and_others_may() {
        var search = ALL.tag("city", "bonn").tag("size", "l");

        assertThat(search.fits(ready().tag("city", "bonn").tag("size", "l").view())).isTrue();
        assertThat(search.fits(ready().tag("city", "bonn").tag("size", "l").tag("x", "y").view()))
                .isTrue();
        assertThat(search.fits(ready().tag("city", "bonn").view())).isFalse();
        assertThat(search.fits(ready().tag("city", "rome").tag("size", "l").view())).isFalse();
    }

    @Test
    void times_of_submission_and_of_change_are_told_apart() {
        var changedLater = ready().submitted(NOON).changed(NOON.plusSeconds(60)).view();

        assertThat(ALL.submitted(TimeRange.until(NOON.plusSeconds(1))).fits(changedLater)).isTrue();
        assertThat(ALL.submitted(TimeRange.since(NOON.plusSeconds(1))).fits(changedLater))
                .isFalse();
        assertThat(ALL.changed(TimeRange.since(NOON.plusSeconds(1))).fits(changedLater)).isTrue();
        assertThat(ALL.changed(TimeRange.until(NOON.plusSeconds(1))).fits(changedLater)).isFalse();
    }

    @Test
    void the_partition_is_that_of_the_id() {
        var search = ALL.partition(ID.partition());

        assertThat(search.fits(ready().id(ID).view())).isTrue();
        assertThat(search.fits(ready().id(OTHER_ID).view())).isFalse();
    }

    @Test
    void a_worker_is_who_holds_it_now_in_whichever_process() {
        var search = ALL.worker("mailer");
        var running = new Running(SESSION, NOON);

        assertThat(search.fits(ViewExample.in(running).owner(OWNER).view())).isTrue();
        assertThat(search.fits(held(running, "mailer", "mailer-2"))).isTrue();
        assertThat(search.fits(held(running, "printer", "mailer-1"))).isFalse();
        assertThat(search.fits(ready().view())).isFalse();
    }

    private static ExecutionView held(ExecutionState state, String worker, String instance) {
        return ViewExample.in(state).owner(new Owner(SESSION, worker, instance)).view();
    }

    private static Blocked blocked(BlockedBy by) {
        return new Blocked(by, "full", READY);
    }

    private static Delayed letGo() {
        return new Delayed(LeasePurpose.CONTINUE, NOON, DelayedBy.REQUEST);
    }
}
