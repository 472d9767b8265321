package io.flowfabric.testkit.harness;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Payload;
import io.flowfabric.core.submit.KeyUse;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.testkit.harness.Operation.Hearing;
import io.flowfabric.testkit.harness.Operation.Order;
import io.flowfabric.testkit.history.Acknowledgement.WorkAccepted;

import java.util.List;
import java.util.Optional;

/** Submitters: handing in work. */
final class SubmitterRole extends Role {
    SubmitterRole(Stage stage, Participants cast) {
        super(stage, cast);
    }

    void submit(Operation.Submit operation) {
        var submissions =
                operation.orders().stream().flatMap(order -> submission(order).stream()).toList();
        if (!submissions.isEmpty()) {
            send(submissions, operation.hearing());
        }
    }

    private void send(List<Submission> submissions, Hearing hearing) {
        submissions.forEach(cast.ledger()::tried);
        var heard = hear(hearing, () -> sent(submissions), new Repeats(stage.exclusive())::submit);
        heard.ifPresent(
                known ->
                        eachDone(
                                submissions,
                                known.answer(),
                                (submission, done) -> {
                                    if (hasThatContent(submission, done)) {
                                        cast.acknowledgements()
                                                .note(
                                                        new WorkAccepted(
                                                                known.span(),
                                                                submission,
                                                                done.id()));
                                    }
                                }));
    }

    /** Whether what was found has the content that was asked for, as far as its key says that. */
    private static boolean hasThatContent(Submission submission, Submitted done) {
        return submission.keyUse() == KeyUse.EXACT || submission.id().equals(done.id());
    }

    /** The ledger knows what was accepted, even when the answer is lost to the one who asked. */
    private Reply<List<Answer<Submitted>>> sent(List<Submission> submissions) {
        var reply =
                stage.call("submit", submissions, store -> store.submissions().submit(submissions));
        reply.answered()
                .ifPresent(
                        answers ->
                                eachDone(
                                        submissions,
                                        answers,
                                        (submission, done) -> {
                                            if (done.created()) {
                                                cast.ledger().accepted(submission);
                                            }
                                        }));
        return reply;
    }

    private Optional<Submission> submission(Order order) {
        return switch (order) {
            case Order.Fresh(HarnessWork work) ->
                    Optional.of(work.submission(cast.identity(), cast.start()));
            case Order.Again again ->
                    cast.ledger().recent(again.execution()).map(first -> twisted(first, again));
        };
    }

    private Submission twisted(Submission first, Order.Again again) {
        var otherId = cast.identity().minted(again.number());
        var otherInput = Payload.text("other content " + again.number());
        return switch (again.twist()) {
            case NONE -> first;
            case SAME_ID_OTHER_CONTENT -> input(first, otherInput);
            case OTHER_ID_SAME_CONTENT -> first.id(otherId);
            case OTHER_ID_OTHER_CONTENT -> input(first, otherInput).id(otherId);
        };
    }

    private static Submission input(Submission submission, Payload input) {
        return new Submission(
                submission.id(),
                submission.lane(),
                submission.kind(),
                input,
                submission.creator(),
                submission.key(),
                submission.keyUse(),
                submission.tags(),
                submission.policy());
    }
}
