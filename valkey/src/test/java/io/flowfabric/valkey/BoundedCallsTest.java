package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One call keeps the server for a short time only, however much is stored. */
class BoundedCallsTest {
    private static final Attribution OLGA = new Attribution("olga", "to see");
    private static final int CUSTOMERS = 100;

    /** The same as in {@code gates.lua}. */
    private static final int A_FEW = 16;

    private final ValkeyFixture fixture = ValkeyFixture.onOneNode();
    private final Session session = Session.of("worker", "instance", "default");
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
    void a_place_that_is_given_back_lets_few_customers_to_the_front_and_each_in_its_turn() {
        define(1, 1);
        var submitted = new ArrayList<ExecutionId>();
        for (int n = 0; n < CUSTOMERS; n++) {
            submitted.add(submit("customer" + n));
        }
        var lease = claim().getFirst();
        var done = new ArrayList<ExecutionId>();
        while (done.size() < CUSTOMERS - 1) {
            assertThat(claim()).isEmpty();
            assertThat(shut()).isEqualTo(CUSTOMERS - 1 - done.size());
            end(lease);
            done.add(lease.fence().execution());
            assertThat(front()).isLessThanOrEqualTo(A_FEW);
            lease = claim().getFirst();
        }
        done.add(lease.fence().execution());

        assertThat(done).isEqualTo(submitted);
    }

    @Test
    void customers_that_are_full_themselves_keep_no_others_waiting() {
        define(CUSTOMERS, 1);
        // Twenty customers with two pieces each, and all other customers behind them.
        for (int n = 0; n < 2 * 20; n++) {
            submit("customer" + n % 20);
        }
        for (int n = 20; n < CUSTOMERS; n++) {
            submit("customer" + n);
        }
        var running = new ArrayList<Lease>();
        for (var some = claim(); !some.isEmpty(); some = claim()) {
            running.addAll(some);
        }
        assertThat(running).hasSize(CUSTOMERS);

        int done = 0;
        while (!running.isEmpty()) {
            end(running.removeFirst());
            done++;
            running.addAll(claim());
        }

        assertThat(done).isEqualTo(CUSTOMERS + 20);
        assertThat(front() + shut()).isZero();
    }

    @Test
    void what_is_past_its_deadline_is_passed_over_a_thousand_at_a_time_and_once() {
        var late = Policy.DEFAULT.deadline(Due.in(Duration.ofSeconds(1)));
        var expired = new ArrayList<Submission>();
        for (int n = 0; n < 2500; n++) {
            expired.add(Submission.of("job", Payload.EMPTY).policy(late));
        }
        fixture.store().submissions().submit(expired);
        fixture.advance(Duration.ofSeconds(2));
        var good = Submission.of("job", Payload.EMPTY);
        fixture.store().submissions().submit(List.of(good));

        var first = fixture.store().claims().claim(new Claim(session.id(), ++claims, 1));
        assertThat(first.leases()).isEmpty();
        assertThat(first.more()).isTrue();
        assertThat(fixture.size(Namespace.DEFAULT, "ready")).isLessThan(1600);

        claim();
        assertThat(claim())
                .extracting(lease -> lease.fence().execution())
                .containsExactly(good.id());
    }

    private void define(int inAll, int ofACustomer) {
        fixture.store().quotas().define(Quota.atOnce("all", inAll), OLGA);
        fixture.store().quotas().define(Quota.atOnce("customer", ofACustomer), OLGA);
    }

    private ExecutionId submit(String customer) {
        var policy = Policy.DEFAULT.quota("all").quota("customer", customer);
        var work = Submission.of("job", Payload.EMPTY).policy(policy);
        fixture.store().submissions().submit(List.of(work)).getFirst().orThrow();
        return work.id();
    }

    private List<Lease> claim() {
        return fixture.store().claims().claim(new Claim(session.id(), ++claims, 1)).leases();
    }

    private void end(Lease lease) {
        var ending = new Ending.Complete(lease.fence(), Payload.EMPTY);
        fixture.store().leases().end(List.of(ending)).getFirst().orThrow();
    }

    private long front() {
        return fixture.size(Namespace.DEFAULT, "front");
    }

    private long shut() {
        return fixture.size(Namespace.DEFAULT, "shut");
    }
}
