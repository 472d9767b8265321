package io.flowfabric.testkit.harness;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Contended;
import io.flowfabric.core.Denied;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.LeaseLost;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.lease.Grant;

import java.util.List;

/**
 * What two stores must agree on in an answer: all of a value; of a refusal its class, its code and
 * the facts it carries, but not its wording.
 */
final class ComparableFacts {
    private ComparableFacts() {}

    /** A refusal without its wording. */
    record Refused(String what, List<Object> facts) {
        @Override
        public String toString() {
            return "refused: " + what + facts;
        }
    }

    static Object of(Object said) {
        return switch (said) {
            case Reply.Value<?>(var value) -> of(value);
            case Reply.Refusal<?>(var error) -> of(error);
            case Answer.Done<?>(var value) -> of(value);
            case Answer.Refused<?>(var error) -> of(error);
            case List<?> list -> list.stream().map(ComparableFacts::of).toList();
            // The seals of two stores have nothing in common.
            case Grant grant -> List.of(grant.toString(), grant.lane());
            case FlowFabricException error -> refusal(error);
            default -> said;
        };
    }

    private static Refused refusal(FlowFabricException error) {
        return switch (error) {
            case NotFound e -> new Refused("NotFound", List.of(e.entity(), e.id()));
            case Invalid e -> new Refused("Invalid", List.of(e.code(), e.field()));
            case LeaseLost e ->
                    new Refused(
                            "LeaseLost",
                            List.of(e.presented(), e.attempts(), e.epoch(), e.state()));
            case Conflict e -> new Refused("Conflict", List.of(e.code(), e.existing()));
            case Denied e -> new Refused("Denied", List.of(e.code()));
            case Contended e -> new Refused("Contended", List.of());
            case Unavailable e -> new Refused("Unavailable", List.of());
            case StoreFailure e -> new Refused("StoreFailure", List.of(e.mayHaveApplied()));
        };
    }
}
