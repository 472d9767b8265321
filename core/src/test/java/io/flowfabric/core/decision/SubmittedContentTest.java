package io.flowfabric.core.decision;

import static io.flowfabric.core.Examples.ID;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Components;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.query.ViewExample;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;

class SubmittedContentTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Policy POLICY = Policy.DEFAULT.budget("team", Map.of("tokens", 5L));
    private static final Submission WORK =
            Submission.of("welcome", Payload.text("ada")).id(ID).policy(POLICY);

    private static List<String> differences(Submission asked) {
        return SubmittedContent.of(WORK).differences(asked, WORK.digest());
    }

    @Test
    void equal_contents_differ_in_nothing() {
        assertThat(differences(WORK)).isEmpty();
    }

    @Test
    void an_execution_has_the_content_that_it_was_submitted_with() {
        var submission =
                Submission.of("mail", Payload.EMPTY)
                        .lane("emails")
                        .creator("ada")
                        .tag("city", "bonn")
                        .policy(POLICY);
        var execution =
                ViewExample.in(new Ready(LeasePurpose.FIRST)).tag("city", "bonn").policy(POLICY);

        assertThat(SubmittedContent.of(execution.view()))
                .isEqualTo(SubmittedContent.of(submission));
    }

    @Test
    void each_part_has_its_name() {
        assertThat(differences(WORK.lane("other").creator("eve").key("k").tag("a", "b")))
                .containsExactly("lane", "creator", "key", "tags");
        assertThat(differences(Submission.of("other", Payload.EMPTY).policy(POLICY)))
                .containsExactly("kind", "input");
        assertThat(differences(WORK.lane(Lane.of("other")))).containsExactly("lane");
    }

    @Test
    void each_field_of_a_policy_has_its_name() {
        var other =
                POLICY.priority(1)
                        .start(Due.in(SECOND))
                        .deadline(Due.in(SECOND))
                        .retry(Retry.NEVER)
                        .attemptTimeout(SECOND)
                        .stallTimeout(SECOND)
                        .needs(Capabilities.of("gpu"))
                        .quota("calls")
                        .budget("team", Map.of("tokens", 6L))
                        .maxReclaims(1)
                        .maxReplays(1)
                        .retention(SECOND)
                        .share("ada");

        assertThat(differences(WORK.policy(other)))
                .hasSameSizeAs(Components.of(Policy.class))
                .allMatch(name -> name.endsWith(" of the policy"))
                .contains("attempt timeout of the policy", "budgets of the policy");
    }
}
