package io.flowfabric.testkit.history;

import static io.flowfabric.testkit.history.Tale.ADA;
import static io.flowfabric.testkit.history.Tale.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.testkit.history.Violation.Kind;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Counts at the end of a run. Each promise is broken by a history that was made for it, and kept by
 * one that is nearly the same.
 */
class TotalsCheckTest {
    private final Tale tale = new Tale();

    @Test
    void executions_that_are_counted_and_not_there() {
        tale.submit().claim(ADA).complete(ADA).seenCompleted("done");
        tale.totals = counted(Map.of(PublicState.COMPLETED, 2L));

        assertThat(kinds(tale)).containsExactly(Kind.MISCOUNTED);
    }

    @Test
    void executions_that_are_counted_as_they_are() {
        tale.submit().claim(ADA).complete(ADA).seenCompleted("done");
        tale.totals = counted(Map.of(PublicState.COMPLETED, 1L));

        assertThat(kinds(tale)).isEmpty();
    }

    @Test
    void a_place_in_a_quota_that_is_held_by_nothing() {
        var quota = Quota.atOnce("house", 3);
        tale.policy = Policy.DEFAULT.quota("house");
        tale.tell(define(quota, tale.at)).submit().toldAccepted().claim(ADA).complete(ADA);
        tale.seenCompleted("done");
        tale.totals =
                new Totals(
                        Map.of(),
                        List.of(new QuotaView(quota, QuotaUse.of("house"), 1, 0, Optional.empty())),
                        List.of());

        assertThat(kinds(tale)).containsExactly(Kind.MISCOUNTED);
    }

    @Test
    void tokens_that_are_set_aside_for_nothing() {
        tale.submit().claim(ADA).complete(ADA).seenCompleted("done");
        var levels = new TreeMap<>(Map.of("tokens", new BudgetView.Level(5, 7)));
        tale.totals =
                new Totals(
                        Map.of(),
                        List.of(),
                        List.of(
                                new BudgetView(
                                        Budget.of("team", "tokens", 100),
                                        levels,
                                        Optional.empty())));

        assertThat(kinds(tale)).containsExactly(Kind.MISCOUNTED);
    }

    private static Totals counted(Map<PublicState, Long> counts) {
        return new Totals(Map.of(Lane.DEFAULT, counts), List.of(), List.of());
    }

    private static Event define(Quota quota, Instant at) {
        return new Event.QuotaChange(
                Namespace.DEFAULT, quota.name(), Optional.of(quota), Tale.OPERATOR, at);
    }
}
