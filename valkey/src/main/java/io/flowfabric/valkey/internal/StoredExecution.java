package io.flowfabric.valkey.internal;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.Conflicts;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Result;
import io.flowfabric.core.signal.Awaiting;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Finished;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.valkey.internal.record.ExecutionFields;
import io.flowfabric.valkey.internal.record.SessionFields;
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.record.WaitRecord;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.List;
import java.util.Optional;

/**
 * An execution with what was asked for of its details.
 *
 * @param letters of these details, which {@code executions.lua} explains
 */
record StoredExecution(ExecutionFields row, String letters, List<Item> details) {
    /** What a view is made of. */
    static final String VIEWED = "sfbwp";

    /** What an explanation is made of. */
    static final String EXPLAINED = VIEWED + "a";

    /** What is decided about its waits by. */
    static final String WAITING = "swa";

    /** What an input is made of. */
    static final String INPUT = "si";

    /** What a result is made of. */
    static final String RESULT = "rfb";

    /**
     * @throws NotFound when the execution with this UUID has another id
     */
    static StoredExecution read(ExecutionId id, String letters, byte[] packed, List<Item> details) {
        var row = ExecutionFields.read(id.uuid(), packed);
        if (!row.id().equals(id)) {
            throw new NotFound("execution", id.toString());
        }
        return new StoredExecution(row, letters, details);
    }

    private Item stored(char letter) {
        return details.get(letters.indexOf(letter));
    }

    private Optional<Item> detail(char letter) {
        return stored(letter).optional(packed -> Item.read(packed.bytes()));
    }

    /** What was submitted, with its input. */
    Submission whole() {
        return SubmissionRecord.read(row.id(), stored('s'), stored('i'));
    }

    /** What was submitted, for those who do not look at its input. */
    Submission submission() {
        return SubmissionRecord.withoutInput(row.id(), stored('s'));
    }

    /** Why it is held back, if it is. */
    Optional<String> words() {
        return stored('w').optional(Item::text);
    }

    /** What is remembered of its waits. */
    Awaiting awaiting() {
        return WaitRecord.read(stored('a')).asOf(row.replays());
    }

    /** What is decided about its waits by. */
    Facts facts() {
        return row.facts(submission().policy(), words()).awaiting(awaiting());
    }

    private Optional<Attribution> endedBy() {
        return detail('b').map(by -> new Attribution(by.at(0).text(), by.at(1).text()));
    }

    Result result() {
        var state = row.state(Optional.of(""));
        if (!(state instanceof Finished finished)) {
            throw Conflicts.notFinished(row.id(), state.publicState());
        }
        boolean success = finished.outcome() == Outcome.SUCCESS;
        return new Result(
                finished.outcome(),
                success
                        ? Optional.of(
                                detail('r').map(SubmissionRecord::payload).orElse(Payload.EMPTY))
                        : Optional.empty(),
                success ? Optional.empty() : stored('f').optional(Steps::failure),
                endedBy());
    }

    ExecutionView view(Surroundings around) {
        var submission = submission();
        return new ExecutionView(
                row.id(),
                submission.lane(),
                submission.kind(),
                submission.creator(),
                submission.key(),
                submission.tags(),
                submission.policy(),
                seen(submission, around),
                row.priority(),
                row.attempts(),
                row.epoch(),
                row.retries(),
                row.reclaims(),
                row.replays(),
                detail('p').map(this::done),
                stored('f').optional(Steps::failure),
                endedBy(),
                row.session().map(holder -> owner(holder, around)),
                row.state(words()) instanceof Running running
                        ? around.session(running.session()).map(SessionFields::end)
                        : Optional.empty(),
                row.deadline(),
                row.submitted(),
                row.changed());
    }

    private static Owner owner(SessionId holder, Surroundings around) {
        return around.session(holder)
                .map(SessionFields::owner)
                .orElseThrow(() -> Item.unreadable("the session of a lease is missing"));
    }

    private ExecutionView.Done done(Item told) {
        return new ExecutionView.Done(
                told.at(0).small(), told.at(1).text(), row.progressAt().orElseThrow());
    }

    /** The state as it reads from outside. */
    private ExecutionState seen(Submission submission, Surroundings around) {
        var state = row.state(words());
        return state instanceof Ready ready ? around.seen(ready, gate(submission)) : state;
    }

    /** The gate that it waits behind. */
    WaitingGate gate(Submission submission) {
        var policy = submission.policy();
        return new WaitingGate(
                row.gate(),
                row.lane(),
                submission.kind(),
                policy.needs(),
                policy.quotas(),
                policy.budgets());
    }
}
