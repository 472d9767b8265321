package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.FeedReader.steps;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Maintenance.Round;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Rule 21: one bad row never stops a claim, a sweep or a feed. */
abstract class PassingOverRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    PassingOverRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_claim_passes_over_a_bad_row_at_its_head() {
        var works = withABadOne(Policy.DEFAULT);

        assertThat(world.worker().takeOneByOne(2)).isEqualTo(goodOf(works));
        assertThat(world.worker().claim(1)).isEmpty();
    }

    @Test
    void a_claim_of_many_passes_over_a_bad_row_among_them() {
        var works = withABadOne(Policy.DEFAULT);
        var worker = world.worker();

        assertThat(worker.claim(3)).extracting(Given::idOf).isEqualTo(goodOf(works));
        assertThat(worker.repeatClaim(3)).hasSize(2);
    }

    @Test
    void a_bad_row_that_a_claim_passes_over_has_no_attempt_that_could_time_out() {
        var bad = world.submit(Policy.DEFAULT.attemptTimeout(MINUTE));
        world.poison(bad);

        assertThat(world.worker().claim(1)).isEmpty();

        assertThat(world.store().maintenance().nextDue(MINUTE)).isEmpty();
    }

    @Test
    void a_claim_that_passes_over_a_bad_row_leaves_the_time_of_other_attempts_alone() {
        var timed = Policy.DEFAULT.attemptTimeout(MINUTE).retry(Retry.NEVER);
        var lease = world.begun(timed);
        world.poison(world.submit(timed));

        assertThat(world.worker().claim(1)).isEmpty();

        world.pass(MINUTE);
        assertThat(world.view(lease)).endedAs(Outcome.FAILED);
    }

    @Test
    void what_cannot_be_read_takes_no_place_of_a_quota() {
        world.store().quotas().define(Quota.atOnce("mail", 1), Scenario.OLGA);
        var works = withABadOne(Policy.DEFAULT.quota("mail"));
        var worker = world.worker();

        var lease = worker.claimOne();

        assertThat(idOf(lease)).isEqualTo(works.get(1));
        assertThat(worker.claim(1)).isEmpty();
        world.end(complete(lease)).orThrow();
        assertThat(worker.take(1)).containsExactly(works.get(2));
        var mail = world.store().quotas().describe(Namespace.DEFAULT, QuotaUse.of("mail"));
        assertThat(mail.running()).isEqualTo(1);
    }

    @Test
    void a_claim_repeated_passes_over_a_row_that_went_bad_since() {
        world.submit(3, Given::work);
        var worker = world.worker();
        var leases = worker.claim(3);
        world.poison(idOf(leases.getFirst()));

        assertThat(worker.repeatClaim(3)).containsAll(leases.subList(1, 3));
    }

    @Test
    void a_delay_ends_for_the_others() {
        var works = withABadOne(Policy.DEFAULT.start(Due.in(MINUTE)));

        var round = roundAfter(MINUTE, Chore.TIMERS);

        assertThat(round.processed()).isEqualTo(2);
        assertThat(round.errors()).isPositive();
        assertThat(goodOf(works))
                .allSatisfy(
                        work -> assertThat(world.view(work)).reads(new Ready(LeasePurpose.FIRST)));
    }

    @Test
    void a_deadline_comes_for_the_others() {
        var works = withABadOne(Policy.DEFAULT.deadline(Due.in(MINUTE)));

        var round = roundAfter(MINUTE, Chore.TIMERS);

        assertThat(round.errors()).isPositive();
        assertThat(goodOf(works))
                .allSatisfy(work -> assertThat(world.view(work)).endedAs(Outcome.EXPIRED));
    }

    @Test
    void an_attempt_times_out_for_the_others() {
        world.submit(3, () -> work(Policy.DEFAULT.attemptTimeout(MINUTE).retry(Retry.NEVER)));
        var leases = world.worker().claim(3);
        world.poison(idOf(leases.get(0)));

        var round = roundAfter(MINUTE, Chore.TIMERS);

        assertThat(round.errors()).isPositive();
        assertThat(leases.subList(1, 3))
                .allSatisfy(lease -> assertThat(world.view(lease)).endedAs(Outcome.FAILED));
    }

    @Test
    void the_work_of_a_dead_worker_comes_back_but_for_the_bad_row() {
        world.submit(3, Given::work);
        var frail = world.frailWorker();
        var leases = frail.claim(3);
        world.poison(idOf(leases.get(1)));

        var round = roundAfter(frail.session().ttl(), Chore.SESSIONS);

        assertThat(round.errors()).isPositive();
        assertThat(List.of(leases.get(0), leases.get(2)))
                .allSatisfy(
                        lease ->
                                assertThat(world.view(lease))
                                        .reads(new Ready(LeasePurpose.RECLAIM)));
    }

    @Test
    void the_others_are_forgotten_when_their_time_has_come() {
        var works = world.submit(3, () -> work(Policy.DEFAULT.retention(MINUTE)));
        works.forEach(world::cancel);
        world.poison(works.getFirst());

        roundAfter(MINUTE, Chore.RETENTION);

        assertThat(goodOf(works))
                .allSatisfy(work -> assertThat(world.describe(work)).isNotFound("execution"));
    }

    @Test
    void a_bad_row_does_not_keep_a_sweep_busy_for_ever() {
        withABadOne(Policy.DEFAULT.start(Due.in(MINUTE)).deadline(Due.in(MINUTE.multipliedBy(2))));

        world.pass(MINUTE);
        world.pass(MINUTE);

        assertThat(world.tick(Chore.TIMERS, 100).more()).isFalse();
        assertThat(world.tick(Chore.SESSIONS, 100).more()).isFalse();
    }

    @Test
    void bad_rows_do_not_use_up_the_rounds_of_good_ones() {
        var works = world.submit(20, () -> work(Policy.DEFAULT.start(Due.in(MINUTE))));
        works.subList(0, 10).forEach(world::poison);
        world.advance(MINUTE);

        for (int i = 0; i < 20; i++) {
            world.tick(Chore.TIMERS, 5);
        }

        assertThat(works.subList(10, 20))
                .allSatisfy(
                        work -> assertThat(world.view(work)).reads(new Ready(LeasePurpose.FIRST)));
    }

    @Test
    void a_reading_answers_for_the_others() {
        var works = withABadOne(Policy.DEFAULT);

        var answers = world.store().queries().describe(works);

        assertThat(answers.get(0)).isUnreadable();
        assertThat(answers.get(1)).isDone();
        assertThat(answers.get(2)).isDone();
        assertThat(world.find(Search.in(Namespace.DEFAULT))).containsAll(goodOf(works));
    }

    @Test
    void a_call_does_what_it_can_for_the_others() {
        world.submit(3, Given::work);
        var leases = world.worker().claim(3);
        world.poison(idOf(leases.get(1)));

        var ends = world.store().leases().end(leases.stream().map(Endings::complete).toList());
        var acts =
                world.store()
                        .operations()
                        .act(leases.stream().map(this::cancel).toList(), Scenario.OLGA);

        assertThat(ends.get(0)).isDone();
        // What was damaged need not matter to the end of a lease.
        assertThat(ends.get(1))
                .satisfiesAnyOf(
                        end -> assertThat(end).isUnreadable(), end -> assertThat(end).isDone());
        assertThat(ends.get(2)).isDone();
        assertThat(acts.get(1)).isUnreadable();
        assertThat(world.view(leases.get(2))).endedAs(Outcome.SUCCESS);
    }

    @Test
    void a_feed_goes_on_behind_a_bad_row() {
        var feed = world.feed(FeedFilter.of(Topic.COMPLETIONS));
        withABadOne(Policy.DEFAULT);

        var lease = world.worker().claimOne();
        world.end(complete(lease)).orThrow();

        assertThat(steps(feed.read()))
                .extracting(Event.Step::execution)
                .containsExactly(idOf(lease));
    }

    /** Three executions, the first of them damaged. */
    private List<ExecutionId> withABadOne(Policy policy) {
        var works = world.submit(3, () -> work(policy));
        world.poison(works.getFirst());
        return works;
    }

    private static List<ExecutionId> goodOf(List<ExecutionId> works) {
        return works.subList(1, works.size());
    }

    private Round roundAfter(Duration step, Chore chore) {
        world.advance(step);
        return world.tick(chore, 100);
    }

    private OperatorCommand cancel(Lease lease) {
        return new OperatorCommand.Cancel(idOf(lease));
    }
}
