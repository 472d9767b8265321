package io.flowfabric.testkit.history;

import io.flowfabric.core.feed.Event.Step;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Result;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Finished;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.history.Violation.Kind;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/** Asks whether what is there at the end is what the last life of an execution led to. */
final class FinalStateCheck {
    private final ExecutionRecord dossier;
    private final Life life;

    private FinalStateCheck(ExecutionRecord dossier, Life life) {
        this.dossier = dossier;
        this.life = life;
    }

    /**
     * @param now the store's clock at the end
     * @param drained whether everything was meant to be done by then
     */
    static void of(ExecutionRecord dossier, Instant now, boolean drained) {
        if (dossier.lives().isEmpty()) {
            dossier.view()
                    .ifPresent(
                            view ->
                                    dossier.complain(
                                            Kind.FINAL_STATE,
                                            "It is there, and the feed does not know it."));
            return;
        }
        var check = new FinalStateCheck(dossier, dossier.lives().getLast());
        dossier.view().ifPresentOrElse(check::follows, () -> check.mayBeGone(now));
        dossier.result().ifPresent(check::isTheResult);
        if (drained && !check.life.last().now().terminal()) {
            dossier.complain(
                    Kind.LOST_WORK,
                    "Everything was meant to be done, and it is still %s."
                            .formatted(check.life.last().now()));
        }
    }

    private void mayBeGone(Instant now) {
        Step last = life.last();
        if (!last.now().terminal()) {
            dossier.complain(Kind.LOST_WORK, "It is gone, and never ended.");
        } else if (dossier.retention()
                .filter(kept -> last.at().plus(kept).isAfter(now))
                .isPresent()) {
            dossier.complain(
                    Kind.LOST_WORK,
                    "It is gone at %s, and was to be kept for %s after its end at %s."
                            .formatted(now, dossier.retention().get(), last.at()));
        }
    }

    private void follows(ExecutionView view) {
        Step last = life.last();
        var state = stored(view.state());
        same("situation", last.now(), state.situation());
        same("number of attempts", last.attempts(), view.attempts());
        same("epoch", last.epoch(), view.epoch());
        same("number of retries", life.countSinceReplay(Transition.RETRY), view.retries());
        same("number of reclaims", life.countSinceReplay(Transition.LAPSE), view.reclaims());
        same("number of replays", life.count(Transition.REPLAY), view.replays());
        same(
                "owner",
                last.now() == Situation.RUNNING ? holder(last) : Optional.empty(),
                view.owner());
        switch (state) {
            case Finished finished -> same("time of the end", last.at(), finished.at());
            case Delayed delayed ->
                    last.until()
                            .ifPresent(until -> same("end of the delay", until, delayed.until()));
            case Running running ->
                    same(
                            "session",
                            holder(last).map(Owner::session),
                            Optional.of(running.session()));
            case ExecutionState other -> {}
        }
    }

    /** The state as it is stored: shut gates are only how ready work reads. */
    private static ExecutionState stored(ExecutionState seen) {
        return seen instanceof Blocked blocked && blocked.situation().onlySeen()
                ? blocked.behind()
                : seen;
    }

    private Optional<Owner> holder(Step last) {
        return life.tenure(last.epoch()).flatMap(tenure -> tenure.given().owner());
    }

    private void isTheResult(Result result) {
        Step last = life.last();
        if (!last.now().terminal()) {
            dossier.complain(Kind.FINAL_STATE, "It has a result and has not ended.");
        } else if (last.transition() == Transition.FAIL
                && !result.failure().equals(last.failure())) {
            dossier.complain(
                    Kind.WRONG_RESULT,
                    "It failed with %s, and its result says %s."
                            .formatted(last.failure(), result.failure()));
        }
    }

    private void same(String what, Object expected, Object actual) {
        if (!Objects.equals(expected, actual)) {
            dossier.complain(
                    Kind.FINAL_STATE,
                    "Its %s should be %s after its last step, and is %s."
                            .formatted(what, expected, actual));
        }
    }
}
