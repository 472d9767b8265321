package io.flowfabric.core.state;

import io.flowfabric.core.state.StateVector.BlockingReason;

import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Why a worker let go of an execution. */
public enum SuspendedFor {
    /** A signal is to come. */
    WAITING_FOR_SIGNAL(BlockingReason.WAITING_FOR_SIGNAL),
    /** A person is to approve. */
    WAITING_FOR_APPROVAL(BlockingReason.WAITING_FOR_APPROVAL),
    /** An outside system is to call back. */
    WAITING_FOR_CALLBACK(BlockingReason.WAITING_FOR_CALLBACK),
    /** A tool is to return its result. */
    WAITING_FOR_TOOL_RESULT(BlockingReason.WAITING_FOR_TOOL_RESULT),
    /** An operator is to look at it. */
    WAITING_FOR_OPERATOR_REVIEW(BlockingReason.PAUSED_BY_OPERATOR),
    /** A rule of its policy paused it. */
    PAUSED_BY_POLICY(BlockingReason.PAUSED_BY_POLICY),
    /** A budget has nothing left for it. */
    PAUSED_BY_BUDGET(BlockingReason.WAITING_FOR_BUDGET),
    /** It stopped between two steps, on purpose. */
    STEP_BOUNDARY(BlockingReason.WAITING_FOR_SIGNAL),
    /** A person paused it. */
    MANUAL_PAUSE(BlockingReason.PAUSED_BY_OPERATOR);

    private final BlockingReason blockingReason;

    SuspendedFor(BlockingReason blockingReason) {
        this.blockingReason = blockingReason;
    }

    BlockingReason blockingReason() {
        return blockingReason;
    }

    static Set<BlockingReason> reasons() {
        return Stream.of(values())
                .map(SuspendedFor::blockingReason)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** The reason as it travels: {@code waiting_for_signal}. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
