package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Grants.Redemption;
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
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** R31: the calls that give out grants, and redeem them, are measured as claims are. */
class MeasuredGrantsTest {
    private static final Attribution OLGA = new Attribution("olga", "to see it told");
    private static final Session SESSION = Session.of("mailer", "one", "default");
    private static final Set<String> MEASURED =
            Set.of("claimForWorker", "reclaimForWorker", "redeem");

    private final ManualTime time = new ManualTime();
    private final AtomicBoolean broken = new AtomicBoolean();
    private final Tally tally = new Tally();
    private final LogBook log = new LogBook();
    private final Store store =
            HookedStore.over(
                    new MemoryStore(time),
                    (call, real) -> {
                        if (!MEASURED.contains(call)) {
                            return real.call();
                        }
                        time.skip(Duration.ofMillis(7));
                        if (broken.get()) {
                            throw new StoreFailure(
                                    "Broken by a test.", true, new IllegalStateException());
                        }
                        return real.call();
                    });
    private final Grants grants =
            new MeasuredGrants(
                    store.grants(),
                    id -> SESSION,
                    new FirstKey(store.keys(), time),
                    new Sweeps(store.maintenance(), EngineOptions.DEFAULT, tally, time),
                    tally,
                    time,
                    log);

    @BeforeEach
    void open() {
        store.sessions().open(SESSION);
    }

    @Test
    void a_grant_is_timed_and_what_it_met_is_counted_as_of_a_claim() {
        store.quotas().define(Quota.atOnce("mail", 0), OLGA);
        store.budgets().define(Budget.of("team", "tokens", 0), OLGA);
        submit(Policy.DEFAULT);
        submit(Policy.DEFAULT.quota("mail"));
        submit(Policy.DEFAULT.budget("team"));

        grants.claimForWorker(claim(1, 5), Grants.DEFAULT_TTL);

        assertThat(tally.of("granted")).isEqualTo(1);
        assertThat(tally.of("grant some")).isEqualTo(1);
        assertThat(tally.of("grant ms")).isEqualTo(7);
        assertThat(tally.of("shut quota concurrency")).isEqualTo(1);
        assertThat(tally.of("shut budget tokens")).isEqualTo(1);
        assertThat(tally.of("claimed")).isZero();
        assertThat(log.lines()).extracting(LogBook.Line::level).containsExactly(Level.DEBUG);
        assertThat(log.lines().getFirst().text())
                .startsWith(
                        "Claim 1 for session %s (mailer) in [default]: wanted 5, got 1, shut ["
                                .formatted(SESSION.id()))
                .endsWith("took 7 ms.");
    }

    @Test
    void a_grant_that_fails_is_timed_counted_and_a_warning_with_its_cause() {
        submit(Policy.DEFAULT);
        broken.set(true);

        assertThatThrownBy(() -> grants.claimForWorker(claim(1, 5), Grants.DEFAULT_TTL))
                .isInstanceOf(StoreFailure.class);

        assertThat(tally.of("grant failed")).isEqualTo(1);
        assertThat(tally.of("grant ms")).isEqualTo(7);
        assertThat(tally.of("granted")).isZero();
        assertThat(log.lines()).extracting(LogBook.Line::level).containsExactly(Level.WARN);
        var line = log.lines().getFirst();
        assertThat(line.text()).contains("for 5 failed after 7 ms");
        assertThat(line.failure()).isInstanceOf(StoreFailure.class);
    }

    @Test
    void a_reclaim_that_is_refused_is_timed_and_counted_and_no_fault() {
        var fresh = submit(Policy.DEFAULT);

        assertThatThrownBy(
                        () -> grants.reclaimForWorker(fresh.id(), SESSION.id(), Grants.DEFAULT_TTL))
                .isInstanceOf(Conflict.class);

        assertThat(tally.of("grant failed")).isEqualTo(1);
        assertThat(tally.of("grant ms")).isEqualTo(7);
        assertThat(log.lines()).extracting(LogBook.Line::level).containsExactly(Level.DEBUG);
    }

    @Test
    void a_redemption_is_measured_whether_it_is_answered_or_fails() {
        submit(Policy.DEFAULT);
        var claimed = grants.claimForWorker(claim(1, 1), Grants.DEFAULT_TTL);
        var redemption =
                new Redemption(SESSION.id(), 2, List.of(claimed.grants().getFirst().token()));
        broken.set(true);
        assertThatThrownBy(() -> grants.redeem(redemption)).isInstanceOf(StoreFailure.class);
        broken.set(false);

        grants.redeem(redemption);

        assertThat(tally.of("redeem failed")).isEqualTo(1);
        assertThat(tally.of("redeem full")).isEqualTo(1);
        assertThat(tally.of("redeemed")).isEqualTo(1);
        assertThat(tally.of("redeem ms")).isEqualTo(14);
        assertThat(log.lines())
                .extracting(LogBook.Line::level)
                .containsExactly(Level.DEBUG, Level.WARN, Level.INFO, Level.DEBUG);
    }

    /** Who asked for what is the first thing to know about a call that is not as it should be. */
    @Test
    void the_log_says_which_call_of_which_session_it_was() {
        var execution = submit(Policy.DEFAULT).id();
        var claimed = grants.claimForWorker(claim(1, 1), Grants.DEFAULT_TTL).grants().getFirst();
        grants.redeem(new Redemption(SESSION.id(), 2, List.of(claimed.token())));
        assertThatThrownBy(
                        () -> grants.reclaimForWorker(execution, SESSION.id(), Grants.DEFAULT_TTL))
                .isInstanceOf(Conflict.class);

        var who = "session %s (mailer) in [default]: wanted 1, ".formatted(SESSION.id());
        assertThat(log.lines())
                .extracting(line -> line.text().replaceFirst("(got|refused).*", ""))
                .containsExactly(
                        "Claim 1 for " + who,
                        "Redemption 2 of " + who,
                        "Reclaim of %s for %s".formatted(execution, who));
    }

    @Test
    void a_ticket_that_is_none_is_a_warning_and_one_that_was_used_before_is_not() {
        submit(Policy.DEFAULT);
        var token = grants.claimForWorker(claim(1, 1), Grants.DEFAULT_TTL).grants().getFirst();
        grants.redeem(new Redemption(SESSION.id(), 2, List.of(token.token())));

        grants.redeem(new Redemption(SESSION.id(), 3, List.of(token.token(), "nonsense")));

        assertThat(log.lines().stream().filter(line -> line.level() == Level.WARN))
                .singleElement()
                .satisfies(
                        line ->
                                assertThat(line.text())
                                        .startsWith(
                                                "Session %s showed a ticket that is none: malformed"
                                                        .formatted(SESSION.id())));
    }

    @Test
    void tickets_that_are_refused_are_counted_by_their_code() {
        submit(Policy.DEFAULT);
        submit(Policy.DEFAULT);
        var given = grants.claimForWorker(claim(1, 2), Grants.DEFAULT_TTL).grants();
        var first = given.getFirst().token();

        grants.redeem(new Redemption(SESSION.id(), 2, List.of(first, first, "nonsense")));

        assertThat(tally.of("granted")).isEqualTo(2);
        assertThat(tally.of("redeemed")).isEqualTo(1);
        assertThat(tally.of("refused UNKNOWN_GRANT")).isEqualTo(1);
        assertThat(tally.of("refused MALFORMED_TOKEN")).isEqualTo(1);
        assertThat(grants.verify(SESSION.id(), List.of(given.getLast().token())))
                .allMatch(answer -> answer.isDone());
    }

    private static Claim claim(int number, int max) {
        return new Claim(SESSION.id(), number, max);
    }

    private Submission submit(Policy policy) {
        var submission = Submission.of("kind", Payload.EMPTY).policy(policy);
        store.submissions().submit(List.of(submission)).getFirst().orThrow();
        return submission;
    }
}
