package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

class NumberedClaimsTest {
    private static final Session SESSION = Session.of("worker", "one", "default");

    private final WaitedTime time = new WaitedTime();
    private final List<Claim> asked = new ArrayList<>();
    private final ArrayDeque<Supplier<Claimed>> answers = new ArrayDeque<>();
    private final Claims store =
            claim -> {
                asked.add(claim);
                return answers.remove().get();
            };
    private boolean over;
    private final NumberedClaims claims =
            new NumberedClaims(
                    store,
                    SESSION.id(),
                    time,
                    Backoff.exponential(Duration.ofMillis(50), Duration.ofSeconds(1), 2),
                    () -> over);

    /** Whoever got all of it would otherwise be the only one to look. */
    @Test
    void there_may_be_more_when_all_that_was_asked_for_came_or_the_store_says_so() {
        answers.add(() -> leases(2, false));
        answers.add(() -> leases(1, false));
        answers.add(() -> leases(1, true));
        answers.add(() -> leases(0, false));

        assertThat(claims.claim(() -> 2).full()).isTrue();
        assertThat(claims.claim(() -> 2).full()).isFalse();
        assertThat(claims.claim(() -> 2).full()).isTrue();
        assertThat(claims.claim(() -> 2).full()).isFalse();

        assertThat(claims.given()).isEqualTo(4);
        assertThat(claims.acknowledged()).isEqualTo(4);
        assertThat(asked).extracting(Claim::number).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void a_claim_without_an_answer_is_asked_again_under_its_number_after_ever_longer_waits() {
        answers.add(NumberedClaimsTest::away);
        answers.add(NumberedClaimsTest::away);
        answers.add(NumberedClaimsTest::away);
        answers.add(() -> leases(1, false));

        assertThat(claims.claim(() -> 3).leases()).hasSize(1);

        assertThat(time.waits())
                .containsExactly(
                        Duration.ofMillis(50), Duration.ofMillis(100), Duration.ofMillis(200));
        var first = new Claim(SESSION.id(), 1, 3);
        assertThat(asked).containsExactly(first, first.again(), first.again(), first.again());
        assertThat(claims.underWay()).isFalse();
    }

    @Test
    void a_claim_without_an_answer_is_under_way_until_the_next_one_has_it() {
        answers.add(
                () -> {
                    throw new NotFound("session", "gone");
                });
        answers.add(() -> leases(1, false));

        assertThatThrownBy(() -> claims.claim(() -> 3)).isInstanceOf(NotFound.class);
        assertThat(claims.underWay()).isTrue();
        assertThat(claims.acknowledged()).isZero();

        // As many as were asked for at first: the store compares.
        assertThat(claims.claim(() -> 1).leases()).hasSize(1);
        assertThat(asked.getLast()).isEqualTo(new Claim(SESSION.id(), 1, 3).again());
        assertThat(claims.underWay()).isFalse();
    }

    @Test
    void where_there_is_no_room_or_it_is_over_nothing_is_asked() {
        answers.add(() -> leases(1, false));

        assertThat(claims.claim(() -> 0)).isEqualTo(ClaimWaiter.Found.NOTHING);
        assertThat(claims.underWay()).isFalse();
        assertThat(asked).isEmpty();
        claims.claim(() -> 1);
        over = true;
        assertThat(claims.claim(() -> 1)).isEqualTo(ClaimWaiter.Found.NOTHING);

        assertThat(asked).containsExactly(new Claim(SESSION.id(), 1, 1));
    }

    private static Claimed away() {
        throw new StoreFailure("It is away.", true, new IllegalStateException());
    }

    private Claimed leases(int count, boolean more) {
        try (var memory = new MemoryStore(time)) {
            memory.sessions().open(SESSION);
            for (int i = 0; i < count; i++) {
                memory.submissions().submit(List.of(Submission.of("kind", Payload.EMPTY)));
            }
            var leases = memory.claims().claim(new Claim(SESSION.id(), 1, 10)).leases();
            return new Claimed(leases, Set.of(), more);
        }
    }
}
