package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

/** Work that is forgotten or erased leaves no row behind, wherever its bytes were kept. */
class NothingIsLeftTest {
    private static final Attribution ADA = new Attribution("ada", "a test");
    private static final Payload SMALL = Payload.text("small");
    private static final Payload LARGE = Payload.of(new byte[10_000], "image/png");
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Where rows of executions are, besides the log. */
    private static final List<String> TABLES =
            List.of(
                    "execution",
                    "payload",
                    "step",
                    "tag",
                    "idempotency",
                    "spending",
                    "timer",
                    "inactive",
                    "ready");

    private final PostgresFixture fixture = new PostgresFixture();
    private final Store store = fixture.store();
    private final Session session = Session.of("worker", "1", "default").ttl(Duration.ofHours(1));
    private long claims;

    @BeforeEach
    void open() {
        store.sessions().open(session);
        store.budgets().define(Budget.of("team", "tokens", 1_000), ADA);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void nothing_is_left_of_small_work() {
        leavesNothing(SMALL, SMALL);
    }

    @Test
    void nothing_is_left_of_work_with_a_large_input() {
        leavesNothing(LARGE, SMALL);
    }

    @Test
    void nothing_is_left_of_work_with_a_large_result() {
        leavesNothing(SMALL, LARGE);
    }

    @Test
    void nothing_is_left_of_work_that_is_large_throughout() {
        leavesNothing(LARGE, LARGE);
    }

    private void leavesNothing(Payload input, Payload result) {
        completed(input, result);
        assertThat(filled()).isNotEmpty();
        fixture.pass(MINUTE);
        assertThat(filled()).as("of what was forgotten").isEmpty();

        var erased = completed(input, result);
        store.operations().erase(List.of(erased), ADA).getFirst().orThrow();
        assertThat(filled()).as("of what was erased").isEmpty();
    }

    private ExecutionId completed(Payload input, Payload result) {
        var work =
                Submission.of("work", input)
                        .policy(Policy.DEFAULT.retention(MINUTE).budget("team"))
                        .key("order-7")
                        .tag("colour", "red");
        store.submissions().submit(List.of(work)).getFirst().orThrow();
        var claim = new Claim(session.id(), ++claims, 1);
        var fence = store.claims().claim(claim).leases().getFirst().fence();
        var step = new Checkpoint(fence, "pay", SMALL);
        store.leases().checkpoint(List.of(step)).getFirst().orThrow();
        var usage = new UsageReport(fence, "team", "tokens", 1, "once");
        store.leases().spend(List.of(usage)).getFirst().orThrow();
        store.leases().end(List.of(new Ending.Complete(fence, result))).getFirst().orThrow();
        return work.id();
    }

    /** The tables that have rows. */
    private List<String> filled() {
        return TABLES.stream().filter(this::hasRows).toList();
    }

    private boolean hasRows(String table) {
        return fixture.number(
                        "select count(*) from %s.%s".formatted(fixture.schema().text(), table))
                > 0;
    }
}
