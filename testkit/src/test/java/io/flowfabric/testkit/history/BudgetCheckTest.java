package io.flowfabric.testkit.history;

import static io.flowfabric.testkit.history.Tale.ADA;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.testkit.history.Violation.Kind;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What starts behind the limits of budgets. Each promise is broken by a history that was made for
 * it, and kept by one that is nearly the same.
 */
class BudgetCheckTest {
    private static final Expectations PROMPT = Expectations.slack(Duration.ofSeconds(2)).places(2);

    private final Budget team = Budget.of("team", "tokens", 100);

    private final Tale tale = new Tale();

    @Test
    void a_start_long_after_the_limit_was_reached() {
        start(Duration.ofSeconds(5));

        assertThat(kinds(List.of(team))).containsExactly(Kind.BUDGET_EXCEEDED);
    }

    @Test
    void a_start_beside_the_last_report() {
        start(Duration.ZERO);

        assertThat(kinds(List.of(team))).isEmpty();
    }

    @Test
    void a_start_after_the_limit_was_raised() {
        tale.policy = Policy.DEFAULT.budget("team");
        tale.tell(reached());
        tale.tell(
                new Event.BudgetChange(
                        Namespace.DEFAULT, "team", "define", Tale.OPERATOR, tale.at));
        tale.at = tale.at.plus(Duration.ofSeconds(5));
        tale.submit().toldAccepted().claim(ADA).complete(ADA).seenCompleted("done");

        assertThat(kinds(List.of(team))).isEmpty();
    }

    @Test
    void a_start_below_a_budget_whose_limit_was_reached() {
        start(Duration.ofSeconds(5));
        tale.policy = Policy.DEFAULT.budget("room");
        tale.toldAccepted();

        assertThat(kinds(List.of(team, Budget.of("room", "tokens", 9).parent("team"))))
                .contains(Kind.BUDGET_EXCEEDED);
    }

    private void start(Duration later) {
        tale.policy = Policy.DEFAULT.budget("team");
        tale.tell(reached());
        tale.at = tale.at.plus(later);
        tale.submit().toldAccepted().claim(ADA).complete(ADA).seenCompleted("done");
    }

    private Event reached() {
        return new Event.BudgetReached(Namespace.DEFAULT, "team", "tokens", true, 100, tale.at);
    }

    private Set<Kind> kinds(List<Budget> budgets) {
        return Tale.kinds(tale.history().expecting(PROMPT.budgets(budgets)));
    }
}
