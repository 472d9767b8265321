package io.flowfabric.testkit.history;

import static io.flowfabric.testkit.history.Tale.ADA;
import static io.flowfabric.testkit.history.Tale.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.testkit.history.Violation.Kind;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The order of what one claim gives, and turns between lanes. Each promise is broken by a history
 * that was made for it, and kept by one that is nearly the same.
 */
class ClaimsCheckTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static final Lane SLOW = Lane.of("slow");

    private final Tale tale = new Tale();
    private final Tale other = new Tale();

    @Test
    void a_claim_that_gives_low_before_high() {
        tale.policy = Policy.DEFAULT.priority(1);
        other.policy = Policy.DEFAULT.priority(2);
        claimTogether(tale, other);

        assertThat(kinds(tale, other)).contains(Kind.OUT_OF_ORDER);
    }

    @Test
    void a_claim_that_gives_high_before_low() {
        tale.policy = Policy.DEFAULT.priority(2);
        other.policy = Policy.DEFAULT.priority(1);
        claimTogether(tale, other);

        assertThat(kinds(tale, other)).doesNotContain(Kind.OUT_OF_ORDER);
    }

    @Test
    void a_claim_that_gives_late_before_early() {
        other.submit().toldAccepted();
        tale.at = other.at.plus(SECOND);
        tale.submit().toldAccepted();
        other.at = tale.at;
        var call = tale.call();
        tale.claim(ADA).toldLease(ADA, 1, call);
        other.claim(ADA).toldLease(ADA, 1, call);

        assertThat(kinds(tale, other)).contains(Kind.OUT_OF_ORDER);
    }

    @Test
    void a_claim_that_gives_low_before_high_of_two_parts_of_a_lane() {
        tale.policy = Policy.DEFAULT.priority(1);
        other.policy = Policy.DEFAULT.priority(2);
        claimTogether(tale, other);

        assertThat(kindsWithin(Set.of(other), tale, other)).doesNotContain(Kind.OUT_OF_ORDER);
        assertThat(kindsWithin(Set.of(tale, other), tale, other)).contains(Kind.OUT_OF_ORDER);
    }

    @Test
    void a_claim_that_gives_low_before_high_of_a_part_of_a_lane_with_another_in_between() {
        var between = new Tale();
        tale.policy = Policy.DEFAULT.priority(1);
        between.policy = Policy.DEFAULT.priority(0);
        other.policy = Policy.DEFAULT.priority(2);
        claimTogether(tale, between, other);

        assertThat(kindsWithin(Set.of(between), tale, between, other)).contains(Kind.OUT_OF_ORDER);
    }

    /** What is found wrong where some have an order among each other, and the others another. */
    private static Set<Kind> kindsWithin(Set<Tale> part, Tale... tales) {
        var ids = part.stream().map(one -> one.id).collect(Collectors.toSet());
        return new HistoryChecker(Tale.together(tales), Optional.of(ids::contains))
                .verdict().stream().map(Violation::kind).collect(Collectors.toSet());
    }

    private void claimTogether(Tale... tales) {
        List.of(tales).forEach(one -> one.submit().toldAccepted());
        var call = tales[0].call();
        List.of(tales).forEach(one -> one.claim(ADA).toldLease(ADA, 1, call));
    }

    @Test
    void a_claim_that_leaves_one_lane_out_although_it_has_more() {
        assertThat(kinds(claim(8, 1))).contains(Kind.OUT_OF_TURN);
    }

    @Test
    void a_claim_that_takes_turns() {
        assertThat(kinds(claim(4, 4))).doesNotContain(Kind.OUT_OF_TURN);
    }

    /** One claim takes so many of two lanes, and one is left of each. */
    private History claim(int ofDefault, int ofSlow) {
        var tales = new ArrayList<Tale>();
        for (int i = 0; i <= ofDefault + ofSlow + 1; i++) {
            var one = new Tale();
            one.lane = i > ofDefault ? SLOW : Lane.DEFAULT;
            tales.add(one.submit().toldAccepted());
        }
        var call = tales.getFirst().call();
        for (int i = 0; i < tales.size(); i++) {
            if (i != 0 && i != tales.size() - 1) {
                tales.get(i).claim(ADA).toldLease(ADA, 1, call);
            }
        }
        return Tale.together(tales.toArray(Tale[]::new));
    }
}
