package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Given.idOf;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.feed.Event.LeaseChange;
import io.flowfabric.core.operate.LaneSettings.State;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.util.function.Supplier;

/** Rule 12: a reclaim grant is a targeted claim of a lapsed execution. */
abstract class ReclaimGrantRules extends TicketRules {
    ReclaimGrantRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    @BatchAnswers("P28")
    void a_lapsed_execution_is_granted_to_a_chosen_worker() {
        var id = world.submit();
        var dying = world.frailWorker();
        dying.claimOne();
        world.bury(dying);
        var chosen = world.worker();

        var grant = chosen.reclaim(id).orThrow();

        assertThat(grant.execution()).isEqualTo(id);
        assertThat(chosen.reclaim(id)).isDone(grant);
        var lease = chosen.redeem(grant).orThrow();
        assertThat(lease.next()).isEqualTo(LeasePurpose.RECLAIM);
        assertThat(lease.fence()).isEqualTo(world.fence(id, 0, 3));
        assertThat(world.lastStep(id).leaseChange()).contains(LeaseChange.RECLAIMED);
    }

    @Test
    void a_reclaim_grant_that_is_not_redeemed_is_ready_to_be_reclaimed_again() {
        var id = lapsed();
        var chosen = world.worker();
        var grant = chosen.reclaim(id).orThrow();

        world.pass(TTL);

        assertThat(world.view(id).state()).isEqualTo(new Ready(LeasePurpose.RECLAIM));
        assertThat(world.view(id).reclaims()).isEqualTo(1);
        assertThat(chosen.redeem(grant)).isRefused();
    }

    @Test
    void only_work_that_lost_its_lease_can_be_reclaimed() {
        var worker = world.worker();
        var fresh = world.submit();
        assertThat(worker.reclaim(fresh)).isConflict(Conflict.Code.NOT_CLAIMABLE, fresh);

        var lease = worker.claimOne();
        assertThat(worker.reclaim(fresh)).isConflict(Conflict.Code.NOT_CLAIMABLE, fresh);

        world.end(complete(lease)).orThrow();
        assertThat(worker.reclaim(fresh)).isConflict(Conflict.Code.ALREADY_FINISHED, fresh);
        assertThat(worker.reclaim(Given.unknown())).isNotFound("execution");
    }

    @Test
    void whoever_could_not_claim_it_cannot_reclaim_it() {
        var id = lapsed();
        assertThat(world.worker(Lane.of("elsewhere")).reclaim(id))
                .isConflict(Conflict.Code.NOT_CLAIMABLE, id);
        var another = world.session(Lane.DEFAULT).kinds("another kind");
        assertThat(world.worker(another).reclaim(id)).isConflict(Conflict.Code.NOT_CLAIMABLE, id);

        world.configure(Lane.DEFAULT, State.PAUSED);
        assertThat(world.worker().reclaim(id)).isConflict(Conflict.Code.NOT_CLAIMABLE, id);
        world.configure(Lane.DEFAULT, State.ACTIVE);
        assertThat(world.worker().reclaim(id)).isDone();
    }

    @Test
    void a_reclaim_grant_needs_room_like_any_claim() {
        world.store().quotas().define(Quota.atOnce("mail", 1), Scenario.OLGA);
        var id = world.submit(Policy.DEFAULT.quota("mail"));
        var dying = world.frailWorker();
        dying.claimOne();
        world.bury(dying);
        var first = world.submit(Policy.DEFAULT.quota("mail").priority(9));
        var lease = world.worker().claimOne();
        assertThat(idOf(lease)).isEqualTo(first);

        var chosen = world.worker();
        assertThat(chosen.reclaim(id)).isConflict(Conflict.Code.NOT_CLAIMABLE, id);
        world.end(complete(lease)).orThrow();
        assertThat(chosen.reclaim(id)).isDone();
        assertThat(running("mail")).isEqualTo(1);
    }

    private ExecutionId lapsed() {
        var id = world.submit();
        var dying = world.frailWorker();
        dying.claimOne();
        world.bury(dying);
        return id;
    }
}
