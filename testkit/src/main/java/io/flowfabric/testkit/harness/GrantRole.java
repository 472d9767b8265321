package io.flowfabric.testkit.harness;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Grant;
import io.flowfabric.core.lease.Grants.Redemption;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.signing.GrantToken;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.harness.Operation.Hearing;
import io.flowfabric.testkit.harness.Operation.Slip;
import io.flowfabric.testkit.history.Acknowledgement.LeaseGiven;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Workers that get their work as tickets, and operators who look after the keys. */
final class GrantRole extends Role {
    private final Repeats repeats;

    GrantRole(Stage stage, Participants cast) {
        super(stage, cast);
        this.repeats = new Repeats(stage.exclusive());
    }

    void grant(Operation.Grant operation) {
        var worker = cast.worker(operation.worker());
        var claim = new Claims.Claim(worker.sessionId(), worker.nextClaim(), operation.max());
        grant(worker, claim, operation.ttl(), operation.hearing());
    }

    private void grant(HarnessWorker worker, Claims.Claim claim, Duration ttl, Hearing hearing) {
        worker.sent(() -> grant(worker, claim, ttl, Hearing.HEARD));
        hear(hearing, () -> told(worker, stage.grant(claim, ttl)), repeats::grants)
                .ifPresent(
                        heard -> {
                            worker.learn(claim.number(), List.of());
                            heard.answer().forEach(worker::learn);
                        });
    }

    void reclaim(Operation.Reclaim operation) {
        var worker = cast.worker(operation.worker());
        cast.ledger()
                .recent(operation.execution())
                .map(Submission::id)
                .ifPresent(id -> reclaim(worker, id, operation.ttl()));
    }

    private void reclaim(HarnessWorker worker, ExecutionId execution, Duration ttl) {
        told(worker, stage.reclaim(execution, worker.sessionId(), ttl))
                .answered()
                .ifPresent(worker::learn);
    }

    void redeem(Operation.Redeem operation) {
        var worker = cast.worker(operation.worker());
        var tokens =
                operation.slips().stream().flatMap(slip -> shown(worker, slip).stream()).toList();
        if (!tokens.isEmpty()) {
            redeem(
                    worker,
                    new Redemption(worker.sessionId(), worker.nextClaim(), tokens),
                    operation.hearing());
        }
    }

    private void redeem(HarnessWorker worker, Redemption redemption, Hearing hearing) {
        worker.sent(() -> redeem(worker, redemption, Hearing.HEARD));
        hear(hearing, () -> told(worker, stage.redeem(redemption)), repeats::end)
                .ifPresent(
                        heard -> {
                            worker.learn(redemption.number(), List.of());
                            eachDone(
                                    redemption.tokens(),
                                    heard.answer(),
                                    (token, lease) -> learn(worker, lease, heard));
                        });
    }

    private void learn(HarnessWorker worker, Lease lease, Heard<?> heard) {
        worker.learn(lease);
        cast.acknowledgements().note(new LeaseGiven(heard.span(), lease));
    }

    private static <T> Reply<T> told(HarnessWorker worker, Reply<T> reply) {
        if (reply instanceof Reply.Refusal<T>(NotFound gone) && gone.entity().equals("session")) {
            worker.toldDead();
        }
        return reply;
    }

    /** The text that a worker shows: its own ticket, another worker's, or something like one. */
    private Optional<String> shown(HarnessWorker worker, Slip slip) {
        var from = slip.stolen() ? cast.worker(slip.grant()) : worker;
        return from.grant(slip.grant()).map(Grant::token).map(token -> tampered(token, slip));
    }

    private static String tampered(String text, Slip slip) {
        var token = GrantToken.parse(text);
        return switch (slip.tampering()) {
            case NONE -> text;
            case NONSENSE -> text.substring(1);
            case NEXT_EPOCH -> with(token, token.epoch() + 1, 0).text();
            case LATER -> with(token, token.epoch(), 1_000).text();
        };
    }

    private static GrantToken with(GrantToken token, long epoch, long later) {
        return new GrantToken(
                token.key(),
                token.execution(),
                epoch,
                token.session(),
                token.until().plusMillis(later),
                token.seal());
    }

    void rotate(Operation.Rotate operation) {
        var by = new Attribution("ada", "it is time");
        var unused =
                stage.call(
                        "rotate",
                        operation.rotation(),
                        store -> store.keys().rotate(operation.rotation(), by));
    }
}
