package io.flowfabric.core.contract;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.Tags;
import io.flowfabric.core.Text;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Which executions are asked for. What is not set matches everything; an execution without a tag
 * matches no value of it.
 *
 * @param states any of these; none named means all
 * @param tags all of these
 */
public record Search(
        Namespace namespace,
        Optional<String> lane,
        Optional<String> kind,
        Set<PublicState> states,
        Tags tags,
        boolean newestFirst) {

    public Search {
        lane.ifPresent(name -> new Lane(namespace, name));
        kind.ifPresent(name -> Text.name("kind", name, Limit.NAME_BYTES));
        states = Set.copyOf(states);
    }

    /** Everything in a namespace, oldest first. */
    public static Search in(Namespace namespace) {
        return new Search(
                namespace, Optional.empty(), Optional.empty(), Set.of(), Tags.NONE, false);
    }

    public Search lane(String other) {
        return new Search(namespace, Optional.of(other), kind, states, tags, newestFirst);
    }

    public Search kind(String other) {
        return new Search(namespace, lane, Optional.of(other), states, tags, newestFirst);
    }

    public Search states(PublicState... others) {
        return new Search(namespace, lane, kind, Set.copyOf(List.of(others)), tags, newestFirst);
    }

    public Search tag(String key, String value) {
        return new Search(namespace, lane, kind, states, tags.with(key, value), newestFirst);
    }

    /** The other way round. */
    public Search reversed() {
        return new Search(namespace, lane, kind, states, tags, !newestFirst);
    }
}
