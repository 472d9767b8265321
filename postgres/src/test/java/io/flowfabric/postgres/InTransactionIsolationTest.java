package io.flowfabric.postgres;

import static io.flowfabric.postgres.Shop.newKey;
import static io.flowfabric.postgres.Shop.newLane;
import static io.flowfabric.postgres.Shop.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flowfabric.core.Contended;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** What the isolation of a caller's transaction means for what it submits. */
class InTransactionIsolationTest {
    private static final String SERIALIZATION_FAILURE = "40001";

    private static Shop shop;

    @BeforeAll
    static void open() throws SQLException {
        shop = new Shop();
    }

    @AfterAll
    static void close() {
        shop.close();
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                Connection.TRANSACTION_READ_COMMITTED,
                Connection.TRANSACTION_REPEATABLE_READ,
                Connection.TRANSACTION_SERIALIZABLE
            })
    void work_comes_in_and_duplicates_of_before_are_found(int isolation) throws Exception {
        var old = work(newLane()).key(newKey());
        submit(old);
        var submission = work(old.lane()).key(newKey());
        try (var tx = shop.begin(isolation)) {
            shop.order(tx);
            assertThat(shop.store().in(tx).submit(submission).created()).isTrue();
            assertThat(shop.store().in(tx).submit(submission).created()).isFalse();
            assertThat(shop.store().in(tx).submit(work(old.lane()).key(old.key().orElseThrow())))
                    .isEqualTo(new Submitted(old.id(), false));
            tx.commit();
        }
        assertThat(shop.claim(old.lane())).containsExactly(old.id(), submission.id());
    }

    @Test
    void read_committed_finds_a_duplicate_that_was_committed_since_it_began() throws Exception {
        var first = work(newLane()).key(newKey());
        try (var tx = shop.begin()) {
            shop.orders(tx);
            submit(first);

            assertThat(shop.store().in(tx).submit(work(first.lane()).key(key(first))))
                    .isEqualTo(new Submitted(first.id(), false));
        }
    }

    @ParameterizedTest
    @ValueSource(
            ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
    void a_duplicate_that_the_snapshot_does_not_show_is_contended_until_the_transaction_is_repeated(
            int isolation) throws Exception {
        var lane = newLane();
        submit(work(lane));
        var first = work(lane).key(newKey());
        var same = work(lane).key(key(first));
        try (var tx = shop.begin(isolation)) {
            shop.orders(tx);
            submit(first);

            assertThatExceptionOfType(Contended.class)
                    .isThrownBy(() -> shop.store().in(tx).submit(same))
                    .withMessageContaining("repeated as a whole")
                    .havingCause()
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getSQLState()).isEqualTo(SERIALIZATION_FAILURE));

            tx.rollback();
            assertThat(shop.store().in(tx).submit(same))
                    .isEqualTo(new Submitted(first.id(), false));
            tx.commit();
        }
    }

    @Test
    void repeatable_read_goes_on_after_a_duplicate_that_it_cannot_see() throws Exception {
        var lane = newLane();
        submit(work(lane));
        var first = work(lane).key(newKey());
        try (var tx = shop.begin(Connection.TRANSACTION_REPEATABLE_READ)) {
            shop.orders(tx);
            submit(first);
            assertThatExceptionOfType(Contended.class)
                    .isThrownBy(() -> shop.store().in(tx).submit(work(lane).key(key(first))));

            var order = shop.order(tx);
            var other = shop.store().in(tx).submit(work(lane));
            tx.commit();

            assertThat(shop.has(order)).isTrue();
            assertThat(shop.knows(other.id())).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
    void a_lane_that_the_snapshot_does_not_show_is_contended_until_the_transaction_is_repeated(
            int isolation) throws Exception {
        var submission = work(newLane());
        try (var tx = shop.begin(isolation)) {
            shop.orders(tx);
            assertThatExceptionOfType(Contended.class)
                    .isThrownBy(() -> shop.store().in(tx).submit(submission))
                    .withMessageContaining("newer than the snapshot");
            tx.rollback();

            assertThat(shop.store().in(tx).submit(submission).created()).isTrue();
            tx.commit();
        }
        assertThat(shop.claim(submission.lane())).containsExactly(submission.id());
    }

    @Test
    void of_two_that_cannot_be_serialised_the_loser_has_submitted_nothing() throws Exception {
        var lane = newLane();
        submit(work(newLane()));
        submit(work(lane));
        assertThat(shop.claim(lane)).hasSize(1);
        var won = work(lane);
        var lost = work(lane);
        try (var one = shop.begin(Connection.TRANSACTION_SERIALIZABLE);
                var other = shop.begin(Connection.TRANSACTION_SERIALIZABLE)) {
            // Each counts what the other then adds to.
            shop.orders(one);
            shop.orders(other);
            shop.order(one);
            shop.order(other);
            shop.store().in(one).submit(won);
            shop.store().in(other).submit(lost);
            one.commit();

            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(other::commit)
                    .returns(SERIALIZATION_FAILURE, SQLException::getSQLState);
        }
        assertThat(shop.claim(lane)).containsExactly(won.id());
        assertThat(shop.knows(lost.id())).isFalse();
    }

    @Test
    void a_transaction_that_is_doomed_is_told_to_be_repeated() throws Exception {
        var lane = newLane();
        submit(work(lane));
        try (var one = shop.begin(Connection.TRANSACTION_SERIALIZABLE);
                var other = shop.begin(Connection.TRANSACTION_SERIALIZABLE)) {
            shop.orders(one);
            shop.orders(other);
            shop.order(one);
            shop.order(other);
            one.commit();

            assertThatExceptionOfType(Contended.class)
                    .isThrownBy(() -> shop.store().in(other).submit(work(lane)))
                    .withMessageContaining("repeated as a whole");
        }
    }

    private static String key(Submission submission) {
        return submission.key().orElseThrow();
    }

    private static void submit(Submission submission) {
        shop.store().submissions().submit(List.of(submission)).getFirst().orThrow();
    }
}
