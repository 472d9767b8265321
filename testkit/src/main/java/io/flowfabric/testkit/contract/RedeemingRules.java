package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.delay;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Rule 12: a grant that is redeemed in time is a lease like any other. */
abstract class RedeemingRules extends TicketRules {
    RedeemingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_repeated_redemption_gives_the_lease_again_as_long_as_it_is_held() {
        world.submit();
        var worker = world.worker();
        var grant = worker.grantedOne();
        var lease = worker.redeem(7, grant).orThrow();

        assertThat(worker.redeem(7, grant)).isDone(lease);
        world.end(complete(lease)).orThrow();
        assertThat(worker.redeem(7, grant)).isRefused();
    }

    @Test
    void a_redemption_that_is_repeated_when_the_time_of_its_grant_is_over_gives_the_lease_again() {
        world.submit();
        var worker = world.worker();
        var grant = worker.grantedOne();
        var lease = worker.redeem(7, grant).orThrow();
        world.pass(TTL);

        assertThat(worker.redeem(7, grant)).isDone(lease);
    }

    @Test
    void a_redemption_takes_a_number_as_a_claim_does() {
        world.submit(2, Given::work);
        var worker = world.worker();
        var grant = worker.granted(1, 1, TTL).getFirst();
        var lease = worker.redeem(2, grant).orThrow();

        assertThat(worker.claim(2, 1)).containsExactly(lease);
        worker.beat(2, lease.fence()).orThrow();
        assertThat(asked(() -> worker.redeem(2, grant))).isInvalid(Invalid.Code.CLAIM_NUMBER_USED);
    }

    @Test
    void a_redemption_that_gave_nothing_has_not_used_its_number() {
        world.submit(2, Given::work);
        var worker = world.worker();
        var grant = worker.granted(1, 1, TTL).getFirst();
        world.revoke(grant.execution());
        assertThat(worker.redeem(2, grant)).isRefused();

        assertThat(worker.claim(2, 1)).hasSize(1);
    }

    @Test
    void redeeming_starts_the_attempt_and_its_time() {
        var id =
                world.submit(
                        Policy.DEFAULT.attemptTimeout(MINUTE).stallTimeout(MINUTE.dividedBy(2)));
        var worker = world.worker();
        var grant = worker.grantedOne();
        assertThat(world.view(id).attempts()).isZero();
        world.pass(TTL.minusMillis(1));

        var lease = worker.redeem(grant).orThrow();

        assertThat(lease.since()).isEqualTo(world.now());
        assertThat(world.view(id).attempts()).isEqualTo(1);
        world.pass(MINUTE.dividedBy(2).minusMillis(1));
        assertThat(world.report(lease, 10)).isDone();
        world.pass(MINUTE.dividedBy(2).minusMillis(1));
        assertThat(world.report(lease, 20)).isDone();
        world.pass(Duration.ofMillis(2));
        assertThat(world.report(lease, 30)).isLeaseLost();
    }

    @Test
    void a_redeemed_retry_begins_without_the_progress_of_the_attempt_before() {
        var id = world.submit();
        var worker = world.worker();
        var first = worker.claimOne();
        world.report(first, 80).orThrow();
        world.end(retry(first, Duration.ZERO)).orThrow();

        worker.redeem(worker.grantedOne()).orThrow();

        assertThat(world.view(id).progress()).isEmpty();
    }

    @Test
    void a_redeemed_grant_that_goes_on_keeps_the_progress() {
        var id = world.submit();
        var worker = world.worker();
        var first = worker.claimOne();
        world.report(first, 80).orThrow();
        var progress = world.view(id).progress();
        world.end(delay(first, Duration.ZERO)).orThrow();

        worker.redeem(worker.grantedOne()).orThrow();

        assertThat(world.view(id).progress()).isPresent().isEqualTo(progress);
    }

    @Test
    void one_bad_token_is_no_matter_of_the_others() {
        world.submit(2, Given::work);
        var worker = world.worker();
        var grants = worker.granted(2, TTL);

        var answers =
                worker.redeemAll(
                        List.of(
                                grants.getFirst().token(),
                                "nonsense",
                                grants.getFirst().token(),
                                grants.getLast().token()));

        assertThat(answers.get(0)).isDone();
        assertThat(answers.get(1)).isRefused();
        assertThat(answers.get(2)).isRefused();
        assertThat(answers.get(3)).isDone();
    }

    @Test
    void a_lease_from_a_grant_lapses_and_is_reclaimed_like_any_other() {
        var id = world.submit();
        var worker = world.frailWorker();
        worker.redeem(worker.grantedOne()).orThrow();

        world.bury(worker);

        assertThat(world.view(id).state()).isEqualTo(new Ready(LeasePurpose.RECLAIM));
        assertThat(world.view(id).reclaims()).isEqualTo(1);
        assertThat(world.worker().take(1)).containsExactly(id);
    }

    @Test
    void a_redeemed_grant_counts_once() {
        world.store().quotas().define(Quota.atOnce("mail", 2).rate(2, MINUTE), Scenario.OLGA);
        world.submit(3, () -> work(Policy.DEFAULT.quota("mail")));
        var worker = world.worker();

        var lease = worker.redeem(worker.grantedOne()).orThrow();

        assertThat(running("mail")).isEqualTo(1);
        assertThat(started("mail")).isEqualTo(1);
        assertThat(world.store().quotas().recount(Namespace.DEFAULT).drifts()).isEmpty();
        world.end(complete(lease)).orThrow();
        assertThat(running("mail")).isZero();
        assertThat(started("mail")).isEqualTo(1);
    }
}
