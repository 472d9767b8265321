package io.flowfabric.testkit.history;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.testkit.history.Violation.Kind;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Something that is asked across executions, event by event in the order of the feed, which never
 * has an event before what it could have observed. What it remembers is bounded by what is going
 * on, so that runs of any length can be judged.
 */
interface RunCheck {
    void next(Event event);

    /** What several checks need to know of executions, and where they complain. */
    final class Notes {
        /** What was submitted under an id. */
        record Work(String kind, Policy policy) {
            /** Whether it needs nothing but a worker that handles its kind. */
            boolean plain() {
                return policy.quotas().isEmpty()
                        && policy.budgets().isEmpty()
                        && policy.needs().equals(Capabilities.NONE);
            }
        }

        private final Map<ExecutionId, Work> works = new HashMap<>();
        private final List<Violation> violations = new ArrayList<>();
        private final Optional<Function<ExecutionId, ?>> parts;

        /**
         * @param parts which part of the store an execution lies in, where it has several: work has
         *     an order, and sessions end, in each of them by itself
         */
        Notes(Optional<Function<ExecutionId, ?>> parts) {
            this.parts = parts;
        }

        /** Whether the store is one. */
        boolean isWhole() {
            return parts.isEmpty();
        }

        /** Which part of the store an execution lies in. */
        Object part(ExecutionId id) {
            return parts.isPresent() ? parts.get().apply(id) : "";
        }

        void submitted(ExecutionId id, Work work) {
            works.put(id, work);
        }

        void forget(ExecutionId id) {
            works.remove(id);
        }

        Optional<Work> work(ExecutionId id) {
            return Optional.ofNullable(works.get(id));
        }

        void complain(Kind kind, Object subject, String sentence) {
            violations.add(new Violation(kind, subject.toString(), sentence));
        }

        List<Violation> violations() {
            return violations;
        }
    }
}
