package io.flowfabric.core.flow;

import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Tags;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What is kept of a flow beside its graph and its input. It changes only under its lock.
 *
 * @param digest of what it was submitted with
 * @param parent the execution that may await it, if one may
 * @param open whether members may still be added from outside
 * @param revision how often its graph was changed
 * @param extended the digest of the last change of its graph, by which a repeat is known
 * @param tally how its members stand
 * @param cancelled that it was cancelled, if it was
 * @param endedAt when it ended, if it did
 * @param consequences what is still to be done, in this order
 */
public record FlowRecord(
        FlowId id,
        Namespace namespace,
        String kind,
        Tags tags,
        String creator,
        FlowPolicy policy,
        Digest digest,
        Instant submitted,
        Optional<ExecutionId> parent,
        boolean open,
        long revision,
        Optional<Digest> extended,
        MemberTally tally,
        FlowState state,
        Optional<FlowCancellation> cancelled,
        Optional<Instant> endedAt,
        List<Consequence> consequences) {
    public FlowRecord {
        consequences = List.copyOf(consequences);
    }

    /** A flow as it was submitted. */
    public static FlowRecord submitted(FlowSubmission flow, Digest digest, Instant now) {
        return new FlowRecord(
                flow.id(),
                flow.namespace(),
                flow.kind(),
                flow.tags(),
                flow.creator(),
                flow.policy(),
                digest,
                now,
                flow.parent(),
                flow.open(),
                1,
                Optional.empty(),
                MemberTally.NONE.added(flow.members().size()),
                FlowState.RUNNING,
                Optional.empty(),
                Optional.empty(),
                List.of());
    }

    /** Whether something is still to be done in it. */
    public boolean unsettled() {
        return !consequences.isEmpty();
    }

    /** Whether it has failed and was to fail fast, so that nothing more can come of it. */
    public boolean failedFast() {
        return policy.onFailure() == FlowPolicy.OnFailure.FAIL_FAST && tally.lost() > 0;
    }

    /** Whether members may still come from outside, so that it does not end with those it has. */
    public boolean awaitsMore() {
        return open && !failedFast();
    }

    /** What it comes to when all of its members have ended. */
    public FlowState verdict() {
        if (cancelled.isPresent()) {
            return FlowState.CANCELLED;
        }
        if (tally.lost() > 0 && policy.onFailure() != FlowPolicy.OnFailure.IGNORE) {
            return FlowState.FAILED;
        }
        boolean allSkipped = tally.all() > 0 && tally.skipped() == tally.all();
        return allSkipped ? FlowState.SKIPPED : FlowState.COMPLETED;
    }

    /** This flow with members that stand otherwise, and with this still to be done. */
    public FlowRecord going(MemberTally members, List<Consequence> left) {
        return new FlowRecord(
                id, namespace, kind, tags, creator, policy, digest, submitted, parent, open,
                revision, extended, members, state, cancelled, endedAt, left);
    }

    /** This flow at its end. */
    public FlowRecord ended(Instant at) {
        return new FlowRecord(
                id,
                namespace,
                kind,
                tags,
                creator,
                policy,
                digest,
                submitted,
                parent,
                false,
                revision,
                extended,
                tally,
                verdict(),
                cancelled,
                Optional.of(at),
                List.of());
    }

    /** This flow as if it had not ended. */
    public FlowRecord reopened() {
        return new FlowRecord(
                id,
                namespace,
                kind,
                tags,
                creator,
                policy,
                digest,
                submitted,
                parent,
                open,
                revision,
                extended,
                tally,
                FlowState.RUNNING,
                cancelled,
                Optional.empty(),
                consequences);
    }

    /** This flow, cancelled. */
    public FlowRecord cancelled(FlowCancellation how) {
        return new FlowRecord(
                id,
                namespace,
                kind,
                tags,
                creator,
                policy,
                digest,
                submitted,
                parent,
                false,
                revision,
                extended,
                tally,
                state,
                Optional.of(how),
                endedAt,
                consequences);
    }

    /** This flow with a graph that was changed once more. */
    public FlowRecord extended(Digest change, int members, boolean stillOpen) {
        return new FlowRecord(
                id,
                namespace,
                kind,
                tags,
                creator,
                policy,
                digest,
                submitted,
                parent,
                stillOpen,
                revision + 1,
                Optional.of(change),
                tally.added(members),
                state,
                cancelled,
                endedAt,
                consequences);
    }
}
