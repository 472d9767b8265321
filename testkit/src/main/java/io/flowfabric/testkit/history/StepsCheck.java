package io.flowfabric.testkit.history;

import io.flowfabric.core.Fence;
import io.flowfabric.core.feed.Event.Step;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.history.Violation.Kind;

import java.time.Instant;
import java.util.Optional;

/**
 * Walks through one life of an execution and asks of every step whether it could follow on the one
 * before.
 */
final class StepsCheck {
    private final ExecutionRecord dossier;

    private Optional<Step> before = Optional.empty();
    private Optional<Step> openLease = Optional.empty();
    private Optional<Instant> waitsUntil = Optional.empty();

    /** Whether the next lease begins a new attempt. */
    private boolean attemptDue = true;

    private StepsCheck(ExecutionRecord dossier) {
        this.dossier = dossier;
    }

    static void of(ExecutionRecord dossier) {
        for (Life life : dossier.lives()) {
            var check = new StepsCheck(dossier);
            life.steps().forEach(check::next);
        }
    }

    private void next(Step step) {
        before.ifPresentOrElse(previous -> follows(previous, step), () -> begins(step));
        leases(step);
        remember(step);
        before = Optional.of(step);
    }

    private void begins(Step step) {
        if (step.transition() != Transition.SUBMIT || !mayBegin(step.now())) {
            dossier.complain(
                    Kind.IMPOSSIBLE_STEP,
                    ("Its history begins with %s to %s, and only SUBMIT to READY, DELAYED or"
                                    + " AWAITING_CHILDREN begins one.")
                            .formatted(step.transition(), step.now()));
        }
        counts(0, 0, step);
    }

    private static boolean mayBegin(Situation situation) {
        return situation == Situation.READY
                || situation == Situation.DELAYED
                || situation == Situation.AWAITING_CHILDREN;
    }

    private void follows(Step previous, Step step) {
        if (previous.now().terminal() && step.transition() != Transition.REPLAY) {
            afterTheEnd(previous, step);
        } else if (openLease.isPresent() && step.transition().givesLease()) {
            claimedWhileHeld(openLease.get(), step);
        } else if (!step.transition().endsFrom(previous.now()).contains(step.now())) {
            dossier.complain(
                    Kind.IMPOSSIBLE_STEP,
                    "%s at %s does not lead from %s to %s."
                            .formatted(step.transition(), step.at(), previous.now(), step.now()));
        }
        if (step.at().isBefore(previous.at())) {
            dossier.complain(
                    Kind.TIME_WENT_BACK,
                    "%s at %s comes after %s at %s."
                            .formatted(
                                    step.transition(),
                                    step.at(),
                                    previous.transition(),
                                    previous.at()));
        }
        if (step.transition() == Transition.WAKE
                && waitsUntil.filter(step.at()::isBefore).isPresent()) {
            dossier.complain(
                    Kind.WOKEN_EARLY,
                    "It was woken at %s and was to wait until %s."
                            .formatted(step.at(), waitsUntil.get()));
        }
        counts(previous.attempts(), previous.epoch(), step);
    }

    private void afterTheEnd(Step previous, Step step) {
        dossier.complain(
                step.now().terminal() ? Kind.FINISHED_TWICE : Kind.AFTER_THE_END,
                "It had ended with %s at %s; then came %s at %s without a replay."
                        .formatted(
                                previous.transition(),
                                previous.at(),
                                step.transition(),
                                step.at()));
    }

    private void claimedWhileHeld(Step open, Step step) {
        boolean sameSession =
                open.owner().map(Owner::session).equals(step.owner().map(Owner::session));
        dossier.complain(
                sameSession ? Kind.LEASE_NEVER_ENDED : Kind.TWO_HOLDERS,
                ("%s at %s gave a lease to %s while the lease of epoch %d, given to %s at %s, was"
                                + " open.")
                        .formatted(
                                step.transition(),
                                step.at(),
                                holder(step),
                                open.epoch(),
                                holder(open),
                                open.at()));
    }

    private void counts(int attempts, long epoch, Step step) {
        boolean gives = step.transition().givesLease();
        boolean counts = gives || step.transition() == Transition.GRANT;
        long expectedEpoch = counts ? Fence.epochAfter(epoch, step.at()) : epoch;
        if (step.epoch() != expectedEpoch) {
            dossier.complain(
                    Kind.EPOCH_NOT_RISING,
                    ("%s at %s has epoch %d and should have %d: a lease or a grant takes its"
                                    + " moment, or one more than the last, and nothing else"
                                    + " changes it.")
                            .formatted(step.transition(), step.at(), step.epoch(), expectedEpoch));
        }
        int expectedAttempts = gives && attemptDue ? attempts + 1 : attempts;
        if (step.attempts() != expectedAttempts) {
            dossier.complain(
                    Kind.ATTEMPT_MISCOUNTED,
                    ("%s at %s has %d attempts and should have %d: only the first lease after a"
                                    + " submission, a retry or a replay begins one.")
                            .formatted(
                                    step.transition(),
                                    step.at(),
                                    step.attempts(),
                                    expectedAttempts));
        }
    }

    private void leases(Step step) {
        if (step.transition().givesLease()) {
            if (step.owner().isEmpty()) {
                dossier.complain(
                        Kind.IMPOSSIBLE_STEP,
                        "%s at %s gave a lease to nobody.".formatted(step.transition(), step.at()));
            }
            openLease = Optional.of(step);
        } else if (step.leaseChange().isPresent()) {
            endsLease(step);
            openLease = Optional.empty();
        } else if (openLease.isPresent() && step.now() != Situation.RUNNING) {
            dossier.complain(
                    Kind.LEASE_NEVER_ENDED,
                    ("%s at %s left the lease of epoch %d behind, given to %s at %s: it names no"
                                    + " owner whose lease it ended.")
                            .formatted(
                                    step.transition(),
                                    step.at(),
                                    openLease.get().epoch(),
                                    holder(openLease.get()),
                                    openLease.get().at()));
            openLease = Optional.empty();
        }
    }

    private void endsLease(Step step) {
        if (openLease.isEmpty()) {
            dossier.complain(
                    Kind.LEASE_ENDED_TWICE,
                    "%s at %s ended a lease of %s, and none was open."
                            .formatted(step.transition(), step.at(), holder(step)));
        } else if (!openLease.get().owner().equals(step.owner())) {
            dossier.complain(
                    Kind.LEASE_ENDED_BY_ANOTHER,
                    "%s at %s ended a lease of %s, and the one that was open is that of %s."
                            .formatted(
                                    step.transition(),
                                    step.at(),
                                    holder(step),
                                    holder(openLease.get())));
        }
    }

    private void remember(Step step) {
        switch (step.transition()) {
            case SUBMIT, RETRY, REPLAY -> attemptDue = true;
            case CLAIM, RECLAIM, REDEEM -> attemptDue = false;
            // These keep the attempt, or end everything, so that only a replay follows.
            case WAKE,
                    GRANT,
                    FORFEIT,
                    COMPLETE,
                    FAIL,
                    DELAY,
                    RELEASE,
                    SUSPEND,
                    ESCALATE,
                    AWAIT,
                    LAPSE,
                    REVOKE,
                    RESUME,
                    SATISFY,
                    PAUSE,
                    REPRIORITISE,
                    CANCEL,
                    EXPIRE,
                    SKIP -> {}
        }
        waitsUntil =
                step.until().or(() -> step.transition().staysPut() ? waitsUntil : Optional.empty());
    }

    private static String holder(Step step) {
        return step.owner()
                .map(owner -> owner.worker() + " (" + owner.session() + ")")
                .orElse("nobody");
    }
}
