package io.flowfabric.postgres;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

/** How the steps are run that time and operators make. */
class MaintenancePlansTest extends BacklogPlans {
    /** So many events share a few summaries, and as many have none yet. */
    private static final int LOOKED_AT = 5000;

    MaintenancePlansTest(Backlog backlog) {
        super(backlog);
    }

    @Test
    void what_time_does_touches_what_is_due() {
        startLogging();
        var soon = Policy.DEFAULT.start(Due.in(Duration.ofMillis(1)));
        backlog.submit(BATCH, i -> Submission.of("work", Payload.EMPTY).policy(soon));
        int woken = 0;
        while (woken < BATCH) {
            woken += store.maintenance().tick(Chore.TIMERS, 1000).processed();
        }
        store.maintenance().tick(Chore.SESSIONS, 1000);
        store.maintenance().nextDue(Duration.ofMinutes(1));

        check("due", BATCH);
        check("step", BATCH);
        check("next_due", 6);
        check("first_due", 6);
        check("die", 6);
    }

    @Test
    void a_dead_session_costs_what_it_held() {
        var dying = open("3", Lane.DEFAULT);
        store.claims().claim(new Claim(dying.id(), 1, BATCH));
        startLogging();
        store.sessions().close(dying.id());

        check("held_by_the_dead", BATCH);
        check("step", BATCH);
        check("bury", BATCH);
    }

    @Test
    void an_act_of_an_operator_touches_its_execution() {
        var id = backlog.submit(1, i -> Submission.of("work", Payload.EMPTY)).getFirst();
        startLogging();
        store.operations()
                .act(List.of(new OperatorCommand.Cancel(id)), new Attribution("ada", "not needed"));
        store.queries().describe(List.of(id));
        store.queries().history(id);

        store.operations().erase(List.of(id), new Attribution("ada", "they asked to be forgotten"));

        check("facts", 2);
        check("step", 2);
        check("erase", 2);
    }

    @Test
    void work_that_is_moved_is_found_beside_a_backlog() {
        var lane = apart("moved");
        backlog.submit(BATCH, i -> Submission.of("work", Payload.EMPTY).lane(lane));
        startLogging();
        var ada = new Attribution("ada", "to see the plans");
        store.lanes().configure(lane, LaneSettings.DEFAULT.sharing(true), ada);

        check("places_in", BATCH);
        check("lock_waiting", BATCH);
        check("rank_anew", BATCH);
        check("place", BATCH);
    }

    @Test
    void retention_finds_the_days_that_are_over_without_reading_the_others() {
        startLogging();
        store.maintenance().tick(Chore.RETENTION, 1000);

        check("aged_days", LOOKED_AT);
    }
}
