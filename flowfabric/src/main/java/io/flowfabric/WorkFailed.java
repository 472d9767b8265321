package io.flowfabric;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.query.Result;
import io.flowfabric.core.state.Outcome;

import java.util.Optional;

/** Thrown to a caller that awaits a result which there will not be. */
public final class WorkFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient ExecutionId execution;
    private final transient Result result;

    WorkFailed(ExecutionId execution, Result result) {
        super(inWords(execution, result));
        this.execution = execution;
        this.result = result;
    }

    /** Which work it was. */
    public ExecutionId execution() {
        return execution;
    }

    /** How it ended: it failed, was cancelled, expired, or was skipped. */
    public Outcome outcome() {
        return result.outcome();
    }

    /** The last failure of an attempt, if there was one. */
    public Optional<Failure> failure() {
        return result.failure();
    }

    /** Who ended it, and why, when it was not its handler. */
    public Optional<Attribution> endedBy() {
        return result.endedBy();
    }

    private static String inWords(ExecutionId execution, Result result) {
        var words =
                new StringBuilder("%s ended as %s".formatted(execution, result.outcome().wire()));
        result.endedBy()
                .ifPresent(by -> words.append(" by %s (%s)".formatted(by.actor(), by.reason())));
        result.failure()
                .ifPresent(
                        failure ->
                                words.append(
                                        ": %s (%s)"
                                                .formatted(failure.message(), failure.category())));
        return words.append(words.charAt(words.length() - 1) == '.' ? "" : ".").toString();
    }
}
