package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.delay;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.StateVector.BlockingReason;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Rules 8 and 10: what a quota leaves no room for waits, says so, and holds up no other work. */
abstract class QuotaRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final Policy MAIL = Policy.DEFAULT.quota("mail");

    QuotaRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    @BatchAnswers("W9")
    void no_more_runs_at_once_than_the_quota_says() {
        define(Quota.atOnce("mail", 2));
        var works = world.submit(4, () -> work(MAIL));

        var leases = world.worker().claim(4);

        assertThat(leases).extracting(Given::idOf).isEqualTo(works.subList(0, 2));
        assertThat(world.worker().claim(4)).isEmpty();
        world.end(complete(leases.getFirst())).orThrow();
        assertThat(world.worker().take(4)).containsExactly(works.get(2));
    }

    @Test
    @BatchAnswers({"P60", "W5", "W42"})
    void work_behind_a_full_quota_is_in_nobodys_way() {
        define(Quota.atOnce("mail", 0));
        world.submit(3, () -> work(MAIL.priority(9000)));
        var free = world.submit();

        assertThat(world.worker().take(4)).containsExactly(free);
    }

    @Test
    void every_key_is_counted_by_itself() {
        define(Quota.atOnce("customer", 1));
        var ada = world.submit(Policy.DEFAULT.quota("customer", "ada"));
        var adaToo = world.submit(Policy.DEFAULT.quota("customer", "ada"));
        var ben = world.submit(Policy.DEFAULT.quota("customer", "ben"));
        var nobody = world.submit(Policy.DEFAULT.quota("customer"));

        var leases = world.worker().claim(4);

        assertThat(leases).extracting(Given::idOf).containsExactly(ada, ben, nobody);
        assertThat(view("customer", "ada").running()).isEqualTo(1);
        world.end(complete(leases.getFirst())).orThrow();
        assertThat(world.worker().take(4)).containsExactly(adaToo);
    }

    @Test
    void all_quotas_of_a_piece_of_work_must_have_room() {
        define(Quota.atOnce("mail", 2));
        define(Quota.atOnce("customer", 1));
        var first = world.submit(MAIL.quota("customer", "ada"));
        var second = world.submit(MAIL.quota("customer", "ada"));
        var third = world.submit(MAIL.quota("customer", "ben"));
        var fourth = world.submit(MAIL.quota("customer", "cy"));

        assertThat(taken(world.worker(), 3)).containsExactlyInAnyOrder(first, third);
        assertThat(world.view(fourth).state().vector().reason())
                .isEqualTo(BlockingReason.WAITING_FOR_QUOTA);
        world.cancel(first);
        assertThat(taken(world.worker(), 3)).containsExactly(second);
    }

    @Test
    @BatchAnswers({"P55", "W37"})
    void no_more_is_started_within_a_window_than_the_quota_says() {
        define(Quota.rate("mail", 2, MINUTE));
        var works = world.submit(5, () -> work(MAIL));
        var worker = world.worker();

        assertThat(worker.take(1)).containsExactly(works.get(0));
        world.advance(MINUTE.dividedBy(2));
        assertThat(worker.take(5)).containsExactly(works.get(1));
        assertThat(worker.take(5)).isEmpty();

        world.advance(MINUTE.dividedBy(2).minus(MOMENT));
        assertThat(worker.take(5)).isEmpty();
        world.advance(MOMENT);
        assertThat(worker.take(5)).containsExactly(works.get(2));
        world.advance(MINUTE.dividedBy(2));
        assertThat(worker.take(5)).containsExactly(works.get(3));
    }

    @Test
    void a_rate_is_kept_within_one_claim_of_several_kinds() {
        define(Quota.rate("mail", 1, MINUTE));
        for (String kind : List.of("letter", "parcel", "letter", "parcel", "letter")) {
            world.submit(Submission.of(kind, Payload.text("to you")).policy(MAIL));
        }
        var worker = world.worker();

        assertThat(worker.claim(5)).hasSize(1);
        assertThat(worker.claim(5)).isEmpty();
        assertThat(view("mail").started()).isEqualTo(1);
    }

    @Test
    void a_rate_is_kept_within_one_claim_of_retries_of_several_kinds() {
        define(Quota.rate("mail", 3, MINUTE));
        for (String kind : List.of("letter", "parcel")) {
            world.submit(Submission.of(kind, Payload.text("to you")).policy(MAIL));
        }
        var worker = world.worker();
        worker.claim(2).forEach(lease -> world.end(retry(lease, Duration.ZERO)).orThrow());

        assertThat(worker.claim(5)).hasSize(1);
        assertThat(view("mail").started()).isEqualTo(3);
    }

    /** R37. */
    @Test
    void a_large_rate_is_counted_in_slices_of_its_window() {
        define(Quota.rate("mail", 1_000_000, MINUTE));
        world.advance(Duration.ofMillis(1));
        world.submit(3, () -> work(MAIL));
        var worker = world.worker();
        assertThat(worker.claim(2)).hasSize(2);
        world.advance(Duration.ofMillis(58));
        assertThat(worker.claim(2)).hasSize(1);
        assertThat(view("mail").started()).isEqualTo(3);

        // All of them began within one slice, and count as of its end.
        world.advance(MINUTE);
        assertThat(view("mail").started()).isEqualTo(3);
        world.advance(MOMENT);
        assertThat(view("mail").started()).isZero();
    }

    @Test
    @BatchAnswers({"P56", "W37"})
    void a_retry_is_a_start_and_going_on_is_none() {
        define(Quota.rate("mail", 2, MINUTE));
        var work = world.submit(MAIL);
        world.end(delay(world.worker().claimOne(), Duration.ZERO)).orThrow();
        assertThat(view("mail").started()).isEqualTo(1);
        var frail = world.frailWorker();
        frail.claimOne();
        world.bury(frail);

        var again = world.worker().claimOne();

        assertThat(again.next()).isEqualTo(LeasePurpose.RECLAIM);
        assertThat(view("mail").started()).isEqualTo(1);
        world.end(retry(again, Duration.ZERO)).orThrow();
        assertThat(world.worker().take(1)).containsExactly(work);
        assertThat(view("mail").started()).isEqualTo(2);
    }

    @Test
    @BatchAnswers({"P55", "W9", "W37"})
    void every_end_of_a_lease_gives_its_place_back_once() {
        define(Quota.atOnce("mail", 1));
        var frail = world.frailWorker();

        world.submit(MAIL);
        world.end(complete(world.worker().claimOne())).orThrow();
        assertRunning(0);
        world.submit(MAIL);
        var retried = world.worker().claimOne();
        world.end(retry(retried, MINUTE)).orThrow();
        world.end(retry(retried, MINUTE)).orThrow();
        assertRunning(0);
        world.cancel(idOf(retried));
        assertRunning(0);
        world.submit(MAIL);
        var cancelled = world.worker().claimOne();
        assertRunning(1);
        world.cancel(idOf(cancelled));
        world.cancel(idOf(cancelled));
        assertRunning(0);
        var paused = world.submit(MAIL);
        world.worker().claimOne();
        world.pause(paused);
        assertRunning(0);
        world.cancel(paused);
        var revoked = world.submit(MAIL);
        world.worker().claimOne();
        world.revoke(revoked);
        assertRunning(0);
        frail.claimOne();
        assertRunning(1);
        world.bury(frail);
        assertRunning(0);
        world.worker().claimOne();
        assertRunning(1);
    }

    @Test
    @BatchAnswers("W24")
    void what_waits_behind_a_quota_says_so_until_there_is_room() {
        define(Quota.atOnce("customer", 1));
        world.submit(Policy.DEFAULT.quota("customer", "42"));
        var lease = world.worker().claimOne();
        var waiting = world.submit(Policy.DEFAULT.quota("customer", "42"));

        assertThat(world.view(waiting))
                .reads(
                        new Blocked(
                                BlockedBy.QUOTA,
                                "quota customer=42: 1 of 1 running",
                                new Ready(LeasePurpose.FIRST)));
        assertThat(world.view(waiting).state().publicState()).isEqualTo(PublicState.RATE_LIMITED);
        var all = Search.in(Namespace.DEFAULT);
        assertThat(world.find(all.states(PublicState.RATE_LIMITED))).containsExactly(waiting);
        assertThat(world.find(all.states(PublicState.WAITING))).isEmpty();
        assertThat(world.find(all.reason(BlockingReason.WAITING_FOR_QUOTA)))
                .containsExactly(waiting);
        assertThat(world.store().queries().counts(Namespace.DEFAULT))
                .isEqualTo(
                        Map.of(
                                Lane.DEFAULT,
                                Map.of(PublicState.ACTIVE, 1L, PublicState.RATE_LIMITED, 1L)));

        world.end(complete(lease)).orThrow();
        assertThat(world.view(waiting)).reads(new Ready(LeasePurpose.FIRST));
    }

    @Test
    void a_full_rate_says_when_it_opens() {
        define(Quota.rate("mail", 1, MINUTE));
        world.submit(MAIL);
        world.worker().claimOne();
        var waiting = world.submit(MAIL);
        var opens = world.in(MINUTE);
        world.advance(MOMENT);

        assertThat(view("mail"))
                .isEqualTo(
                        new QuotaView(
                                Quota.rate("mail", 1, MINUTE),
                                QuotaUse.of("mail"),
                                1,
                                1,
                                Optional.of(opens)));
        assertThat(world.view(waiting).state())
                .isEqualTo(
                        new Blocked(
                                BlockedBy.QUOTA,
                                "quota mail: 1 of 1 started within PT1M, the next at " + opens,
                                new Ready(LeasePurpose.FIRST)));
        assertThat(world.in(world.store().maintenance().nextDue(EVER).orElseThrow()))
                .isBeforeOrEqualTo(opens);
    }

    @Test
    void a_change_holds_from_now_on() {
        define(Quota.atOnce("mail", 1));
        var works = world.submit(5, () -> work(MAIL));
        assertThat(world.worker().take(5)).containsExactly(works.get(0));

        define(Quota.atOnce("mail", 3));
        assertThat(world.worker().take(5)).containsExactly(works.get(1), works.get(2));

        define(Quota.atOnce("mail", 1));
        assertThat(view("mail").running()).isEqualTo(3);
        world.cancel(works.get(0));
        world.cancel(works.get(1));
        assertThat(world.worker().take(5)).isEmpty();
        world.cancel(works.get(2));
        assertThat(world.worker().take(5)).containsExactly(works.get(3));
    }

    @Test
    void a_quota_that_nobody_defined_is_refused_and_nothing_is_stored() {
        var before = world.everything();

        assertThat(world.offer(work(MAIL))).isNotFound("quota");
        define(Quota.atOnce("mail", 1).namespace(Scenario.ELSEWHERE));
        assertThat(world.offer(work(MAIL))).isNotFound("quota");

        assertThat(world.everything().executions()).isEqualTo(before.executions());
        assertThat(world.everything().lanes()).isEqualTo(before.lanes());
    }

    @Test
    void a_deleted_quota_holds_nothing_back_and_takes_no_new_work() {
        define(Quota.atOnce("mail", 0));
        var submission = work(MAIL);
        var waiting = world.submit(submission);
        assertThat(world.worker().claim(1)).isEmpty();

        world.store().quotas().delete(Namespace.DEFAULT, "mail", Scenario.OLGA);
        world.store().quotas().delete(Namespace.DEFAULT, "mail", Scenario.OLGA);

        assertThat(asked(() -> view("mail"))).isNotFound("quota");
        assertThat(world.offer(work(MAIL))).isNotFound("quota");
        assertThat(world.offer(submission)).isDone();
        assertThat(world.view(waiting)).reads(new Ready(LeasePurpose.FIRST));
        assertThat(world.worker().take(1)).containsExactly(waiting);
        define(Quota.atOnce("mail", 1));
        assertThat(view("mail").running()).isEqualTo(1);
    }

    @Test
    void an_operator_exceeds_no_quota_either() {
        define(Quota.atOnce("mail", 1));
        var works = world.submit(2, () -> work(MAIL));
        var worker = world.worker();
        assertThat(world.claimByHand(works.get(1), worker)).isDone();

        assertThat(world.claimByHand(works.get(0), worker)).isConflict(Conflict.Code.NOT_CLAIMABLE);
        assertThat(world.claimByHand(works.get(1), worker)).isDone();

        world.cancel(works.get(1));
        assertThat(world.claimByHand(works.get(0), worker)).isDone();
        assertThat(view("mail").running()).isEqualTo(1);
    }

    @Test
    void quotas_are_listed_by_name_and_their_changes_told() {
        var feed = world.feed(FeedFilter.of(Topic.OPERATIONS));
        var mail = Quota.atOnce("mail", 2).rate(5, MINUTE);
        var calls = Quota.rate("calls", 5, MINUTE);
        define(mail);
        define(mail);
        define(calls);
        define(Quota.atOnce("mail", 9).namespace(Scenario.ELSEWHERE));

        for (int size = 1; size <= 3; size++) {
            int max = size;
            assertThat(
                            Everything.pages(
                                    after ->
                                            world.store()
                                                    .quotas()
                                                    .list(Namespace.DEFAULT, after, max)))
                    .containsExactly(calls, mail);
        }
        world.store().quotas().delete(Namespace.DEFAULT, "mail", Scenario.OLGA);

        assertThat(world.store().quotas().list(Namespace.DEFAULT, Cursor.START, 9).items())
                .containsExactly(calls);
        assertThat(feed.read())
                .extracting(event -> ((Event.QuotaChange) event).quota())
                .containsExactly(
                        Optional.of(mail),
                        Optional.of(calls),
                        Optional.of(Quota.atOnce("mail", 9).namespace(Scenario.ELSEWHERE)),
                        Optional.empty());
    }

    private void define(Quota quota) {
        world.store().quotas().define(quota, Scenario.OLGA);
    }

    private QuotaView view(String quota) {
        return world.store().quotas().describe(Namespace.DEFAULT, QuotaUse.of(quota));
    }

    private QuotaView view(String quota, String key) {
        return world.store().quotas().describe(Namespace.DEFAULT, QuotaUse.of(quota, key));
    }

    private void assertRunning(int expected) {
        assertThat(view("mail").running()).isEqualTo(expected);
    }

    /** What several claims give together: one that comes upon several quotas may leave some. */
    private static List<ExecutionId> taken(ScenarioWorker worker, int claims) {
        var all = new ArrayList<ExecutionId>();
        for (int i = 0; i < claims; i++) {
            all.addAll(worker.take(9));
        }
        return all;
    }
}
