package io.flowfabric.core.codec;

import io.flowfabric.core.feed.Event;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What kind of event is written down: the one place that says which name stands for which type. */
public enum EventKind {
    /** An execution took a step. */
    STEP(Event.Step.class),
    /** A worker recorded a step of its execution. */
    STEP_RECORDED(Event.StepRecorded.class),
    /** An execution received a signal. */
    SIGNAL_RECEIVED(Event.SignalReceived.class),
    /** An operator closed a waitpoint. */
    WAITPOINT_CLOSED(Event.WaitpointClosed.class),
    /** A session showed a sign of life. */
    HEARTBEAT(Event.Renewal.class),
    /** An operator declared a worker process dead. */
    MARKED_DEAD(Event.MarkedDead.class),
    /** An execution and all that was told of it was erased. */
    ERASED(Event.Erased.class),
    /** An operator changed a lane. */
    LANE_CHANGED(Event.LaneChange.class),
    /** An operator changed a namespace. */
    NAMESPACE_CHANGED(Event.NamespaceChange.class),
    /** An operator defined, changed or deleted a quota. */
    QUOTA_CHANGED(Event.QuotaChange.class),
    /** An operator changed a budget, or took back what was counted. */
    BUDGET_CHANGED(Event.BudgetChange.class),
    /** An operator defined, paused, resumed or deleted a schedule. */
    SCHEDULE_CHANGED(Event.ScheduleChange.class),
    /** A limit of a budget was reached. */
    BUDGET_REACHED(Event.BudgetReached.class),
    /** A count was wrong and was put right. */
    DRIFTED(Event.Drifted.class),
    /** An operator had another key sign. */
    KEY_ROTATED(Event.KeyRotation.class),
    /** Something happened to a flow as a whole. */
    FLOW_CHANGED(Event.FlowChange.class);

    private final Class<? extends Event> type;

    EventKind(Class<? extends Event> type) {
        this.type = type;
    }

    /** The type of its events. */
    public Class<? extends Event> type() {
        return type;
    }

    /** The kind as it is written: {@code lane_changed}. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The kind of an event. */
    public static EventKind of(Event event) {
        return switch (event) {
            case Event.Step step -> STEP;
            case Event.StepRecorded recorded -> STEP_RECORDED;
            case Event.SignalReceived received -> SIGNAL_RECEIVED;
            case Event.WaitpointClosed closed -> WAITPOINT_CLOSED;
            case Event.Renewal renewal -> HEARTBEAT;
            case Event.MarkedDead death -> MARKED_DEAD;
            case Event.Erased erased -> ERASED;
            case Event.LaneChange change -> LANE_CHANGED;
            case Event.NamespaceChange change -> NAMESPACE_CHANGED;
            case Event.QuotaChange change -> QUOTA_CHANGED;
            case Event.BudgetChange change -> BUDGET_CHANGED;
            case Event.ScheduleChange change -> SCHEDULE_CHANGED;
            case Event.BudgetReached reached -> BUDGET_REACHED;
            case Event.Drifted drift -> DRIFTED;
            case Event.KeyRotation rotation -> KEY_ROTATED;
            case Event.FlowChange change -> FLOW_CHANGED;
        };
    }

    /** The kind of this name; nothing for one that a newer program wrote and this one has not. */
    public static Optional<EventKind> named(String wire) {
        return Arrays.stream(values()).filter(kind -> kind.wire().equals(wire)).findFirst();
    }
}
