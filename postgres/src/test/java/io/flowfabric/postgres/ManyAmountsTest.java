package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** Work that reserves thousands of different amounts of one budget waits behind one gate. */
class ManyAmountsTest {
    private static final Attribution ADA = new Attribution("ada", "a model with a price");

    private final PostgresFixture fixture = new PostgresFixture();
    private final Session session = Session.of("worker", "priced", "default");
    private long claims;

    @BeforeEach
    void open() {
        fixture.store().sessions().open(session);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void a_thousand_amounts_make_one_gate_that_knows_the_smallest() {
        define(1_000_000);

        submit(LongStream.rangeClosed(1, 1_000).map(nth -> 5_000 - nth).toArray());
        submit(7_000);

        assertThat(number("count(*) from %s.gate")).isEqualTo(1);
        assertThat(number("smallest[1] from %s.lane_gate")).isEqualTo(4_000);
        submit(30, 20);
        assertThat(number("count(*) from %s.gate")).isEqualTo(1);
        assertThat(number("costs[1] from %s.lane_gate")).isEqualTo(20);
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
        assertThat(number("reserved from %s.meter")).isEqualTo(1_000 * 1_001 / 2);
    }

    @Test
    void the_one_that_fits_is_found_behind_thousands_that_do_not() {
        define(100);
        submit(LongStream.rangeClosed(1, 3_000).map(nth -> 100 + nth).toArray());
        var small = submit(60, 50, 40);

        assertThat(ids(claim(10))).containsExactly(small.get(0), small.get(2));
        assertThat(claim(10)).isEmpty();
    }

    private void define(long tokens) {
        fixture.store().budgets().define(Budget.of("team", "tokens", tokens), ADA);
    }

    private List<ExecutionId> submit(long... amounts) {
        var batch =
                LongStream.of(amounts)
                        .mapToObj(amount -> Map.of("tokens", amount))
                        .map(reserve -> Policy.DEFAULT.budget("team", reserve))
                        .map(policy -> Submission.of("prompt", Payload.EMPTY).policy(policy))
                        .toList();
        fixture.store().submissions().submit(batch).forEach(Answer::orThrow);
        return batch.stream().map(Submission::id).toList();
    }

    private List<Lease> claim(int max) {
        return fixture.store().claims().claim(new Claim(session.id(), ++claims, max)).leases();
    }

    private static List<ExecutionId> ids(List<Lease> leases) {
        return leases.stream().map(lease -> lease.fence().execution()).toList();
    }

    private long number(String what) {
        return fixture.number("select " + what.formatted(fixture.schema().text()));
    }
}
