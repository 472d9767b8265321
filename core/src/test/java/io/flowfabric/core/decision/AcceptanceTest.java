package io.flowfabric.core.decision;

import static io.flowfabric.core.Examples.ID;
import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Examples.OTHER_ID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Denied;
import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.decision.Acceptance.Known;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.submit.KeyUse;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

class AcceptanceTest {
    private static final Submission WORK =
            Submission.of("welcome", Payload.text("ada")).id(ID).key("ada");
    private static final Digest SAME = WORK.digest();
    private static final Digest OTHER = WORK.creator("bob").digest();

    private static Optional<Submitted> repeated(Optional<Known> sameId, Optional<Known> sameKey) {
        return Acceptance.repeated(WORK, SAME, sameId, sameKey);
    }

    @Test
    void how_a_key_is_used_decides_what_becomes_of_other_content_and_of_what_has_ended() {
        var living = Optional.of(new Known(OTHER_ID, OTHER, Optional.empty(), false));
        var ended = Optional.of(new Known(OTHER_ID, OTHER, Optional.empty(), true));
        var found = Optional.of(new Submitted(OTHER_ID, false));
        var ifAbsent = WORK.key("ada", KeyUse.IF_ABSENT);
        var whilePending = WORK.key("ada", KeyUse.WHILE_PENDING);

        assertThat(Acceptance.repeated(ifAbsent, SAME, Optional.empty(), living)).isEqualTo(found);
        assertThat(Acceptance.repeated(ifAbsent, SAME, Optional.empty(), ended)).isEqualTo(found);
        assertThat(Acceptance.repeated(whilePending, SAME, Optional.empty(), living))
                .isEqualTo(found);
        assertThat(Acceptance.repeated(whilePending, SAME, Optional.empty(), ended)).isEmpty();
    }

    private static Optional<Known> known(ExecutionId id, Digest digest) {
        return Optional.of(new Known(id, digest, Optional.empty(), false));
    }

    @Test
    void what_is_new_has_no_answer_yet() {
        assertThat(repeated(Optional.empty(), Optional.empty())).isEmpty();
    }

    @Test
    void a_repeat_is_recognised_by_its_id_and_then_by_its_key() {
        assertThat(repeated(known(ID, SAME), known(OTHER_ID, OTHER)))
                .contains(new Submitted(ID, false));
        assertThat(repeated(Optional.empty(), known(OTHER_ID, SAME)))
                .contains(new Submitted(OTHER_ID, false));
    }

    @Test
    void other_content_under_the_same_id_or_key_is_a_conflict() {
        var elsewhere = new ExecutionId(new Partition(43), ID.uuid());

        assertConflict(Conflict.Code.ID_TAKEN, known(ID, OTHER), Optional.empty());
        assertConflict(Conflict.Code.ID_TAKEN, known(elsewhere, SAME), Optional.empty());
        assertConflict(Conflict.Code.KEY_TAKEN, Optional.empty(), known(OTHER_ID, OTHER));
    }

    @Test
    void the_refusal_of_other_content_says_what_differs() {
        var content = Optional.of(SubmittedContent.of(WORK.creator("bob")));
        var known = Optional.of(new Known(OTHER_ID, OTHER, content, false));

        assertThatThrownBy(() -> repeated(Optional.empty(), known))
                .hasMessage(
                        OTHER_ID
                                + ": The key ada was submitted with other content. What differs:"
                                + " creator. Submit it as it was, or use another one.");
    }

    private static void assertConflict(
            Conflict.Code code, Optional<Known> sameId, Optional<Known> sameKey) {
        assertThatThrownBy(() -> repeated(sameId, sameKey))
                .isInstanceOfSatisfying(
                        Conflict.class, conflict -> assertThat(conflict.code()).isEqualTo(code));
    }

    @Test
    void a_lane_takes_work_while_it_is_active_or_paused() {
        Acceptance.mustTake(Lane.DEFAULT, LaneSettings.State.ACTIVE);
        Acceptance.mustTake(Lane.DEFAULT, LaneSettings.State.PAUSED);
        for (var closed : List.of(LaneSettings.State.DRAINING, LaneSettings.State.DISABLED)) {
            assertThatThrownBy(() -> Acceptance.mustTake(Lane.DEFAULT, closed))
                    .isInstanceOfSatisfying(
                            Denied.class,
                            denied -> assertThat(denied.code()).isEqualTo(Denied.Code.LANE_CLOSED));
        }
    }

    @Test
    void it_begins_ready_or_delayed() {
        var later = NOON.plusSeconds(5);

        assertThat(Acceptance.begin(Policy.DEFAULT, NOON)).isEqualTo(new Ready(LeasePurpose.FIRST));
        assertThat(Acceptance.begin(Policy.DEFAULT.start(Due.in(Duration.ofSeconds(5))), NOON))
                .isEqualTo(new Delayed(LeasePurpose.FIRST, later, DelayedBy.REQUEST));
    }

    @Test
    void what_it_names_has_to_be_defined() {
        var team = BudgetUse.of("team", Map.of("tokens", 5L));

        mustExist(List.of("calls"), List.of(team), "tokens", "cents");
        assertMissing("quota", () -> mustExist(List.of("other"), List.of(team)));
        assertMissing("budget", () -> mustExist(List.of("calls"), List.of(team)));
        assertMissing(
                "The budget team has no dimension",
                () -> mustExist(List.of(), List.of(team), "cents"));
    }

    private static void mustExist(
            List<String> quotas, List<BudgetUse> budgets, String... dimensions) {
        Definitions.mustExist(quotas, budgets, "calls"::equals, name -> Set.of(dimensions));
    }

    private static void assertMissing(String what, Runnable call) {
        assertThatThrownBy(call::run).isInstanceOf(NotFound.class).hasMessageContaining(what);
    }
}
