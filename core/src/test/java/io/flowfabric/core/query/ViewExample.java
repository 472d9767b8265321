package io.flowfabric.core.query;

import static io.flowfabric.core.Examples.NOON;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Examples;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Tags;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.ExecutionState;

import java.time.Instant;
import java.util.Optional;

/**
 * An execution of kind {@code mail} in lane {@code emails}, which {@code ada} submitted at noon,
 * with 2 attempts and 1 retry; a test sets what matters to it.
 */
public final class ViewExample {
    private final ExecutionState state;
    private ExecutionId id = Examples.ID;
    private Lane lane = Lane.of("emails");
    private String kind = "mail";
    private String creator = "ada";
    private Tags tags = Tags.NONE;
    private Policy policy = Policy.DEFAULT;
    private Optional<ExecutionView.Done> progress = Optional.empty();
    private Optional<Failure> failure = Optional.empty();
    private Optional<Attribution> endedBy = Optional.empty();
    private Optional<Owner> owner = Optional.empty();
    private Optional<Instant> deadline = Optional.empty();
    private Instant submitted = NOON;
    private Instant changed = NOON;

    private ViewExample(ExecutionState state) {
        this.state = state;
    }

    /** An execution in this state. */
    public static ViewExample in(ExecutionState state) {
        return new ViewExample(state);
    }

    public ViewExample id(ExecutionId other) {
        id = other;
        return this;
    }

    public ViewExample lane(Lane other) {
        lane = other;
        return this;
    }

    public ViewExample kind(String other) {
        kind = other;
        return this;
    }

    public ViewExample creator(String other) {
        creator = other;
        return this;
    }

    public ViewExample tag(String key, String value) {
        tags = tags.with(key, value);
        return this;
    }

    public ViewExample policy(Policy other) {
        policy = other;
        return this;
    }

    public ViewExample progress(ExecutionView.Done other) {
        progress = Optional.of(other);
        return this;
    }

    public ViewExample failure(Failure other) {
        failure = Optional.of(other);
        return this;
    }

    public ViewExample endedBy(Attribution other) {
        endedBy = Optional.of(other);
        return this;
    }

    public ViewExample owner(Owner other) {
        owner = Optional.of(other);
        return this;
    }

    public ViewExample deadline(Instant other) {
        deadline = Optional.of(other);
        return this;
    }

    public ViewExample submitted(Instant other) {
        submitted = other;
        return this;
    }

    public ViewExample changed(Instant other) {
        changed = other;
        return this;
    }

    /** The execution as it reads. */
    public ExecutionView view() {
        return new ExecutionView(
                id,
                lane,
                kind,
                creator,
                Optional.empty(),
                tags,
                policy,
                state,
                0,
                2,
                2,
                1,
                0,
                0,
                progress,
                failure,
                endedBy,
                owner,
                Optional.empty(),
                deadline,
                submitted,
                changed);
    }
}
