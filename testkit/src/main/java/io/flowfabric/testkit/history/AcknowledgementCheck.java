package io.flowfabric.testkit.history;

import io.flowfabric.core.Fence;
import io.flowfabric.core.Payload;
import io.flowfabric.core.feed.Event.Step;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.query.Result;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.history.Acknowledgement.ActDone;
import io.flowfabric.testkit.history.Acknowledgement.LeaseEnded;
import io.flowfabric.testkit.history.Acknowledgement.LeaseGiven;
import io.flowfabric.testkit.history.Acknowledgement.ProgressKept;
import io.flowfabric.testkit.history.Acknowledgement.Span;
import io.flowfabric.testkit.history.Acknowledgement.StepKept;
import io.flowfabric.testkit.history.Acknowledgement.WorkAccepted;
import io.flowfabric.testkit.history.Life.Tenure;
import io.flowfabric.testkit.history.Violation.Kind;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Asks whether what clients were told is what happened. */
final class AcknowledgementCheck {
    private final ExecutionRecord dossier;

    private AcknowledgementCheck(ExecutionRecord dossier) {
        this.dossier = dossier;
    }

    static void of(ExecutionRecord dossier) {
        var check = new AcknowledgementCheck(dossier);
        for (Acknowledgement told : dossier.acknowledged()) {
            switch (told) {
                case WorkAccepted work -> check.accepted();
                case LeaseGiven given -> check.given(given);
                case ProgressKept kept ->
                        check.kept(kept.span(), kept.report().fence(), "a report of progress");
                case StepKept kept ->
                        check.kept(kept.span(), kept.checkpoint().fence(), "a checkpoint");
                case LeaseEnded ended -> check.ended(ended);
                case ActDone done -> check.acted(done.act());
            }
        }
        dossier.result().flatMap(Result::result).ifPresent(check::isAsAcknowledged);
    }

    private void accepted() {
        if (dossier.steps().isEmpty()) {
            dossier.complain(
                    Kind.LOST_WORK,
                    "It was accepted, and the feed does not know of its submission.");
        }
    }

    private void given(LeaseGiven given) {
        Fence fence = given.lease().fence();
        boolean recorded =
                tenures(fence)
                        .flatMap(tenure -> tenure.given().owner().stream())
                        .anyMatch(owner -> owner.session().equals(given.lease().session()));
        if (!recorded) {
            dossier.complain(
                    Kind.UNRECORDED_LEASE,
                    ("Session %s was told that it holds the lease of epoch %d, attempt %d, and the"
                                    + " feed has no such lease.")
                            .formatted(given.lease().session(), fence.epoch(), fence.attempt()));
        }
    }

    /** Asks about a write that does not end its lease. */
    private void kept(Span span, Fence fence, String what) {
        if (tenures(fence).findAny().isEmpty()) {
            neverGiven(fence, what);
        } else if (tenures(fence).allMatch(tenure -> overBefore(tenure, span))
                || supersededBefore(span, fence.epoch())) {
            dossier.complain(
                    Kind.STALE_WRITE,
                    ("%s was accepted under epoch %d, attempt %d, in a call that began at %s"
                                    + " (moment %d), when that lease was already over.")
                            .formatted(
                                    what,
                                    fence.epoch(),
                                    fence.attempt(),
                                    span.began().at(),
                                    span.began().tick()));
        }
    }

    private static boolean overBefore(Tenure tenure, Span span) {
        return tenure.ended().filter(end -> end.at().isBefore(span.began().at())).isPresent();
    }

    /** Whether a client knew, before the call began, that the lease was over. */
    private boolean supersededBefore(Span span, long epoch) {
        if (dossier.lives().size() > 1) {
            // Epochs begin anew with each life, so that they do not say which lease came first.
            return false;
        }
        boolean claimedAgain =
                dossier.acknowledged(LeaseGiven.class).stream()
                        .filter(given -> given.lease().fence().epoch() > epoch)
                        .anyMatch(given -> given.span().before(span));
        boolean ended =
                dossier.acknowledged(LeaseEnded.class).stream()
                        .filter(other -> other.ending().fence().epoch() == epoch)
                        .anyMatch(other -> other.span().before(span));
        return claimedAgain || ended;
    }

    private void ended(LeaseEnded ended) {
        Fence fence = ended.ending().fence();
        var word = ended.ending().getClass().getSimpleName();
        if (tenures(fence).findAny().isEmpty()) {
            neverGiven(fence, word);
        } else if (tenures(fence).allMatch(tenure -> tenure.ended().isEmpty())) {
            dossier.complain(
                    Kind.LOST_WRITE,
                    "%s under epoch %d was accepted, and the feed shows that lease as still open."
                            .formatted(word, fence.epoch()));
        } else if (tenures(fence).noneMatch(tenure -> endsSo(tenure, ended))) {
            dossier.complain(
                    Kind.STALE_WRITE,
                    ("%s under epoch %d, attempt %d, was accepted as %s, but that lease was ended"
                                    + " by %s.")
                            .formatted(
                                    word,
                                    fence.epoch(),
                                    fence.attempt(),
                                    ended.answer().transition(),
                                    tenures(fence)
                                            .flatMap(tenure -> tenure.ended().stream())
                                            .map(Chronicle::line)
                                            .toList()));
        } else if (dossier.lives().size() == 1 && contradicted(ended)) {
            dossier.complain(
                    Kind.LEASE_ENDED_TWICE,
                    "The lease of epoch %d was ended in two ways, and both were accepted."
                            .formatted(fence.epoch()));
        }
    }

    private boolean contradicted(LeaseEnded ended) {
        return dossier.acknowledged(LeaseEnded.class).stream()
                .filter(other -> other.ending().fence().equals(ended.ending().fence()))
                .anyMatch(other -> !other.ending().digest().equals(ended.ending().digest()));
    }

    private static boolean endsSo(Tenure tenure, LeaseEnded ended) {
        return tenure.endedByHolder()
                && tenure.ended()
                        .filter(step -> step.transition() == ended.answer().transition())
                        .filter(
                                step ->
                                        step.until().isEmpty()
                                                || step.until().equals(ended.answer().until()))
                        .isPresent();
    }

    private void neverGiven(Fence fence, String what) {
        dossier.complain(
                Kind.STALE_WRITE,
                "%s was accepted under epoch %d, attempt %d, and no such lease was ever given."
                        .formatted(what, fence.epoch(), fence.attempt()));
    }

    private void acted(OperatorCommand act) {
        Optional<Transition> mark =
                switch (act) {
                    case OperatorCommand.Cancel cancel -> Optional.of(Transition.CANCEL);
                    case OperatorCommand.Complete complete -> Optional.of(Transition.COMPLETE);
                    case OperatorCommand.Fail fail -> Optional.of(Transition.FAIL);
                    case OperatorCommand.Pause pause -> Optional.of(Transition.PAUSE);
                    case OperatorCommand.Resume resume -> Optional.of(Transition.RESUME);
                    case OperatorCommand.Replay replay -> Optional.of(Transition.REPLAY);
                    // They are done, and leave no trace, when there is nothing to change.
                    case OperatorCommand.Revoke revoke -> Optional.empty();
                    case OperatorCommand.Reprioritise reprioritise -> Optional.empty();
                };
        mark.filter(step -> dossier.lives().stream().noneMatch(life -> life.has(step)))
                .ifPresent(
                        step ->
                                dossier.complain(
                                        Kind.LOST_WRITE,
                                        ("An operator was told that its %s is done, and the feed"
                                                        + " has no such step.")
                                                .formatted(step)));
    }

    private void isAsAcknowledged(Payload result) {
        if (dossier.lives().isEmpty()) {
            return;
        }
        Step last = dossier.lives().getLast().last();
        List<Payload> brought = last.by().isPresent() ? byOperators() : byHolder(last.epoch());
        if (!brought.isEmpty() && !brought.contains(result)) {
            dossier.complain(
                    Kind.WRONG_RESULT,
                    "Its result is '%s', and what was acknowledged is %s."
                            .formatted(
                                    result.asText(),
                                    brought.stream().map(Payload::asText).toList()));
        }
    }

    private List<Payload> byOperators() {
        return dossier.acknowledged(ActDone.class).stream()
                .map(ActDone::act)
                .filter(OperatorCommand.Complete.class::isInstance)
                .map(act -> ((OperatorCommand.Complete) act).result())
                .toList();
    }

    private List<Payload> byHolder(long epoch) {
        return dossier.acknowledged(LeaseEnded.class).stream()
                .map(LeaseEnded::ending)
                .filter(ending -> ending.fence().epoch() == epoch)
                .filter(Ending.Complete.class::isInstance)
                .map(ending -> ((Ending.Complete) ending).result())
                .toList();
    }

    /** The leases that a fence names; one in each life of the id that had it. */
    private Stream<Tenure> tenures(Fence fence) {
        return dossier.lives().stream()
                .flatMap(life -> life.tenure(fence.epoch()).stream())
                .filter(tenure -> tenure.given().attempts() - 1 == fence.attempt());
    }
}
