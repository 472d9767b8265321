package io.flowfabric.core.state;

import io.flowfabric.core.state.StateVector.BlockingReason;

import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Why a worker let go of an execution. */
public enum SuspendedFor {
    WAITING_FOR_SIGNAL(BlockingReason.WAITING_FOR_SIGNAL),
    WAITING_FOR_APPROVAL(BlockingReason.WAITING_FOR_APPROVAL),
    WAITING_FOR_CALLBACK(BlockingReason.WAITING_FOR_CALLBACK),
    WAITING_FOR_TOOL_RESULT(BlockingReason.WAITING_FOR_TOOL_RESULT),
    WAITING_FOR_OPERATOR_REVIEW(BlockingReason.PAUSED_BY_OPERATOR),
    PAUSED_BY_POLICY(BlockingReason.PAUSED_BY_POLICY),
    PAUSED_BY_BUDGET(BlockingReason.WAITING_FOR_BUDGET),
    STEP_BOUNDARY(BlockingReason.WAITING_FOR_SIGNAL),
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
