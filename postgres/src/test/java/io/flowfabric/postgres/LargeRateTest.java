package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** R37: a rate beyond ten thousand in a window. */
class LargeRateTest {
    private static final Attribution ADA = new Attribution("ada", "a large customer");
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int RATE = 500_000;

    private final PostgresFixture fixture = new PostgresFixture();
    private final Store store = fixture.store();
    private final Session session = Session.of("worker", "1", "default").ttl(Duration.ofHours(1));
    private long number;

    @BeforeEach
    void open() {
        store.sessions().open(session);
        store.quotas().define(Quota.rate("mail", RATE, MINUTE), ADA);
        var work = Submission.of("mail", Payload.EMPTY).policy(Policy.DEFAULT.quota("mail"));
        store.submissions().submit(Stream.generate(() -> copy(work)).limit(8).toList());
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void it_admits_as_many_as_it_says_and_no_more() {
        fixture.advance(Duration.ofMillis(1));
        assertThat(claim(2)).hasSize(2);
        startedBefore(RATE - 4);

        assertThat(claim(8)).hasSize(2);
        assertThat(claim(8)).isEmpty();
        assertThat(view()).isEqualTo(RATE);

        // What was started at the beginning ends to count a slice later than to the millisecond.
        fixture.advance(MINUTE.plusMillis(58));
        assertThat(claim(8)).isEmpty();
        fixture.advance(Duration.ofMillis(1));
        assertThat(claim(8)).hasSize(4);
    }

    @Test
    void starts_of_one_slice_are_kept_together() {
        for (int i = 0; i < 4; i++) {
            fixture.advance(Duration.ofMillis(20));
            assertThat(claim(2)).hasSize(2);
        }

        assertThat(
                        fixture.text(
                                "select window_counts::text from %s.meter"
                                        .formatted(fixture.schema().text())))
                .isEqualTo("{6,2}");
    }

    @Test
    void a_ticket_that_was_not_redeemed_did_not_start() {
        store.keys().first();
        assertThat(claim(1)).hasSize(1);
        fixture.advance(Duration.ofMillis(20));
        var grants = store.grants().claimForWorker(claimed(3), Duration.ofSeconds(1)).grants();
        assertThat(grants).hasSize(3);
        assertThat(view()).isEqualTo(4);

        fixture.advance(Duration.ofSeconds(1));
        store.maintenance().tick(Chore.TIMERS, 100);

        assertThat(view()).isEqualTo(1);
    }

    private void startedBefore(int starts) {
        fixture.execute(
                "update %s.meter set window_counts[1] = window_counts[1] + %d"
                        .formatted(fixture.schema().text(), starts));
    }

    private List<Lease> claim(int max) {
        return store.claims().claim(claimed(max)).leases();
    }

    private Claim claimed(int max) {
        return new Claim(session.id(), ++number, max);
    }

    private int view() {
        return store.quotas().describe(Namespace.DEFAULT, QuotaUse.of("mail")).started();
    }

    private static Submission copy(Submission work) {
        return Submission.of(work.kind(), work.input()).policy(work.policy());
    }
}
