package io.flowfabric.postgres;

import static io.flowfabric.postgres.Shop.newKey;
import static io.flowfabric.postgres.Shop.newLane;
import static io.flowfabric.postgres.Shop.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Contended;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.postgres.Shop.Ear;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;

/** Who waits for a caller's transaction, who does not, and who is woken by its end. */
class InTransactionWaitingTest {
    private static Shop shop;

    @BeforeAll
    static void open() throws SQLException {
        shop = new Shop();
    }

    @AfterAll
    static void close() {
        shop.close();
    }

    @Test
    void the_commit_wakes_this_process_and_others_and_nothing_does_before() throws Exception {
        var submission = work(newLane());
        try (var other = shop.open();
                var here = shop.listenTo(shop.store());
                var there = shop.listenTo(other);
                var tx = shop.begin()) {
            shop.store().in(tx).submit(submission);
            nothingIsHeardBy(here, there);

            tx.commit();

            assertThat(here.next()).isEqualTo(submission.lane());
            assertThat(there.next()).isEqualTo(submission.lane());
            assertThat(shop.claim(submission.lane())).containsExactly(submission.id());
        }
    }

    @Test
    void a_rollback_wakes_nobody() throws Exception {
        try (var other = shop.open();
                var here = shop.listenTo(shop.store());
                var there = shop.listenTo(other);
                var tx = shop.begin()) {
            shop.store().in(tx).submit(work(newLane()));
            tx.rollback();

            nothingIsHeardBy(here, there);
        }
    }

    @Test
    void a_waiter_finds_work_that_is_committed_behind_what_was_taken_since() throws Exception {
        var lane = newLane();
        var early = work(lane);
        var late = work(lane);
        try (var here = shop.listenTo(shop.store());
                var tx = shop.begin()) {
            shop.store().in(tx).submit(early);
            submit(late);
            assertThat(here.next()).isEqualTo(lane);
            assertThat(shop.claim(lane)).containsExactly(late.id());

            tx.commit();

            assertThat(here.next()).isEqualTo(lane);
            assertThat(shop.claim(lane)).containsExactly(early.id());
        }
    }

    @Test
    void an_open_transaction_is_in_nobodys_way() throws Exception {
        // Everything about it is new: lane, kind, needs and policy.
        var lane = newLane();
        var first =
                Submission.of("kind-" + UUID.randomUUID(), Payload.EMPTY)
                        .lane(lane)
                        .key(newKey())
                        .policy(Policy.DEFAULT.maxReclaims(77));
        try (var other = shop.open();
                var tx = shop.begin();
                var second = shop.begin()) {
            shop.store().in(tx).submit(first);

            // Whoever had to wait for it would be told so, because its end never comes here.
            var beside = again(first).key(newKey());
            var elsewhere = again(first).key(newKey());
            var inside = again(first).key(newKey());
            assertThat(submit(beside).created()).isTrue();
            assertThat(
                            other.submissions().submit(List.of(elsewhere, work(newLane()))).stream()
                                    .allMatch(Answer::isDone))
                    .isTrue();
            assertThat(shop.store().in(second).submit(inside).created()).isTrue();
            second.commit();
            assertThat(shop.claim(lane)).containsExactly(beside.id(), elsewhere.id(), inside.id());
            for (Chore chore : Chore.values()) {
                assertThat(other.maintenance().tick(chore, 100).errors()).isZero();
            }

            tx.rollback();
        }
    }

    @Test
    void work_that_takes_turns_waits_for_nobody_and_keeps_its_turn() throws Exception {
        var lane = newLane();
        var ada = new Attribution("ada", "fair is fair");
        shop.store().lanes().configure(lane, LaneSettings.DEFAULT.sharing(true), ada);
        try (var tx = shop.begin();
                var second = shop.begin()) {
            var one = share(lane, "ann");
            var two = share(lane, "ann");
            var three = share(lane, "ann");
            shop.store().in(tx).submit(one);
            shop.store().in(second).submit(List.of(two, three));
            shop.store().in(tx).submit(work(lane));
            tx.rollback();
            second.commit();
            var four = share(lane, "bo");
            assertThat(submit(four).created()).isTrue();

            // The turn of what was rolled back is gone.
            assertThat(shop.claim(lane)).containsExactly(four.id(), two.id(), three.id());
        }
    }

    private static Submission share(Lane lane, String key) {
        return work(lane).policy(Policy.DEFAULT.share(key));
    }

    @Test
    void who_submits_the_same_key_waits_for_the_end_of_the_transaction() throws Exception {
        var first = work(newLane()).key(newKey());
        var same = again(first);
        try (var executor = Executors.newVirtualThreadPerTaskExecutor();
                var tx = shop.begin()) {
            shop.store().in(tx).submit(first);
            var waiting = executor.submit(() -> submit(same));
            shop.untilSomebodyWaits();

            tx.commit();

            assertThat(waiting.get()).isEqualTo(new Submitted(first.id(), false));
        }
    }

    @Test
    void who_submits_the_same_key_is_accepted_after_a_rollback() throws Exception {
        var first = work(newLane()).key(newKey());
        var same = again(first);
        try (var executor = Executors.newVirtualThreadPerTaskExecutor();
                var tx = shop.begin();
                var other = shop.begin()) {
            shop.store().in(tx).submit(first);
            var waiting = executor.submit(() -> shop.store().in(other).submit(same));
            shop.untilSomebodyWaits();

            tx.rollback();

            assertThat(waiting.get()).isEqualTo(new Submitted(same.id(), true));
            other.commit();
        }
        assertThat(shop.claim(first.lane())).containsExactly(same.id());
    }

    @Test
    void who_waits_too_long_for_a_key_is_told_so() throws Exception {
        var first = work(newLane()).key(newKey());
        try (var tx = shop.begin()) {
            shop.store().in(tx).submit(first);

            assertThatExceptionOfType(Contended.class).isThrownBy(() -> submit(again(first)));

            tx.commit();
        }
        assertThat(shop.claim(first.lane())).containsExactly(first.id());
    }

    @Test
    void a_transaction_that_waited_too_long_for_a_key_goes_on() throws Exception {
        var first = work(newLane()).key(newKey());
        var before = work(first.lane());
        var after = work(first.lane());
        try (var tx = shop.begin();
                var other = shop.begin()) {
            shop.store().in(tx).submit(first);
            var order = shop.order(other);
            shop.store().in(other).submit(before);

            assertThatExceptionOfType(Contended.class)
                    .isThrownBy(
                            () ->
                                    shop.store()
                                            .in(other)
                                            .submit(List.of(work(first.lane()), again(first))))
                    .withMessageContaining("An id or a key that another open transaction")
                    .withCauseInstanceOf(SQLException.class);

            shop.store().in(other).submit(after);
            other.commit();
            assertThat(shop.has(order)).isTrue();
            // Nothing of the refused batch was kept.
            assertThat(shop.claim(first.lane())).containsExactly(before.id(), after.id());
        }
    }

    @Test
    void of_two_that_wait_for_each_other_one_is_told_and_can_give_way() throws Exception {
        var a = work(newLane()).key(newKey());
        var b = work(a.lane()).key(newKey());
        try (var executor = Executors.newVirtualThreadPerTaskExecutor();
                var one = shop.begin();
                var other = shop.begin()) {
            shop.store().in(one).submit(a);
            shop.store().in(other).submit(b);
            var first = executor.submit(() -> orGiveWay(one, again(b)));
            var second = executor.submit(() -> orGiveWay(other, again(a)));

            assertThat(List.of(first.get(), second.get())).containsExactlyInAnyOrder(true, false);
            one.commit();
            other.commit();
        }
        assertThat(shop.claim(a.lane())).hasSize(2);
    }

    private static boolean orGiveWay(Connection tx, Submission submission) throws SQLException {
        try {
            return shop.store().in(tx).submit(submission).created();
        } catch (Contended e) {
            tx.rollback();
            return false;
        }
    }

    /** Wake-ups come in the order of commits: had there been one, it would come first. */
    private static void nothingIsHeardBy(Ear... ears) throws Exception {
        var marker = newLane();
        shop.announce(marker);
        for (Ear ear : ears) {
            assertThat(ear.next()).isEqualTo(marker);
        }
    }

    /** The same submission by somebody who does not know its id. */
    private static Submission again(Submission first) {
        return new Submission(
                Submission.of("other", Payload.EMPTY).id(),
                first.lane(),
                first.kind(),
                first.input(),
                first.creator(),
                first.key(),
                first.tags(),
                first.policy());
    }

    private static Submitted submit(Submission submission) {
        return shop.store().submissions().submit(List.of(submission)).getFirst().orThrow();
    }
}
