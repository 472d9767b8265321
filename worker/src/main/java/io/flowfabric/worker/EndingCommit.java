package io.flowfabric.worker;

import io.flowfabric.core.Advice;
import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.LeaseLost;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Leases;
import io.flowfabric.core.state.Transition;
import io.flowfabric.engine.EngineMetrics;
import io.flowfabric.engine.QuietLogger;

import org.slf4j.Logger;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * How endings are brought to the store. One that got no answer is repeated unchanged, for as long
 * as it takes: that is safe, and giving up is not. One that the store cannot take as it is becomes
 * a failure for good, and when that cannot be taken either, its lease is given back.
 */
final class EndingCommit implements Commit<Assignment> {
    private static final Logger LOG = QuietLogger.of(EndingCommit.class);

    private final Leases leases;
    private final EngineMetrics metrics;
    private final Logger log;

    EndingCommit(Leases leases, EngineMetrics metrics) {
        this(leases, metrics, LOG);
    }

    EndingCommit(Leases leases, EngineMetrics metrics, Logger log) {
        this.leases = leases;
        this.metrics = metrics;
        this.log = log;
    }

    @Override
    public String items() {
        return "endings";
    }

    @Override
    public long bytes(Assignment assignment) {
        return assignment.ending().bytes();
    }

    /** A lease whose end is lost ends with its session, where it is given to another worker. */
    @Override
    public void lost(Assignment assignment, Throwable why) {
        assignment.giveUpSession(why);
    }

    @Override
    public Set<Assignment> commit(List<Assignment> batch) {
        var answers = leases.end(batch.stream().map(Assignment::ending).toList());
        count(batch, answers);
        var unanswered = new HashSet<Assignment>();
        for (int i = 0; i < batch.size(); i++) {
            var assignment = batch.get(i);
            if (answers.get(i) instanceof Answer.Refused<Ended>(var refusal)
                    && !isFinal(assignment, refusal)) {
                unanswered.add(assignment);
            } else {
                assignment.settled();
            }
        }
        return unanswered;
    }

    @Override
    public boolean failedAlone(Assignment assignment, Throwable why) {
        if (why instanceof Error) {
            // Of this process, more likely than of what it was about to say.
            log.error("The end of {} failed; it is repeated.", assignment, why);
            return true;
        }
        return changed(assignment, why);
    }

    /** Whether an ending that was refused is another one now. */
    private boolean changed(Assignment assignment, Throwable why) {
        if (assignment.endInstead(why)) {
            log.error(
                    "The store cannot take the end of {} as it is; {} instead.",
                    assignment,
                    assignment.ending() instanceof Ending.Release
                            ? "its lease is given back"
                            : "it fails for good",
                    why);
            return true;
        }
        log.error(
                "The store does not even take {} back; its lease ends with its session.",
                assignment,
                why);
        assignment.settled();
        return false;
    }

    /** The store does not say which lanes they were of; who brought them knows. */
    private void count(List<Assignment> batch, List<Answer<Ended>> answers) {
        record Way(Lane lane, Transition transition) {}
        var counts = new HashMap<Way, Integer>();
        for (int i = 0; i < batch.size(); i++) {
            if (answers.get(i) instanceof Answer.Done<Ended>(var ended)) {
                counts.merge(
                        new Way(batch.get(i).lease().lane(), ended.transition()), 1, Integer::sum);
            }
        }
        counts.forEach((way, count) -> metrics.attempted(way.lane, way.transition, count));
    }

    /**
     * Whether the store may yet take what it did not take now. Work that it cannot read may be
     * mended while the session lives.
     */
    static boolean mayBeTakenLater(FlowFabricException refusal) {
        return refusal.advice() == Advice.REPEAT_LATER
                || (refusal instanceof StoreFailure failure && failure.isUnreadable());
    }

    private boolean isFinal(Assignment assignment, FlowFabricException refusal) {
        if (mayBeTakenLater(refusal)) {
            // Told at debug: in an outage it would be a line for each, again and again.
            log.debug("The end of {} got no answer; it is repeated.", assignment, refusal);
            return false;
        }
        return switch (refusal) {
            case LeaseLost late -> {
                log.info("The end of {} came too late: {}", assignment, late.getMessage());
                yield true;
            }
            case Invalid invalid -> !changed(assignment, invalid);
            case StoreFailure refused -> !changed(assignment, refused);
            // The lease is still held: a suspension whose name is taken has not ended it.
            case Conflict taken when taken.code() == Conflict.Code.RECORDED_DIFFERENTLY ->
                    !changed(assignment, taken);
            // Nor has one that awaits a flow that there is not.
            case NotFound missing when assignment.ending() instanceof Ending.Await ->
                    !changed(assignment, missing);
            default -> {
                log.error(
                        "The store refused the end of {}, which is dropped.", assignment, refusal);
                yield true;
            }
        };
    }
}
