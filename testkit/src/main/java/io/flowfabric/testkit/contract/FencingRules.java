package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.delay;
import static io.flowfabric.testkit.contract.Endings.everyEnding;
import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idIn;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.unknown;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Partition;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Rule 2: only the holder of the newest lease writes, and only while its session lives. */
abstract class FencingRules extends Rules {
    FencingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    @BatchAnswers({"P20", "P29", "W20"})
    void a_stale_worker_cannot_finish_what_was_reclaimed() {
        var work = world.submit();
        var frail = world.frailWorker();
        var stale = frail.claimOne();
        world.bury(frail);
        var heir = world.worker();
        var fresh = heir.claimOne();

        nothingCanBeDoneWith(stale.fence());

        assertThat(world.view(work)).isHeldBy(heir).hasBegun(1);
        assertThat(world.end(complete(fresh))).isDone();
    }

    @Test
    @BatchAnswers("P20")
    void a_stale_worker_cannot_finish_what_was_tried_again() {
        var timed =
                Policy.DEFAULT
                        .attemptTimeout(Duration.ofMinutes(1))
                        .retry(Retry.retries(1).backoff(Backoff.fixed(Duration.ZERO)));
        var stale = world.begun(timed);
        world.pass(Duration.ofMinutes(1));
        nothingCanBeDoneWith(stale.fence());

        var fresh = world.worker(stale.lane()).claimOne();

        assertThat(fresh.fence()).isEqualTo(world.fence(idOf(stale), 1, 2));
        nothingCanBeDoneWith(stale.fence());
        assertThat(world.end(complete(fresh))).isDone();
    }

    @Test
    @BatchAnswers({"P20", "P31"})
    void a_worker_stays_fenced_however_often_its_work_is_superseded() {
        world.submit();
        var leases = new ArrayList<Lease>();
        for (int i = 0; i < 5; i++) {
            var worker = world.worker();
            leases.add(worker.claimOne());
            worker.close();
        }
        var last = world.worker().claimOne();

        leases.forEach(stale -> nothingCanBeDoneWith(stale.fence()));

        assertThat(world.end(complete(last))).isDone();
    }

    @Test
    @BatchAnswers("P31")
    void an_epoch_grows_with_every_lease_and_never_restarts() {
        var first = world.begun();
        world.end(release(first)).orThrow();
        var second = world.worker(first.lane()).claimOne();
        world.end(retry(second, Duration.ZERO)).orThrow();
        var third = world.worker(first.lane()).claimOne();
        world.end(complete(third)).orThrow();
        world.replay(idOf(first));
        long begun = world.now().toEpochMilli();
        world.advance(Duration.ofMillis(2));
        // Three leases in one millisecond have used up the next two as well.
        long later = begun + 3;
        var fourth = world.worker(first.lane()).claimOne();

        assertThat(List.of(first.fence(), second.fence(), third.fence(), fourth.fence()))
                .extracting(Fence::attempt, Fence::epoch)
                .containsExactly(
                        tuple(0, begun), tuple(0, begun + 1), tuple(1, begun + 2), tuple(2, later));
    }

    @Test
    void an_epoch_is_the_moment_of_its_lease_so_that_none_is_given_again_when_data_was_lost() {
        var first = world.begun();
        world.end(release(first)).orThrow();
        world.advance(Duration.ofSeconds(3));

        var second = world.worker(first.lane()).claimOne();

        assertThat(first.fence().epoch()).isEqualTo(first.since().toEpochMilli());
        assertThat(second.fence().epoch()).isEqualTo(world.now().toEpochMilli());
    }

    @Test
    @BatchAnswers("P31")
    void both_the_attempt_and_the_epoch_of_a_fence_must_fit() {
        var lease = world.begun();
        var work = idOf(lease);

        long epoch = lease.fence().epoch();
        nothingCanBeDoneWith(new Fence(work, 0, epoch + 1));
        nothingCanBeDoneWith(new Fence(work, 0, epoch - 1));
        nothingCanBeDoneWith(new Fence(work, 1, epoch));
        nothingCanBeDoneWith(new Fence(work, 1, epoch + 1));

        assertThat(world.end(complete(lease))).isDone();
    }

    @Test
    void a_fence_for_work_that_was_never_leased_fits_nothing() {
        var work = world.submit();

        nothingCanBeDoneWith(new Fence(work, 0, 1));

        assertThat(world.view(work)).reads(new Ready(LeasePurpose.FIRST)).hasBegun(0);
    }

    @Test
    void the_loser_of_a_lease_is_told_what_the_work_is_now() {
        var work = world.submit();
        var worker = world.worker();
        var stale = worker.claimOne();
        worker.close();

        assertThat(world.end(complete(stale))).isLeaseLost(PublicState.WAITING, 1);

        world.worker().claimOne();
        assertThat(world.end(complete(stale)))
                .isLeaseLost(PublicState.ACTIVE, 1)
                .isLeaseLostAt(world.fence(idOf(stale), 0, 2).epoch());

        world.cancel(work);
        assertThat(world.end(complete(stale))).isLeaseLost(PublicState.CANCELLED, 1);
    }

    @Test
    @BatchAnswers("P22")
    void a_lease_that_is_held_cannot_be_given_to_another() {
        var work = world.submit();
        var holder = world.worker();
        var lease = holder.claimOne();
        var other = world.worker();

        assertThat(other.claim(1)).isEmpty();
        assertThat(world.claimByHand(work, other)).isConflict(Conflict.Code.NOT_CLAIMABLE);

        world.tick();
        assertThat(world.view(work)).isHeldBy(holder).hasBegun(1).hasLapsed(0);
        assertThat(world.end(complete(lease))).isDone();
    }

    @Test
    @BatchAnswers("P23")
    void what_nobody_holds_any_more_cannot_be_ended_by_who_held_it() {
        var cancelled = world.begun();
        world.cancel(idOf(cancelled));
        var paused = world.begun();
        world.pause(idOf(paused));
        var revoked = world.begun();
        world.revoke(idOf(revoked));
        var completed = world.begun();
        world.act(new OperatorCommand.Complete(idOf(completed), Endings.RESULT)).orThrow();
        var expired = world.begun(Policy.DEFAULT.deadline(Due.in(Duration.ofMinutes(1))));
        world.pass(Duration.ofMinutes(1));

        for (var lease : List.of(cancelled, paused, revoked, completed, expired)) {
            nothingCanBeDoneWith(lease.fence());
        }
    }

    @Test
    @BatchAnswers("P24")
    void ended_work_is_not_brought_back_by_a_claim() {
        var lease = world.begun();
        var work = idOf(lease);
        world.end(complete(lease)).orThrow();
        var worker = world.worker(lease.lane());

        assertThat(worker.claim(1)).isEmpty();
        assertThat(world.claimByHand(work, worker)).isConflict(Conflict.Code.ALREADY_FINISHED);

        assertThat(world.view(work)).endedAs(Outcome.SUCCESS).hasBegun(1);
    }

    @Test
    @BatchAnswers("W35")
    void interrupted_work_that_is_delayed_is_not_taken_before_its_time() {
        var lease = world.begun();
        var work = idOf(lease);
        world.end(delay(lease, Duration.ofMinutes(1))).orThrow();
        var worker = world.worker(lease.lane());

        world.pass(Duration.ofMinutes(1).minusMillis(1));
        assertThat(worker.claim(1)).isEmpty();
        assertThat(world.claimByHand(work, worker)).isConflict(Conflict.Code.NOT_CLAIMABLE);

        world.pass(Duration.ofMillis(1));
        assertThat(worker.take(1)).containsExactly(work);
    }

    @Test
    void a_worker_whose_session_has_run_out_is_refused_before_anybody_has_noticed() {
        var work = world.submit();
        var frail = world.frailWorker();
        var lease = frail.claimOne();

        world.advance(frail.session().ttl().minusMillis(1));
        assertThat(world.report(lease, 50)).isDone();

        world.advance(Duration.ofMillis(1));
        nothingCanBeDoneWith(lease.fence());
        assertThat(world.view(work).progress().orElseThrow().percent()).isEqualTo(50);
    }

    @Test
    @BatchAnswers({"P29", "W34"})
    void progress_ends_with_the_lease() {
        var lease = world.begun();
        assertThat(world.report(lease, 10)).isDone(lease.fence());
        world.end(release(lease)).orThrow();

        assertThat(world.report(lease, 99)).isLeaseLost();

        assertThat(world.view(lease).progress().orElseThrow().percent()).isEqualTo(10);
    }

    @Test
    void one_stale_item_never_fails_the_others() {
        var good = world.begun();
        var stale = world.begun();
        var alsoGood = world.begun();
        world.revoke(idOf(stale));

        var answers =
                world.store()
                        .leases()
                        .end(List.of(complete(good), complete(stale), complete(alsoGood)));

        assertThat(answers.get(0)).isDone();
        assertThat(answers.get(1)).isLeaseLost();
        assertThat(answers.get(2)).isDone();
        assertThat(world.view(stale)).reads(new Ready(LeasePurpose.RECLAIM));
    }

    @Test
    void a_fence_for_unknown_work_is_not_found() {
        world.store().budgets().define(Budget.of("team", "tokens", 100), Scenario.OLGA);
        var lease = world.begun();
        var id = idOf(lease);
        var elsewhere = new Partition((id.partition().number() + 1) % Partition.COUNT);
        var misplaced = new Fence(new ExecutionId(elsewhere, id.uuid()), 0, lease.fence().epoch());

        for (var fence : List.of(new Fence(unknown(), 0, 1), misplaced)) {
            assertThat(world.end(new Ending.Release(fence))).isNotFound("execution");
            assertThat(world.report(fence, 99)).isNotFound("execution");
            var report = new UsageReport(fence, "team", "tokens", 1, "a");
            assertThat(world.store().leases().spend(List.of(report)).getFirst())
                    .isNotFound("execution");
        }
        assertThat(world.end(complete(lease))).isDone();
    }

    @Test
    void the_fence_of_one_execution_opens_no_other() {
        var mine = world.submit(work().id(idIn(7)));
        var other = world.submit(work().id(idIn(7)));
        var worker = world.worker();
        assertThat(worker.take(1)).containsExactly(mine);

        nothingCanBeDoneWith(new Fence(other, 0, 1));

        assertThat(worker.take(1)).containsExactly(other);
    }

    /** Every write with this fence is refused, and nothing changes by trying. */
    private void nothingCanBeDoneWith(Fence fence) {
        var before = world.everything();
        for (Ending ending : everyEnding(fence)) {
            assertThat(world.end(ending)).as("%s", ending).isLeaseLost();
        }
        assertThat(world.report(fence, 99)).as("progress under %s", fence).isLeaseLost();
        assertThat(world.everything()).isEqualTo(before);
    }
}
