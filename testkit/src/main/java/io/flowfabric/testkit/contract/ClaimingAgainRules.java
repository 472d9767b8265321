package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Invalid;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.util.function.Supplier;

/** Rule 3: a claim whose answer was lost can be repeated by its number. */
abstract class ClaimingAgainRules extends Rules {
    ClaimingAgainRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    @BatchAnswers("W7")
    void a_claim_repeated_gives_the_same_leases_and_nothing_new() {
        world.submit(5, Given::work);
        var worker = world.worker();
        var leases = worker.claim(3);
        var before = world.everything();

        assertThat(worker.repeatClaim(3)).containsExactlyElementsOf(leases);
        assertThat(worker.repeatClaim(5)).containsExactlyElementsOf(leases);
        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void a_claim_repeated_gives_only_what_is_still_held() {
        world.submit(4, Given::work);
        var worker = world.worker();
        var leases = worker.claim(4);
        world.end(complete(leases.get(0))).orThrow();
        world.cancel(idOf(leases.get(1)));
        world.revoke(idOf(leases.get(2)));
        var again = worker.claimOne();
        assertThat(again.fence()).isEqualTo(world.fence(idOf(again), 0, 2));

        assertThat(worker.claim(1, 4)).containsExactly(leases.get(3));
    }

    @Test
    void a_claim_that_got_nothing_may_get_something_when_repeated() {
        var worker = world.worker();
        assertThat(worker.claim(1)).isEmpty();
        world.submit();

        assertThat(worker.repeatClaim(1)).hasSize(1);
        assertThat(worker.repeatClaim(1)).hasSize(1);
        assertThat(worker.claim(1)).isEmpty();
    }

    @Test
    void a_repeat_that_got_nothing_has_used_its_number_up() {
        var worker = world.worker();
        assertThat(worker.claim(1)).isEmpty();
        assertThat(worker.repeatClaim(1)).isEmpty();
        world.submit();

        assertThat(worker.repeatClaim(1)).isEmpty();
        assertThat(worker.claim(1)).hasSize(1);
    }

    @Test
    void the_claim_numbers_of_two_workers_have_nothing_to_do_with_each_other() {
        var works = world.submit(2, Given::work);

        assertThat(world.worker().claim(1, 1))
                .extracting(Given::idOf)
                .containsExactly(works.get(0));
        assertThat(world.worker().claim(1, 1))
                .extracting(Given::idOf)
                .containsExactly(works.get(1));
    }

    @Test
    void claims_may_arrive_out_of_order() {
        var works = world.submit(2, Given::work);
        var worker = world.worker();

        assertThat(worker.claim(9, 1)).extracting(Given::idOf).containsExactly(works.get(0));
        assertThat(worker.claim(4, 1)).extracting(Given::idOf).containsExactly(works.get(1));
    }

    @Test
    void a_claim_number_that_was_acknowledged_is_used_up() {
        world.submit(2, Given::work);
        var worker = world.worker();
        var lease = worker.claim(2, 1).getFirst();
        worker.beat(2, lease.fence()).orThrow();
        var before = world.everything();

        assertThat(asked(() -> worker.claim(2, 1))).isInvalid(Invalid.Code.CLAIM_NUMBER_USED);
        assertThat(asked(() -> worker.claim(1, 1))).isInvalid(Invalid.Code.CLAIM_NUMBER_USED);

        assertThat(world.everything()).isEqualTo(before);
        assertThat(worker.claim(3, 1)).hasSize(1);
    }

    @Test
    void a_claim_that_was_not_acknowledged_can_be_repeated_after_others_were() {
        world.submit(3, Given::work);
        var worker = world.worker();
        worker.claim(1, 1);
        var leases = worker.claim(2, 1);

        worker.beat(1).orThrow();

        assertThat(worker.claim(2, 1)).isEqualTo(leases);
        assertThat(asked(() -> worker.claim(1, 1))).isInvalid(Invalid.Code.CLAIM_NUMBER_USED);
    }

    @Test
    void a_number_that_was_not_acknowledged_gives_nothing_new_when_its_work_is_done() {
        world.submit(3, Given::work);
        var worker = world.worker();
        worker.claim(1, 1);
        world.end(complete(worker.claim(2, 1).getFirst())).orThrow();

        worker.beat(1).orThrow();

        assertThat(worker.claim(2, 1)).isEmpty();
        assertThat(worker.claim(3, 1)).hasSize(1);
    }

    @Test
    void acknowledging_less_than_before_takes_nothing_back() {
        world.submit();
        var worker = world.worker();
        worker.claim(2, 1);
        worker.beat(2).orThrow();
        worker.beat(0).orThrow();

        assertThat(asked(() -> worker.claim(2, 1))).isInvalid(Invalid.Code.CLAIM_NUMBER_USED);
    }

    @Test
    void a_claim_repeated_after_the_death_of_its_session_gets_nothing() {
        world.submit();
        var frail = world.frailWorker();
        frail.claimOne();

        world.advance(frail.session().ttl());

        assertThat(asked(() -> frail.repeatClaim(1))).isNotFound("session");
    }
}
