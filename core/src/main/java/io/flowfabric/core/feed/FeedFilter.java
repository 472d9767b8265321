package io.flowfabric.core.feed;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Tags;

import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Which events are asked for. What is not set matches everything; what an event does not have
 * matches nothing.
 *
 * @param tags all of these, as the execution had them at submission
 * @param partitions any of these; none means all. Every event has exactly one: that of its
 *     execution, or else that of its namespace
 */
public record FeedFilter(
        Topic topic,
        Optional<Namespace> namespace,
        Optional<Lane> lane,
        Tags tags,
        Set<Partition> partitions) {
    /** What a feed is about. */
    public enum Topic {
        /** Every event. */
        EVERYTHING,
        /** Leases given, renewed and ended. */
        LEASES,
        /** Executions that ended. */
        COMPLETIONS,
        /** What operators did. */
        OPERATIONS,
        /** Signals that were received. */
        SIGNALS,
        /** What happened to flows as a whole. */
        FLOWS
    }

    public FeedFilter {
        partitions = Set.copyOf(partitions);
    }

    /** All events of a topic, from every namespace. */
    public static FeedFilter of(Topic topic) {
        return new FeedFilter(topic, Optional.empty(), Optional.empty(), Tags.NONE, Set.of());
    }

    /** Only events of this namespace. */
    public FeedFilter namespace(Namespace other) {
        return new FeedFilter(topic, Optional.of(other), lane, tags, partitions);
    }

    /** Only events of executions in this lane, and changes of the lane. */
    public FeedFilter lane(Lane other) {
        return new FeedFilter(topic, namespace, Optional.of(other), tags, partitions);
    }

    /** Only events of executions with this tag, besides those named before. */
    public FeedFilter tag(String key, String value) {
        return new FeedFilter(topic, namespace, lane, tags.with(key, value), partitions);
    }

    /** Only events of this partition and of those named before. */
    public FeedFilter partition(Partition other) {
        var more = new HashSet<>(partitions);
        more.add(other);
        return new FeedFilter(topic, namespace, lane, tags, more);
    }

    /** The topic, and what it is narrowed to, as a log names it. */
    @Override
    public String toString() {
        var words = new StringBuilder(topic.name().toLowerCase(Locale.ROOT));
        namespace.ifPresent(only -> words.append(" in namespace ").append(only.name()));
        lane.ifPresent(only -> words.append(" in lane ").append(only));
        tags.values().forEach((key, value) -> words.append(" with %s=%s".formatted(key, value)));
        if (!partitions.isEmpty()) {
            words.append(" in %d of the partitions".formatted(partitions.size()));
        }
        return words.toString();
    }

    /**
     * Whether an event fits.
     *
     * @param tagsOfExecution the tags of the execution it is about; none when it is about something
     *     else
     */
    public boolean fits(Event event, Tags tagsOfExecution) {
        return about(event)
                && namespace.map(event.namespace()::equals).orElse(true)
                && (partitions.isEmpty() || partitions.contains(partitionOf(event)))
                && lane.map(wanted -> wanted.equals(laneOf(event).orElse(null))).orElse(true)
                && tagsOfExecution.values().entrySet().containsAll(tags.values().entrySet());
    }

    private boolean about(Event event) {
        return switch (topic) {
            case EVERYTHING -> true;
            case LEASES ->
                    switch (event) {
                        case Event.Step step -> step.owner().isPresent();
                        case Event.StepRecorded recorded -> false;
                        case Event.SignalReceived received -> false;
                        case Event.WaitpointClosed closed -> false;
                        case Event.Renewal renewal -> true;
                        case Event.LaneChange change -> false;
                        case Event.NamespaceChange change -> false;
                        case Event.QuotaChange change -> false;
                        case Event.BudgetChange change -> false;
                        case Event.ScheduleChange change -> false;
                        case Event.BudgetReached reached -> false;
                        case Event.Drifted drifted -> false;
                        case Event.MarkedDead marked -> false;
                        case Event.Erased erased -> false;
                        case Event.KeyRotation rotation -> false;
                        case Event.FlowChange change -> false;
                    };
            case FLOWS -> event instanceof Event.FlowChange;
            case SIGNALS -> event instanceof Event.SignalReceived;
            case COMPLETIONS -> event instanceof Event.Step step && step.now().terminal();
            case OPERATIONS ->
                    switch (event) {
                        case Event.Step step ->
                                step.by().filter(Attribution::isOperator).isPresent();
                        case Event.StepRecorded recorded -> false;
                        case Event.SignalReceived received -> false;
                        case Event.WaitpointClosed closed -> true;
                        case Event.Renewal renewal -> false;
                        case Event.LaneChange change -> true;
                        case Event.NamespaceChange change -> true;
                        case Event.QuotaChange change -> true;
                        case Event.BudgetChange change -> true;
                        case Event.ScheduleChange change -> true;
                        case Event.BudgetReached reached -> false;
                        case Event.Drifted drifted -> false;
                        case Event.MarkedDead marked -> true;
                        case Event.Erased erased -> true;
                        case Event.KeyRotation rotation -> true;
                        case Event.FlowChange change -> change.by().isPresent();
                    };
        };
    }

    private static Optional<Lane> laneOf(Event event) {
        return switch (event) {
            case Event.Step step -> Optional.of(step.lane());
            case Event.StepRecorded recorded -> Optional.of(recorded.lane());
            case Event.SignalReceived received -> Optional.of(received.lane());
            case Event.WaitpointClosed closed -> Optional.of(closed.lane());
            case Event.Renewal renewal -> Optional.empty();
            case Event.LaneChange change -> Optional.of(change.lane());
            case Event.NamespaceChange change -> Optional.empty();
            case Event.QuotaChange change -> Optional.empty();
            case Event.BudgetChange change -> Optional.empty();
            case Event.ScheduleChange change -> Optional.empty();
            case Event.BudgetReached reached -> Optional.empty();
            case Event.Drifted drifted -> Optional.empty();
            case Event.MarkedDead marked -> Optional.empty();
            case Event.Erased erased -> Optional.of(erased.lane());
            case Event.KeyRotation rotation -> Optional.empty();
            case Event.FlowChange change -> Optional.empty();
        };
    }

    private static Partition partitionOf(Event event) {
        return switch (event) {
            case Event.Step step -> step.execution().partition();
            case Event.StepRecorded recorded -> recorded.execution().partition();
            case Event.SignalReceived received -> received.execution().partition();
            case Event.WaitpointClosed closed -> closed.execution().partition();
            case Event.Erased erased -> erased.execution().partition();
            case Event.Renewal renewal -> Partition.of(renewal.namespace());
            case Event.LaneChange change -> Partition.of(change.namespace());
            case Event.NamespaceChange change -> Partition.of(change.namespace());
            case Event.QuotaChange change -> Partition.of(change.namespace());
            case Event.BudgetChange change -> Partition.of(change.namespace());
            case Event.ScheduleChange change -> Partition.of(change.namespace());
            case Event.BudgetReached reached -> Partition.of(reached.namespace());
            case Event.Drifted drifted -> Partition.of(drifted.namespace());
            case Event.MarkedDead marked -> Partition.of(marked.namespace());
            case Event.KeyRotation rotation -> Partition.of(rotation.namespace());
            case Event.FlowChange change -> change.flow().partition();
        };
    }
}
