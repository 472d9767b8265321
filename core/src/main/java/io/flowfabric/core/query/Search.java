package io.flowfabric.core.query;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.Tags;
import io.flowfabric.core.Text;
import io.flowfabric.core.state.ExecutionState.Queued;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.StateVector.BlockingReason;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Which executions are asked for. What is not set matches everything; what an execution does not
 * have matches no value of it.
 *
 * @param states any of these; none named means all
 * @param reason what it waits for
 * @param lapsed only those that lost a lease, and wait for another one
 * @param tags all of these
 * @param submitted when it was submitted
 * @param changed when its state last changed; of what has ended, when it ended
 * @param worker who holds it now
 * @param order in which order they are told, by when they were submitted
 */
public record Search(
        Namespace namespace,
        Optional<String> lane,
        Optional<String> kind,
        Set<PublicState> states,
        Optional<BlockingReason> reason,
        boolean lapsed,
        Tags tags,
        Optional<String> creator,
        TimeRange submitted,
        TimeRange changed,
        Optional<Partition> partition,
        Optional<String> worker,
        Order order) {

    /** The order in which a search tells what it finds. */
    public enum Order {
        /** In the order of submission. */
        OLDEST_FIRST,
        /** What was submitted last comes first. */
        NEWEST_FIRST
    }

    public Search {
        lane.ifPresent(name -> new Lane(namespace, name));
        kind.ifPresent(name -> Text.name("kind", name, Limit.NAME_BYTES));
        creator.ifPresent(name -> Text.line("creator", name, Limit.NAME_BYTES));
        worker.ifPresent(name -> Text.name("worker", name, Limit.NAME_BYTES));
        states = Set.copyOf(states);
    }

    /** Everything in a namespace, oldest first. */
    public static Search in(Namespace namespace) {
        return new Draft(namespace).search();
    }

    /** Only what is in this lane. */
    public Search lane(String other) {
        var draft = new Draft(this);
        draft.lane = Optional.of(other);
        return draft.search();
    }

    /** Only what is of this kind. */
    public Search kind(String other) {
        var draft = new Draft(this);
        draft.kind = Optional.of(other);
        return draft.search();
    }

    /** Only what is in one of these states; none named means all. */
    public Search states(PublicState... others) {
        var draft = new Draft(this);
        draft.states = Set.copyOf(List.of(others));
        return draft.search();
    }

    /** Only what waits for this. */
    public Search reason(BlockingReason other) {
        var draft = new Draft(this);
        draft.reason = Optional.of(other);
        return draft.search();
    }

    /** Only what its worker lost, and no other has taken up. */
    public Search onlyLapsed() {
        var draft = new Draft(this);
        draft.lapsed = true;
        return draft.search();
    }

    /** Only what has this tag, besides those named before. */
    public Search tag(String key, String value) {
        var draft = new Draft(this);
        draft.tags = tags.with(key, value);
        return draft.search();
    }

    /** Only what this creator submitted. */
    public Search creator(String other) {
        var draft = new Draft(this);
        draft.creator = Optional.of(other);
        return draft.search();
    }

    /** Only what was submitted within this time. */
    public Search submitted(TimeRange other) {
        var draft = new Draft(this);
        draft.submitted = other;
        return draft.search();
    }

    /** Only what last changed within this time; of what has ended, what ended within it. */
    public Search changed(TimeRange other) {
        var draft = new Draft(this);
        draft.changed = other;
        return draft.search();
    }

    /** Only what has an id of this partition. */
    public Search partition(Partition other) {
        var draft = new Draft(this);
        draft.partition = Optional.of(other);
        return draft.search();
    }

    /** Only what this worker holds now, in whichever of its processes. */
    public Search worker(String other) {
        var draft = new Draft(this);
        draft.worker = Optional.of(other);
        return draft.search();
    }

    /** The same executions, those that were submitted last first. */
    public Search newestFirst() {
        return ordered(Order.NEWEST_FIRST);
    }

    /** The same executions, in the order of submission. */
    public Search oldestFirst() {
        return ordered(Order.OLDEST_FIRST);
    }

    private Search ordered(Order other) {
        var draft = new Draft(this);
        draft.order = other;
        return draft.search();
    }

    /** Whether an execution fits, as it reads. */
    public boolean fits(ExecutionView view) {
        return namespace.equals(view.lane().namespace())
                && lane.map(view.lane().name()::equals).orElse(true)
                && kind.map(view.kind()::equals).orElse(true)
                && (states.isEmpty() || states.contains(view.state().publicState()))
                && reason.map(view.state().vector().reason()::equals).orElse(true)
                && (!lapsed || waitsAfterLapse(view))
                && view.tags().values().entrySet().containsAll(tags.values().entrySet())
                && creator.map(view.creator()::equals).orElse(true)
                && submitted.holds(view.submitted())
                && changed.holds(view.changed())
                && partition.map(view.id().partition()::equals).orElse(true)
                && worker.map(name -> view.owner().filter(o -> o.worker().equals(name)).isPresent())
                        .orElse(true);
    }

    private static boolean waitsAfterLapse(ExecutionView view) {
        return view.state() instanceof Queued waiting && waiting.next() == LeasePurpose.RECLAIM;
    }

    /** A search whose fields can be set one by one. */
    private static final class Draft {
        private final Namespace namespace;
        private Optional<String> lane = Optional.empty();
        private Optional<String> kind = Optional.empty();
        private Set<PublicState> states = Set.of();
        private Optional<BlockingReason> reason = Optional.empty();
        private boolean lapsed;
        private Tags tags = Tags.NONE;
        private Optional<String> creator = Optional.empty();
        private TimeRange submitted = TimeRange.EVER;
        private TimeRange changed = TimeRange.EVER;
        private Optional<Partition> partition = Optional.empty();
        private Optional<String> worker = Optional.empty();
        private Order order = Order.OLDEST_FIRST;

        Draft(Namespace namespace) {
            this.namespace = namespace;
        }

        Draft(Search search) {
            this(search.namespace);
            lane = search.lane;
            kind = search.kind;
            states = search.states;
            reason = search.reason;
            lapsed = search.lapsed;
            tags = search.tags;
            creator = search.creator;
            submitted = search.submitted;
            changed = search.changed;
            partition = search.partition;
            worker = search.worker;
            order = search.order;
        }

        Search search() {
            return new Search(
                    namespace, lane, kind, states, reason, lapsed, tags, creator, submitted,
                    changed, partition, worker, order);
        }
    }
}
