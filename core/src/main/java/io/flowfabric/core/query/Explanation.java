package io.flowfabric.core.query;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.StateVector.BlockingReason;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Why an execution is not running, or what became of it.
 *
 * @param state the decision, as {@link Queries#describe} reads it
 * @param words the decision in one sentence, without a full stop
 * @param facts what it follows from, and what else bears on it; what decides comes first
 * @param nextTry when it can be tried next, where a time is all that it waits for. Empty when a
 *     worker may take it at any moment, and when it waits for something that has no time: a worker
 *     that is able, an operator, a lane to open
 */
public record Explanation(
        ExecutionId execution,
        ExecutionState state,
        String words,
        List<Fact> facts,
        Optional<Instant> nextTry) {

    public Explanation {
        facts = List.copyOf(facts);
    }

    /** What it waits for, in one word. */
    public BlockingReason reason() {
        return state.vector().reason();
    }

    /** The facts of one kind. */
    public <F extends Fact> Stream<F> facts(Class<F> kind) {
        return facts.stream().filter(kind::isInstance).map(kind::cast);
    }
}
