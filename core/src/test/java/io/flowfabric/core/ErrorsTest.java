package io.flowfabric.core;

import static io.flowfabric.core.Examples.FENCE;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Stream;

class ErrorsTest {

    @Test
    void not_found_names_what_was_asked_for() {
        var error = new NotFound("session", "s-1");

        assertThat(error.entity()).isEqualTo("session");
        assertThat(error.id()).isEqualTo("s-1");
        assertThat(error.advice()).isEqualTo(Advice.CHANGE_THE_REQUEST);
        assertThat(error)
                .hasMessage(
                        "There is no session s-1: it was never opened, was closed, or has expired;"
                                + " open a new one.");
    }

    @Test
    void not_found_says_what_to_do() {
        assertThat(new NotFound("budget", "team-b"))
                .hasMessage("There is no budget team-b: define it in this namespace first.");
        assertThat(new NotFound("execution", "x"))
                .hasMessage(
                        "There is no execution x: it was never accepted, or its retention has"
                                + " ended.");
        assertThat(NotFound.dimension("team-a", "tokns"))
                .hasMessage(
                        "The budget team-a has no dimension tokns: define it with one, or correct"
                                + " the name.")
                .returns("tokns", NotFound::id);
    }

    @Test
    void what_the_store_would_refuse_again_needs_an_operator() {
        var error = StoreFailure.refused("Postgres refused end.", new IllegalStateException());

        assertThat(error.advice()).isEqualTo(Advice.CALL_AN_OPERATOR);
        assertThat(error.mayHaveApplied()).isFalse();
        assertThat(error).hasMessageContaining("repeating it unchanged cannot help");
    }

    @Test
    void invalid_names_the_field_and_a_stable_code() {
        var error = new Invalid(Invalid.Code.EMPTY, "kind", "It must not be empty.");

        assertThat(error.code()).isEqualTo(Invalid.Code.EMPTY);
        assertThat(error.field()).isEqualTo("kind");
        assertThat(error.advice()).isEqualTo(Advice.CHANGE_THE_REQUEST);
        assertThat(error).hasMessage("kind: It must not be empty.");
    }

    @Test
    void lease_lost_carries_the_authoritative_state() {
        var error = new LeaseLost(FENCE, 3, 17, PublicState.WAITING_CHILDREN);

        assertThat(error.presented()).isEqualTo(FENCE);
        assertThat(error.attempts()).isEqualTo(3);
        assertThat(error.epoch()).isEqualTo(17);
        assertThat(error.state()).isEqualTo(PublicState.WAITING_CHILDREN);
        assertThat(error.advice()).isEqualTo(Advice.STOP_WORKING);
        assertThat(error)
                .hasMessage(
                        "The lease {fp:42}:550e8400-e29b-41d4-a716-446655440000/0/1 is gone: the"
                                + " execution is waiting_children at epoch 17, attempt 2. Drop the"
                                + " work; another worker may have it.");
    }

    @Test
    void lease_lost_speaks_of_attempt_0_before_there_was_one() {
        assertThat(new LeaseLost(FENCE, 0, 0, PublicState.WAITING))
                .hasMessageContaining("at epoch 0, attempt 0.");
        assertThat(new LeaseLost(FENCE, 1, 1, PublicState.ACTIVE))
                .hasMessageContaining("at epoch 1, attempt 0.");
    }

    @Test
    void conflict_names_what_is_already_there() {
        var error = new Conflict(Conflict.Code.KEY_TAKEN, "id-1", "The key is taken; use another.");

        assertThat(error.code()).isEqualTo(Conflict.Code.KEY_TAKEN);
        assertThat(error.existing()).isEqualTo("id-1");
        assertThat(error.advice()).isEqualTo(Advice.CHANGE_THE_REQUEST);
        assertThat(error).hasMessage("id-1: The key is taken; use another.");
    }

    @Test
    void contended_says_when_a_repeat_is_worth_it() {
        var error = new Contended("lane a/b", Duration.ofMillis(250));

        assertThat(error.retryAfter()).isEqualTo(Duration.ofMillis(250));
        assertThat(error.advice()).isEqualTo(Advice.REPEAT_LATER);
        assertThat(error)
                .hasMessage(
                        "Another call holds the same data (lane a/b), and nothing was changed;"
                                + " repeat it in 250 ms.");
    }

    @Test
    void denied_is_for_an_operator() {
        var error = new Denied(Denied.Code.LANE_CLOSED, "The lane is draining.");

        assertThat(error.code()).isEqualTo(Denied.Code.LANE_CLOSED);
        assertThat(error.advice()).isEqualTo(Advice.CALL_AN_OPERATOR);
        assertThat(error).hasMessage("The lane is draining.");
    }

    @Test
    void whoever_shows_a_bad_token_has_to_show_another() {
        var error = new Denied(Denied.Code.TOKEN_EXPIRED, "The grant was good until noon.");

        assertThat(error.advice()).isEqualTo(Advice.CHANGE_THE_REQUEST);
    }

    @Test
    void unavailable_is_for_an_operator() {
        var error = new Unavailable("The store is closed; open it again.");

        assertThat(error.advice()).isEqualTo(Advice.CALL_AN_OPERATOR);
        assertThat(error).hasMessage("The store is closed; open it again.");
    }

    @Test
    void store_failure_says_whether_the_call_may_have_applied() {
        var cause = new IOException("reset by peer");
        var perhaps = new StoreFailure("The connection was lost.", true, cause);
        var surelyNot = new StoreFailure("The connection was refused.", false, cause);

        assertThat(perhaps.mayHaveApplied()).isTrue();
        assertThat(perhaps)
                .hasMessage(
                        "The connection was lost. The call may have been applied: repeat it"
                                + " unchanged, repeating is safe.")
                .hasCause(cause);
        assertThat(surelyNot.mayHaveApplied()).isFalse();
        assertThat(surelyNot)
                .hasMessage("The connection was refused. Nothing was applied: repeat it unchanged.")
                .hasCause(cause);
        assertThat(Stream.of(perhaps, surelyNot))
                .extracting(StoreFailure::advice)
                .containsOnly(Advice.REPEAT_LATER);
    }

    @Test
    void what_this_program_cannot_read_is_for_a_newer_one_or_an_operator() {
        var cause = new IllegalStateException("its policy is missing");
        var error = StoreFailure.unreadable("The execution e-1", cause);

        assertThat(error.isUnreadable()).isTrue();
        assertThat(error.mayHaveApplied()).isFalse();
        assertThat(error.advice()).isEqualTo(Advice.CALL_AN_OPERATOR);
        assertThat(error)
                .hasMessage(
                        "The execution e-1 cannot be read by this program: a newer one wrote it, or"
                                + " what is stored of it is damaged. Nothing was applied: ask a"
                                + " newer program, or let an operator mend what is stored.")
                .hasCause(cause);
        assertThat(StoreFailure.refused("No.", cause).isUnreadable()).isFalse();
        assertThat(new StoreFailure("Away.", true, cause).isUnreadable()).isFalse();
    }

    @Test
    void a_percent_sign_in_what_is_quoted_does_no_harm() {
        assertThat(new NotFound("lane", "100% wool")).hasMessageContaining("lane 100% wool:");
        assertThat(new Invalid(Invalid.Code.EMPTY, "100% wool", "It is 7%."))
                .hasMessage("100% wool: It is 7%.");
        assertThat(new Conflict(Conflict.Code.ID_TAKEN, "100% wool", "It is 7%."))
                .hasMessage("100% wool: It is 7%.");
    }

    @Test
    void the_codes_on_the_wire_never_change() {
        assertThat(Stream.of(Invalid.Code.values()).map(Invalid.Code::wire))
                .containsExactly(
                        "empty",
                        "too_long",
                        "too_large",
                        "too_many",
                        "out_of_range",
                        "contradictory",
                        "not_printable",
                        "malformed_id",
                        "malformed_name",
                        "reserved",
                        "malformed_url",
                        "malformed_payload",
                        "malformed_fence",
                        "malformed_cursor",
                        "malformed_cron",
                        "malformed_patch",
                        "cursor_expired",
                        "cursor_restored",
                        "malformed_tag_key",
                        "malformed_capability",
                        "comparison_offered",
                        "malformed_vector",
                        "impossible_state",
                        "impossible_condition",
                        "cycle",
                        "unknown_member",
                        "duplicate",
                        "impossible_quorum",
                        "claim_number_used",
                        "autocommit",
                        "other_database",
                        "transaction_failed",
                        "transaction_read_only",
                        "connection_closed");
        assertThat(Stream.of(Conflict.Code.values()).map(Conflict.Code::wire))
                .containsExactly(
                        "id_taken",
                        "key_taken",
                        "session_taken",
                        "instance_taken",
                        "ended_differently",
                        "recorded_differently",
                        "sent_differently",
                        "waitpoint_closed",
                        "appended_differently",
                        "not_next",
                        "already_finished",
                        "not_finished",
                        "replays_exhausted",
                        "spent_differently",
                        "budget_taken",
                        "named_by_lane",
                        "not_claimable",
                        "other_namespace",
                        "namespace_used",
                        "lane_spread",
                        "stale_revision",
                        "not_due",
                        "flow_closed",
                        "member_begun",
                        "member_skipped",
                        "not_waiting");
        assertThat(Stream.of(Denied.Code.values()).map(Denied.Code::wire))
                .containsExactly(
                        "lane_closed",
                        "malformed_token",
                        "unknown_key",
                        "bad_signature",
                        "token_expired",
                        "unknown_grant",
                        "waitpoint_closed");
    }

    @Test
    void the_codes_are_the_same_where_i_has_no_dot() {
        var before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.of("tr", "TR"));

            assertThat(Invalid.Code.MALFORMED_ID.wire()).isEqualTo("malformed_id");
            assertThat(Conflict.Code.ID_TAKEN.wire()).isEqualTo("id_taken");
            assertThat(PublicState.WAITING.wire()).isEqualTo("waiting");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void a_refusal_is_an_answer_and_a_fault_is_none() {
        var fault = new IOException("reset by peer");

        assertThat(
                        Stream.of(
                                new NotFound("session", "s-1"),
                                new Invalid(Invalid.Code.EMPTY, "lanes", "It needs one."),
                                new Conflict(Conflict.Code.ID_TAKEN, "x", "It is another's."),
                                new Denied(Denied.Code.BAD_SIGNATURE, "It is forged.")))
                .allMatch(FlowFabricException::isAnswer);
        assertThat(
                        Stream.of(
                                new Contended("lane a/b", Duration.ofMillis(250)),
                                new Unavailable("The store is closed."),
                                new StoreFailure("The connection was lost.", true, fault),
                                StoreFailure.refused("The server would not.", fault),
                                StoreFailure.unreadable("The execution e-1", fault)))
                .noneMatch(FlowFabricException::isAnswer);
    }

    @Test
    void every_kind_of_error_gives_advice() {
        var kinds = FlowFabricException.class.getPermittedSubclasses();

        assertThat(kinds)
                .containsExactlyInAnyOrder(
                        NotFound.class,
                        Invalid.class,
                        LeaseLost.class,
                        Conflict.class,
                        Contended.class,
                        Denied.class,
                        Unavailable.class,
                        StoreFailure.class);
    }
}
