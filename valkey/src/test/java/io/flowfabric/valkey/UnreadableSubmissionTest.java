package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Grants.Redemption;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** A submission that is damaged, or of a newer program, is in the way of no other. */
class UnreadableSubmissionTest {
    private static final Attribution OLGA = new Attribution("olga", "a test");
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ValkeyFixture fixture = ValkeyFixture.onOneNode();
    private final Store store = fixture.store();
    private final Session session = Session.of("worker", "1", "default").ttl(MINUTE);
    private long number;

    /** What is wrong with it. */
    enum Damage {
        SUBMISSION,
        POLICY,
        INPUT
    }

    @BeforeEach
    void open() {
        store.sessions().open(session);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @ParameterizedTest
    @EnumSource
    void a_claim_gives_the_others_and_holds_it_for_an_operator(Damage damage) {
        var works = submit(4, Policy.DEFAULT);
        spoil(works.get(1), damage);

        var claimed = store.claims().claim(new Claim(session.id(), 1, 4));

        assertThat(claimed.leases())
                .extracting(lease -> lease.fence().execution())
                .containsExactly(works.get(0), works.get(2), works.get(3));
        fixture.heal(works.get(1));
        assertThat(situation(works.get(1))).isEqualTo(Situation.HELD_BY_OPERATOR);
        var step = (Event.Step) store.queries().history(works.get(1)).getLast();
        assertThat(step.transition()).isEqualTo(Transition.PAUSE);
        assertThat(step.by().orElseThrow().actor()).isEqualTo(Attribution.ENGINE);
        assertThat(step.by().orElseThrow().reason()).contains("cannot be read");
        var resume = List.<OperatorCommand>of(new OperatorCommand.Resume(works.get(1)));
        store.operations().act(resume, OLGA).getFirst().orThrow();
        assertThat(claim(1)).containsExactly(works.get(1));
    }

    @ParameterizedTest
    @EnumSource
    void a_claim_that_finds_only_such_work_goes_on_behind_it(Damage damage) {
        store.quotas().define(Quota.atOnce("mail", 1), OLGA);
        var works = submit(4, Policy.DEFAULT.quota("mail"));
        works.subList(0, 3).forEach(work -> spoil(work, damage));

        assertThat(claim(1)).containsExactly(works.get(3));
        var mail = store.quotas().describe(Namespace.DEFAULT, QuotaUse.of("mail"));
        assertThat(mail.running()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void a_repeated_claim_holds_what_was_damaged_since(Damage damage) {
        var works = submit(2, Policy.DEFAULT);
        var claim = new Claim(session.id(), 1, 2);
        store.claims().claim(claim);
        spoil(works.getFirst(), damage);

        assertThat(store.claims().claim(claim.again()).leases())
                .extracting(lease -> lease.fence().execution())
                .containsExactly(works.get(1));
    }

    @ParameterizedTest
    @EnumSource(names = {"SUBMISSION", "POLICY"})
    void a_burial_returns_the_others_and_ends(Damage damage) {
        var works = submit(600, Policy.DEFAULT);
        for (int n = 0; n < 3; n++) {
            assertThat(claim(200)).hasSize(200);
        }
        works.subList(0, 560).forEach(work -> spoil(work, damage));
        var other = Session.of("other", "2", "default").ttl(MINUTE);
        store.sessions().open(other);
        var last = submit(1, Policy.DEFAULT).getFirst();
        store.claims().claim(new Claim(other.id(), 1, 1));
        fixture.advance(MINUTE);

        var round = store.maintenance().tick(Chore.SESSIONS, 1000);

        assertThat(round.processed()).isEqualTo(41);
        assertThat(round.errors()).isEqualTo(560);
        assertThat(store.queries().describe(List.of(last, works.getLast())))
                .allSatisfy(
                        view ->
                                assertThat(view.orThrow().state())
                                        .isEqualTo(new Ready(LeasePurpose.RECLAIM)));
        store.sessions().close(session.id());
    }

    @ParameterizedTest
    @EnumSource(names = {"SUBMISSION", "POLICY"})
    void a_timer_comes_for_the_others(Damage damage) {
        var works = submit(40, Policy.DEFAULT.start(Due.in(MINUTE)));
        works.subList(0, 30).forEach(work -> spoil(work, damage));
        fixture.advance(MINUTE);

        var round = store.maintenance().tick(Chore.TIMERS, 5);
        var next = store.maintenance().tick(Chore.TIMERS, 6);

        assertThat(round.processed()).isEqualTo(5);
        assertThat(next.processed()).isEqualTo(5);
        assertThat(next.errors()).isEqualTo(30);
        assertThat(next.more()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void a_feed_by_tag_and_a_search_pass_over_it(Damage damage) {
        var works = new ArrayList<ExecutionId>();
        for (int n = 0; n < 2; n++) {
            var one = Submission.of("work", Payload.text("x".repeat(600))).tag("colour", "red");
            store.submissions().submit(List.of(one)).getFirst().orThrow();
            works.add(one.id());
        }
        spoil(works.getFirst(), damage);

        var feed = FeedFilter.of(Topic.EVERYTHING).tag("colour", "red");
        assertThat(store.feeds().read(feed, store.feeds().beginning(), 10).entries())
                .extracting(entry -> ((Event.Step) entry.event()).execution())
                .contains(works.get(1));
        assertThat(store.queries().describe(works).get(1).orThrow().id()).isEqualTo(works.get(1));
    }

    @ParameterizedTest
    @EnumSource(names = {"INPUT"})
    void an_operator_who_claims_it_hears_why_not(Damage damage) {
        var work = submit(1, Policy.DEFAULT).getFirst();
        spoil(work, damage);

        assertThatThrownBy(() -> store.operations().claim(work, session.id(), OLGA))
                .isInstanceOf(StoreFailure.class)
                .hasMessageContaining(work.toString());
        assertThat(situation(work)).isEqualTo(Situation.HELD_BY_OPERATOR);
    }

    @ParameterizedTest
    @EnumSource
    void a_repeated_submission_is_answered_by_itself(Damage damage) {
        var bad = Submission.of("work", Payload.text("x".repeat(600)));
        var good = Submission.of("work", Payload.text("x".repeat(600)));
        store.submissions().submit(List.of(bad, good));
        spoil(bad.id(), damage);

        var answers = store.submissions().submit(List.of(bad, good));

        assertThat(answers.get(1).orThrow().created()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void tickets_of_the_others_are_good(Damage damage) {
        store.keys().first();
        var works = submit(3, Policy.DEFAULT);
        var grants = store.grants().claimForWorker(new Claim(session.id(), 1, 3), MINUTE).grants();
        var tokens = grants.stream().map(grant -> grant.token()).toList();
        spoil(works.get(1), damage);

        var verified = store.grants().verify(session.id(), tokens);
        var redeemed = store.grants().redeem(new Redemption(session.id(), 2, tokens));

        assertThat(verified.get(0).orThrow()).isEqualTo(grants.get(0));
        assertThat(redeemed.get(2).orThrow().fence().execution()).isEqualTo(works.get(2));
        assertThatThrownBy(() -> redeemed.get(1).orThrow()).isNotNull();
    }

    private void spoil(ExecutionId work, Damage damage) {
        switch (damage) {
            case SUBMISSION -> fixture.damage(work, "detail", "s");
            case POLICY -> fixture.renewPolicy(work);
            case INPUT -> fixture.damage(work, "detail", "i");
        }
    }

    private List<ExecutionId> submit(int count, Policy policy) {
        var input = Payload.text("x".repeat(600));
        var works =
                IntStream.range(0, count)
                        .mapToObj(n -> Submission.of("work", input).policy(policy))
                        .toList();
        store.submissions().submit(works).forEach(answer -> answer.orThrow());
        return works.stream().map(Submission::id).toList();
    }

    private List<ExecutionId> claim(int most) {
        // No number of these tests is used twice.
        var claim = new Claim(session.id(), 100 + ++number, most);
        return store.claims().claim(claim).leases().stream()
                .map(Lease::fence)
                .map(fence -> fence.execution())
                .toList();
    }

    private Situation situation(ExecutionId id) {
        return store.queries().describe(List.of(id)).getFirst().orThrow().state().situation();
    }
}
