package io.flowfabric.postgres;

import static io.flowfabric.postgres.WaitingWork.ADA;
import static io.flowfabric.postgres.WaitingWork.ids;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Policy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** Work that reserves thousands of different amounts of one budget waits behind one gate. */
class ManyAmountsTest {
    private static final Lane OTHER = Lane.of("other");

    private final WaitingWork work = new WaitingWork();
    private final Session session = work.open("priced");

    @AfterEach
    void close() {
        work.close();
    }

    @Test
    void a_thousand_amounts_make_one_gate_that_knows_the_smallest() {
        define(1_000_000);

        submit(LongStream.rangeClosed(1, 1_000).map(nth -> 5_000 - nth).toArray());
        submit(7_000);

        assertThat(work.number("select count(*) from %s.gate")).isEqualTo(1);
        assertThat(work.number("select smallest[1] from %s.lane_gate")).isEqualTo(4_000);
        submit(30, 20);
        assertThat(work.number("select count(*) from %s.gate")).isEqualTo(1);
        assertThat(work.number("select costs[1] from %s.lane_gate")).isEqualTo(20);
    }

    @Test
    void claims_of_any_size_take_them_in_order_and_set_aside_what_each_asks_for() {
        define(10_000_000);
        var ids = submit(LongStream.rangeClosed(1, 1_000).toArray());

        var claimed = new ArrayList<ExecutionId>();
        for (int size : List.of(1, 2, 256, 100, 256, 256, 256)) {
            claimed.addAll(ids(claim(size)));
        }

        assertThat(claimed).isEqualTo(ids);
        assertThat(work.number("select reserved from %s.meter")).isEqualTo(1_000 * 1_001 / 2);
    }

    @Test
    void the_one_that_fits_is_found_behind_thousands_that_do_not() {
        define(100);
        submit(LongStream.rangeClosed(1, 3_000).map(nth -> 100 + nth).toArray());
        var small = submit(60, 50, 40);

        assertThat(ids(claim(10))).containsExactly(small.get(0), small.get(2));
        assertThat(claim(10)).isEmpty();
    }

    @Test
    void one_claim_from_two_lanes_takes_what_fits_before_and_behind_hundreds_that_do_not() {
        define(100);
        var first = submit(60).getFirst();
        submit(LongStream.rangeClosed(1, 300).map(nth -> 100 + nth).toArray());
        var last = submit(40).getFirst();
        var elsewhere = work.submit(OTHER);

        assertThat(ids(work.claim(work.openFor(OTHER), 10)))
                .containsExactlyInAnyOrder(first, last, elsewhere);
    }

    private void define(long tokens) {
        work.store().budgets().define(Budget.of("team", "tokens", tokens), ADA);
    }

    private List<ExecutionId> submit(long... amounts) {
        return work.submit(
                "prompt",
                LongStream.of(amounts)
                        .mapToObj(
                                amount -> Policy.DEFAULT.budget("team", Map.of("tokens", amount))));
    }

    private List<Lease> claim(int max) {
        return work.claim(session, max);
    }
}
