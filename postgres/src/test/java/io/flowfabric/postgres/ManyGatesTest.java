package io.flowfabric.postgres;

import static io.flowfabric.postgres.WaitingWork.ADA;
import static io.flowfabric.postgres.WaitingWork.ids;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.postgres.internal.ready.CrowdedLanes;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * A lane keeps its order and its limits behind any number of gates: few, or more than one claim
 * looks behind.
 */
@ParameterizedClass
@ValueSource(ints = {20, CrowdedLanes.MOST_GATES + 44})
class ManyGatesTest {
    private final int keys;
    private final WaitingWork work = new WaitingWork();
    private final Session session = work.open("crowded");

    ManyGatesTest(int keys) {
        this.keys = keys;
    }

    @AfterEach
    void close() {
        work.close();
    }

    @Test
    void claims_of_any_size_follow_the_order_of_submission_across_all_gates() {
        define(1000);
        var ids = submit(4 * keys, nth -> key(nth % keys));

        var claimed = new ArrayList<ExecutionId>();
        for (int size : List.of(256, 256, 1, 1, 100, 3)) {
            claimed.addAll(ids(claim(size)));
        }
        List<Lease> more;
        do {
            more = claim(256);
            claimed.addAll(ids(more));
        } while (!more.isEmpty());

        assertThat(claimed).isEqualTo(ids);
    }

    @Test
    void priority_comes_first_whichever_gate_it_is_behind() {
        define(1000);
        var low = submit(keys, ManyGatesTest::key);
        var last = submit(1, nth -> key(keys - 1).priority(1));
        var high = submit(1, nth -> key(keys - 1).priority(9));
        var middle = submit(2, nth -> key(nth).priority(5));

        var claimed = new ArrayList<ExecutionId>();
        for (int i = 0; i < 5; i++) {
            claimed.addAll(ids(claim(1)));
        }

        assertThat(claimed.subList(0, 3))
                .containsExactly(high.getFirst(), middle.get(0), middle.get(1));
        assertThat(claimed.subList(3, 5)).containsExactly(last.getFirst(), low.getFirst());
    }

    @Test
    void a_key_without_room_is_in_nobodys_way_and_goes_on_when_it_has_some() {
        define(1);
        var first = submit(3 * keys, nth -> key(0));
        var others = submit(keys - 1, nth -> key(nth + 1));

        var held = claim(2);
        var rest = claim(256);
        work.end(held);
        var next = claim(1);

        assertThat(ids(held)).containsExactly(first.get(0), others.get(0));
        assertThat(ids(rest)).isEqualTo(others.subList(1, Math.min(others.size(), 257)));
        assertThat(ids(next)).containsExactly(first.get(1));
    }

    @Test
    void a_limit_that_all_keys_share_lets_the_first_in_and_no_more() {
        define(1000);
        work.store().quotas().define(Quota.atOnce("tenant", 5), ADA);
        var ids = submit(2 * keys, nth -> key(nth % keys).quota("tenant"));

        var first = claim(3);
        var second = claim(50);
        var none = claim(50);
        work.end(first);
        var third = claim(50);

        assertThat(ids(first)).isEqualTo(ids.subList(0, 3));
        assertThat(ids(second)).isEqualTo(ids.subList(3, 5));
        assertThat(none).isEmpty();
        assertThat(ids(third)).isEqualTo(ids.subList(5, 8));
    }

    @Test
    void work_behind_a_gate_that_had_none_is_found_at_once_by_a_claim_that_finds_nothing_else() {
        define(1000);
        submit(keys, ManyGatesTest::key);
        while (!claim(256).isEmpty()) {
            // until the lane is empty
        }

        var late = submit(1, nth -> key(keys + 7));

        assertThat(ids(claim(5))).isEqualTo(late);
    }

    private void define(int atOnce) {
        work.store().quotas().define(Quota.atOnce("customer", atOnce), ADA);
    }

    private static Policy key(int nth) {
        return Policy.DEFAULT.quota("customer", "c" + nth);
    }

    private List<ExecutionId> submit(int many, IntFunction<Policy> policy) {
        return work.submit("work", many, policy);
    }

    private List<Lease> claim(int max) {
        return work.claim(session, max);
    }
}
