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

    private void claimTogether(Tale first, Tale second) {
        first.submit().toldAccepted();
        second.submit().toldAccepted();
        var call = first.call();
        first.claim(ADA).toldLease(ADA, 1, call);
        second.claim(ADA).toldLease(ADA, 1, call);
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
