package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

class MeasuredClaimsTest {
    private static final Attribution OLGA = new Attribution("olga", "to see it told");
    private static final Session SESSION = Session.of("mailer", "one", "emails", "default");

    private final ManualTime time = new ManualTime();
    private final AtomicBoolean broken = new AtomicBoolean();
    private final Tally tally = new Tally();
    private final LogBook log = new LogBook();
    private final Store store =
            HookedStore.over(
                    new MemoryStore(time),
                    (call, real) -> {
                        if (!call.equals("claim")) {
                            return real.call();
                        }
                        time.skip(Duration.ofMillis(7));
                        if (broken.get()) {
                            throw new StoreFailure(
                                    "Broken by a test.", true, new IllegalStateException());
                        }
                        return real.call();
                    });
    private final MeasuredClaims asking =
            new MeasuredClaims(store.claims(), id -> SESSION, tally, time, log);

    @BeforeEach
    void open() {
        store.sessions().open(SESSION);
    }

    @Test
    void every_claim_is_one_line_at_debug_with_all_that_is_known_of_it() {
        store.quotas().define(Quota.atOnce("mail", 0), OLGA);
        submit(Policy.DEFAULT);
        submit(Policy.DEFAULT.quota("mail"));

        asking.claim(claim(1, 5));
        asking.claim(claim(2, 4));

        assertThat(log.lines())
                .containsExactly(
                        new LogBook.Line(
                                Level.DEBUG,
                                "Claim 1 of session %s (mailer) in [default, emails]: wanted 5, got 1, shut [quota concurrency], took 7 ms."
                                        .formatted(SESSION.id()),
                                null),
                        new LogBook.Line(
                                Level.DEBUG,
                                "Claim 2 of session %s (mailer) in [default, emails]: wanted 4, got 0, shut [quota concurrency], took 7 ms."
                                        .formatted(SESSION.id()),
                                null));
    }

    @Test
    void what_a_claim_got_and_met_is_counted_once() {
        store.quotas().define(Quota.atOnce("mail", 0), OLGA);
        submit(Policy.DEFAULT);
        submit(Policy.DEFAULT);
        submit(Policy.DEFAULT.quota("mail"));
        submit(Policy.DEFAULT.quota("mail"));

        asking.claim(claim(1, 1));
        asking.claim(claim(2, 2));
        asking.claim(claim(3, 2));

        assertThat(tally.of("claimed")).isEqualTo(2);
        assertThat(tally.of("claim full")).isEqualTo(1);
        assertThat(tally.of("claim some")).isEqualTo(1);
        assertThat(tally.of("claim nothing")).isEqualTo(1);
        assertThat(tally.of("shut quota concurrency")).isEqualTo(3);
    }

    @Test
    void a_fault_is_a_warning_with_its_cause_and_admits_nothing() {
        submit(Policy.DEFAULT);
        broken.set(true);

        assertThatThrownBy(() -> asking.claim(claim(1, 5))).isInstanceOf(StoreFailure.class);

        assertThat(log.lines()).hasSize(1);
        var line = log.lines().getFirst();
        assertThat(line.level()).isEqualTo(Level.WARN);
        assertThat(line.text())
                .startsWith(
                        "Claim 1 of session %s (mailer) in [default, emails] for 5 failed after 7 ms."
                                .formatted(SESSION.id()));
        assertThat(line.failure()).isInstanceOf(StoreFailure.class);
        assertThat(tally.of("claim failed")).isEqualTo(1);
        // R31
        assertThat(tally.of("claim ms")).isEqualTo(7);
        assertThat(tally.of("claimed")).isZero();
        // R28
        assertThatThrownBy(() -> asking.claim(claim(1, 5))).isInstanceOf(StoreFailure.class);
        assertThat(log.lines().getLast().level()).as("the same outage").isEqualTo(Level.DEBUG);
        broken.set(false);
        assertThat(asking.claim(claim(1, 5)).leases())
                .as("it is still there for others")
                .hasSize(1);
        assertThat(log.lines())
                .extracting(LogBook.Line::level)
                .containsExactly(Level.WARN, Level.DEBUG, Level.INFO, Level.DEBUG);
    }

    @Test
    void a_session_that_is_over_is_no_fault() {
        store.sessions().close(SESSION.id());

        assertThatThrownBy(() -> asking.claim(claim(1, 5))).isInstanceOf(NotFound.class);

        assertThat(log.lines()).extracting(LogBook.Line::level).containsExactly(Level.DEBUG);
        assertThat(log.lines().getFirst().text()).contains("refused after 7 ms");
    }

    // R31
    @Test
    void a_claim_whose_session_cannot_be_found_is_counted_and_told_too() {
        var lost =
                new MeasuredClaims(
                        store.claims(),
                        id -> {
                            time.skip(Duration.ofMillis(3));
                            throw new StoreFailure(
                                    "Broken by a test.", true, new IllegalStateException());
                        },
                        tally,
                        time,
                        log);

        assertThatThrownBy(() -> lost.claim(claim(1, 5))).isInstanceOf(StoreFailure.class);

        assertThat(tally.of("claim failed")).isEqualTo(1);
        assertThat(tally.of("claim ms")).isEqualTo(3);
        assertThat(log.lines()).extracting(LogBook.Line::level).containsExactly(Level.WARN);
    }

    private static Claim claim(int number, int max) {
        return new Claim(SESSION.id(), number, max);
    }

    private void submit(Policy policy) {
        store.submissions()
                .submit(List.of(Submission.of("kind", Payload.EMPTY).policy(policy)))
                .getFirst()
                .orThrow();
    }
}
