package io.flowfabric.core.flow;

import io.flowfabric.core.Payload;
import io.flowfabric.core.state.Outcome;

import java.util.Optional;

/**
 * A member that another one comes after, for the other one.
 *
 * @param outcome how it ended, if it did
 * @param result what it produced, if it succeeded and is still kept
 */
public record Upstream(String name, Optional<Outcome> outcome, Optional<Payload> result) {
    /** How large it is, roughly. */
    public long bytes() {
        return result.map(Payload::size).orElse(0);
    }
}
