package io.flowfabric.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.operate.LaneSettings.State;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

class ObstacleTest {
    private static final QuotaView FULL = quota(3);

    private static QuotaView quota(int running) {
        return new QuotaView(
                Quota.atOnce("calls", 3), QuotaUse.of("calls"), running, 0, Optional.empty());
    }

    private static Optional<Obstacle> first(
            State lane, String needs, Optional<String> shortage, QuotaView... quotas) {
        return Obstacle.first(
                Lane.of("emails"),
                lane,
                "welcome",
                Capabilities.parse(needs),
                List.of(),
                () -> shortage,
                () -> Stream.of(quotas));
    }

    @Test
    void the_lane_comes_before_workers_before_budgets_before_quotas() {
        var spent = Optional.of("budget team: spent");

        assertThat(first(State.PAUSED, "gpu", spent, FULL))
                .contains(new Obstacle(BlockedBy.LANE, "lane default/emails is paused"));
        assertThat(first(State.DRAINING, "gpu", spent, FULL).map(Obstacle::by))
                .contains(BlockedBy.ROUTE);
        assertThat(first(State.ACTIVE, "", spent, FULL))
                .contains(new Obstacle(BlockedBy.BUDGET, "budget team: spent"));
        assertThat(first(State.ACTIVE, "", Optional.empty(), quota(2), FULL))
                .contains(new Obstacle(BlockedBy.QUOTA, FULL.inWords()));
        assertThat(first(State.ACTIVE, "", Optional.empty(), quota(2))).isEmpty();
    }

    @Test
    void ready_work_reads_as_blocked_by_it() {
        var ready = new Ready(LeasePurpose.FIRST);

        assertThat(new Obstacle(BlockedBy.QUOTA, "full").before(ready))
                .isEqualTo(new Blocked(BlockedBy.QUOTA, "full", ready));
    }
}
