package io.flowfabric.core.schedule;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Tags;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;

/**
 * What every occurrence of a schedule submits.
 *
 * @param creator who asked for it; where it is empty, the executions name the schedule
 */
public record ScheduledWork(
        Lane lane, String kind, Payload input, String creator, Tags tags, Policy policy) {

    public ScheduledWork {
        // Looked at as the submission that it will be.
        Submission.of(kind, input).creator(creator);
        if (policy.start() instanceof Due.At || policy.deadline().orElse(null) instanceof Due.At) {
            throw new Invalid(
                    Invalid.Code.CONTRADICTORY,
                    "policy",
                    "A fixed start or deadline would be the same for every occurrence: give it as"
                            + " a time after the submission, with Due.in.");
        }
    }

    /** The work of a submission. Its id is that of no occurrence. */
    static ScheduledWork of(Submission template) {
        if (template.key().isPresent()) {
            throw new Invalid(
                    Invalid.Code.CONTRADICTORY,
                    "idempotency key",
                    "Every occurrence has one of its own, from the schedule and its time: leave it"
                            + " out.");
        }
        return new ScheduledWork(
                template.lane(),
                template.kind(),
                template.input(),
                template.creator(),
                template.tags(),
                template.policy());
    }
}
