package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.UNTIL_APPROVED;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.suspend;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.unknown;
import static io.flowfabric.testkit.contract.Scenario.OLGA;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Denied;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.operate.Keys.Rotation;
import io.flowfabric.core.signal.Condition;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.signal.Delivery.Effect;
import io.flowfabric.core.signal.Signals.Presented;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A token lets an outsider send signals to one waitpoint while that is open, and reveals nothing
 * before it is known to be genuine.
 */
abstract class WaitpointTokenRules extends Rules {
    private static final Duration DAY = Duration.ofDays(1);
    private static final Attribution BANK = new Attribution("bank", "the transfer has come");

    WaitpointTokenRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @BeforeEach
    void makeKey() {
        world.store().keys().first();
    }

    private String token(Lease lease) {
        return world.token(new Waitpoint(idOf(lease), "boss"), DAY).orThrow();
    }

    private Answer<Delivery> present(String token) {
        return world.present(paid(token));
    }

    private static Presented paid(String token) {
        return new Presented(token, "paid", Payload.EMPTY, BANK, Optional.empty());
    }

    @Test
    void a_token_sends_a_signal_to_its_waitpoint() {
        var lease = world.suspended(UNTIL_APPROVED);

        assertThat(present(token(lease)).orThrow().effect()).isEqualTo(Effect.RESUMED);

        var received = world.received(idOf(lease)).getFirst().signal();
        assertThat(received.at()).isEqualTo(new Waitpoint(idOf(lease), "boss"));
        assertThat(received.by()).isEqualTo(BANK);
    }

    @Test
    void a_token_of_a_waitpoint_that_was_opened_early_serves_before_and_after() {
        var lease = world.begun();
        world.open(lease, "boss").orThrow();
        var token = token(lease);

        assertThat(present(token).orThrow().effect()).isEqualTo(Effect.KEPT);
        world.end(
                        suspend(
                                lease,
                                Suspension.until(
                                        "two",
                                        Condition.atLeast(2, Condition.Distinct.SIGNALS, "boss"))))
                .orThrow();
        assertThat(present(token).orThrow().effect()).isEqualTo(Effect.RESUMED);
    }

    @Test
    void a_token_cannot_use_up_what_its_execution_receives() {
        var lease = world.begun();
        world.open(lease, "boss").orThrow();
        var token = token(lease);
        int most = (int) Limit.WAITPOINT_SIGNALS.max();
        world.store()
                .signals()
                .present(Collections.nCopies(most, paid(token)))
                .forEach(Answer::orThrow);

        assertThat(present(token)).isInvalid(Invalid.Code.OUT_OF_RANGE);

        assertThat(world.received(idOf(lease))).hasSize(most);
        assertThat(world.send(lease, "bank", "paid", "bank")).isDone();
    }

    @Test
    void no_token_is_given_for_what_is_not_open() {
        var lease = world.begun();

        assertThat(world.token(new Waitpoint(idOf(lease), "boss"), DAY))
                .isConflict(Conflict.Code.WAITPOINT_CLOSED);
        assertThat(world.token(new Waitpoint(unknown(), "boss"), DAY)).isNotFound("execution");
        world.open(lease, "boss").orThrow();
        world.end(complete(lease)).orThrow();
        assertThat(world.token(new Waitpoint(idOf(lease), "boss"), DAY))
                .isConflict(Conflict.Code.ALREADY_FINISHED);
    }

    @Test
    void a_token_that_was_changed_is_a_forgery() {
        var one = world.suspended(UNTIL_APPROVED);
        var other = world.suspended(UNTIL_APPROVED);
        var token = token(one);
        var ofOther = token(other);

        var parts = token.split("\\.", -1);
        var otherParts = ofOther.split("\\.", -1);
        for (int n : List.of(3, 4, 5, 6, 7)) {
            var changed = parts.clone();
            changed[n] =
                    switch (n) {
                        case 4, 5 -> changed[n] + "0";
                        case 6 -> "eHg";
                        default -> otherParts[n];
                    };
            assertThat(present(String.join(".", changed)))
                    .as("part " + n)
                    .isDenied(Denied.Code.BAD_SIGNATURE);
        }
        assertThat(world.view(one).state().publicState()).isEqualTo(PublicState.SUSPENDED);
        assertThat(world.view(other).state().publicState()).isEqualTo(PublicState.SUSPENDED);
    }

    @Test
    void a_text_that_is_cut_or_longer_is_no_token() {
        var lease = world.suspended(UNTIL_APPROVED);
        var token = token(lease);

        for (var text :
                List.of(
                        "",
                        "x",
                        token.substring(0, token.length() - 1),
                        token + "A",
                        token + "\n",
                        " " + token,
                        token.toUpperCase(Locale.ROOT),
                        token.replace("ffw1", "ffw2"),
                        "ffw1" + ".a".repeat(10_000))) {
            assertThat(present(text)).as(text).isDenied(Denied.Code.MALFORMED_TOKEN);
        }
    }

    @Test
    @BatchAnswers("W2")
    void a_grant_is_no_token_and_a_token_no_grant() {
        var lease = world.suspended(UNTIL_APPROVED);
        world.submit(Given.work().lane(lease.lane()));
        var worker = world.worker(lease.lane());
        var grant = worker.grantedOne();

        assertThat(present(grant.token())).isDenied(Denied.Code.MALFORMED_TOKEN);
        assertThat(present(grant.token().replace("ffg1", "ffw1")))
                .isDenied(Denied.Code.MALFORMED_TOKEN);
    }

    @Test
    void a_token_serves_until_its_time_is_over() {
        var lease = world.suspended(UNTIL_APPROVED);
        var token = world.token(new Waitpoint(idOf(lease), "boss"), DAY).orThrow();
        world.advance(DAY.minusMillis(1));
        assertThat(present(token)).isDone();

        var later = world.suspended(UNTIL_APPROVED);
        var old = world.token(new Waitpoint(idOf(later), "boss"), DAY).orThrow();
        world.advance(DAY);
        assertThat(present(old)).isDenied(Denied.Code.TOKEN_EXPIRED);
    }

    @Test
    void a_token_is_useless_after_its_wait_is_over() {
        var lease = world.suspended(UNTIL_APPROVED);
        var token = token(lease);
        present(token).orThrow();

        assertThat(present(token)).as("resumed").isDenied(Denied.Code.WAITPOINT_CLOSED);
        var next = world.worker(lease.lane()).claimOne();
        world.end(suspend(next, Suspension.until("again", Condition.signal("boss")))).orThrow();
        assertThat(present(token))
                .as("opened again under its name")
                .isDenied(Denied.Code.WAITPOINT_CLOSED);
        assertThat(present(token(lease))).as("a new one").isDone();
    }

    @Test
    void a_token_is_useless_after_its_waitpoint_is_closed_or_its_execution_has_ended() {
        var closed = world.suspended(UNTIL_APPROVED);
        var ofClosed = token(closed);
        world.close(new Waitpoint(idOf(closed), "boss")).orThrow();
        assertThat(present(ofClosed)).isDenied(Denied.Code.WAITPOINT_CLOSED);

        var ended = world.suspended(UNTIL_APPROVED);
        var ofEnded = token(ended);
        world.cancel(idOf(ended));
        assertThat(present(ofEnded)).isDenied(Denied.Code.WAITPOINT_CLOSED);
        world.store().operations().erase(List.of(idOf(ended)), OLGA);
        assertThat(present(ofEnded)).as("erased").isDenied(Denied.Code.WAITPOINT_CLOSED);
    }

    @Test
    @BatchAnswers("P42")
    void a_key_that_was_replaced_is_believed_for_its_grace_and_no_longer() {
        var lease = world.suspended(UNTIL_APPROVED);
        var other = world.suspended(UNTIL_APPROVED);
        var token = token(lease);
        var ofOther = token(other);
        world.store().keys().rotate(Rotation.after(Duration.ofHours(1)), OLGA);
        world.advance(Duration.ofHours(1).minusMillis(1));
        assertThat(present(token)).isDone();
        world.advance(Duration.ofMillis(1));

        assertThat(present(ofOther)).isDenied(Denied.Code.UNKNOWN_KEY);
        assertThat(world.view(other).state().publicState()).isEqualTo(PublicState.SUSPENDED);
    }

    @Test
    void a_repeat_under_its_key_is_answered_as_before() {
        var lease = world.suspended(UNTIL_APPROVED);
        var token = token(lease);
        var signal = new Presented(token, "paid", Payload.EMPTY, BANK, Optional.of("transfer 7"));
        var first = world.present(signal).orThrow();

        assertThat(world.present(signal)).isDone(first);
    }

    @Test
    void one_bad_token_is_no_matter_of_the_others() {
        var one = world.suspended(UNTIL_APPROVED);
        var other = world.suspended(UNTIL_APPROVED);

        var answers =
                world.store()
                        .signals()
                        .present(List.of(paid(token(one)), paid("no"), paid(token(other))));

        assertThat(answers.get(0)).isDone();
        assertThat(answers.get(1)).isDenied(Denied.Code.MALFORMED_TOKEN);
        assertThat(answers.get(2)).isDone();
    }
}
