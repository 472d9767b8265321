package io.flowfabric.postgres;

import static io.flowfabric.postgres.WaitingWork.ADA;
import static io.flowfabric.postgres.WaitingWork.ids;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Store;
import io.flowfabric.postgres.internal.ready.CrowdedLanes;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What one session learns of a lane with very many gates is of use to others, and not in their way.
 */
class CrowdedLanesTest {
    private static final Lane OTHER = Lane.of("other");

    private final WaitingWork work = new WaitingWork();
    private final Store store = work.store();

    @BeforeEach
    void define() {
        store.quotas().define(Quota.atOnce("customer", 1000), ADA);
    }

    @AfterEach
    void close() {
        work.close();
    }

    @Test
    void claims_of_one_kind_do_not_hide_the_work_of_another() {
        work.submit("b", 600, nth -> key("b" + nth % 10));
        work.submit("a", 900, nth -> key("a" + nth % 300));
        var one = work.open("1", "a");
        var two = work.open("2", "b");

        for (int i = 0; i < 100; i++) {
            assertThat(claim(one)).hasSize(1);
            assertThat(claim(two)).hasSize(1);
        }
    }

    @Test
    void claims_of_one_kind_do_not_change_the_order_for_those_that_can_do_both() {
        work.submit("b", 600, nth -> key("b" + nth % 10));
        work.submit("a", 900, nth -> key("a" + nth % 300));
        var one = work.open("1", "a");
        var both = work.open("2");

        for (int i = 0; i < 100; i++) {
            claim(one);
            assertThat(claim(both)).extracting(Lease::kind).containsExactly("b");
        }
    }

    @Test
    void a_lane_with_many_gates_has_its_turn_beside_one_with_few() {
        var crowded = work.submit("a", 600, nth -> key("a" + nth % 300));
        var first = work.submit(OTHER);
        work.submit(OTHER);

        assertThat(ids(work.claim(work.openFor(OTHER), 2)))
                .containsExactlyInAnyOrder(crowded.getFirst(), first);
    }

    @Test
    void a_repeated_claim_leaves_the_order_alone() {
        var ids = work.submit("a", 900, nth -> key("a" + nth % 300));
        var one = work.open("1");
        var two = work.open("2");
        var got = new ArrayList<ExecutionId>();
        got.addAll(ids(claim(two)));
        for (int i = 0; i < 20; i++) {
            store.claims().claim(new Claim(two.id(), 1, 1).again());
            got.addAll(ids(claim(one)));
        }

        assertThat(got).isEqualTo(ids.subList(0, 21));
    }

    @Test
    void a_claim_that_leaves_something_for_the_sake_of_one_quota_says_that_there_is_more() {
        store.quotas().define(Quota.atOnce("narrow", 1), ADA);
        store.quotas().define(Quota.atOnce("tenant", 2), ADA);
        var narrow = Policy.DEFAULT.quota("narrow", "x").quota("tenant");
        var first = work.submit("a", 1, nth -> narrow);
        work.submit("b", 1, nth -> narrow);
        var third = work.submit("a", 1, nth -> Policy.DEFAULT.quota("narrow", "y").quota("tenant"));
        var session = work.open("1");

        var got = new ArrayList<Lease>();
        Claimed claimed;
        do {
            claimed = work.ask(session, 50);
            got.addAll(claimed.leases());
        } while (claimed.more() && !claimed.leases().isEmpty());

        assertThat(ids(got)).containsExactly(first.getFirst(), third.getFirst());
    }

    @Test
    void fronts_that_have_grown_old_are_read_anew_beside_the_claims_that_go_by_them() {
        work.submit("a", 1, nth -> key("one"));
        var lane = List.of((int) work.number("select id from %s.lane"));
        var lanes = new CrowdedLanes(((PostgresStore) store).database());
        assertThat(lanes.choose(lane, 10, false).gates()).hasSize(1);

        work.submit("a", 1, nth -> key("another"));
        lanes.queued(lane);

        long patience = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (lanes.choose(lane, 10, false).gates().size() < 2) {
            assertThat(System.nanoTime()).as("nobody reads them").isLessThan(patience);
            Thread.onSpinWait();
        }
    }

    private static Policy key(String key) {
        return Policy.DEFAULT.quota("customer", key);
    }

    private List<Lease> claim(Session session) {
        return work.claim(session, 1);
    }
}
