package io.flowfabric.core.schedule;

import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.submit.Submission;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What an engine has decided about a schedule that is due.
 *
 * @param revision of the schedule that it was decided by
 * @param work the occurrences that are submitted; none when only the next one was found out
 * @param passed the moment up to which the occurrences are dealt with then
 * @param next the next occurrence; none when there is no further one
 * @param refusal why there is nothing to submit any more, where its expression cannot be read
 */
public record Firing(
        Namespace namespace,
        String schedule,
        long revision,
        List<DueWork> work,
        Instant passed,
        Optional<NextOccurrence> next,
        Optional<String> refusal) {
    public Firing {
        work = List.copyOf(work);
        Limit.CATCH_UP.checkCount("occurrences", work.size());
    }

    /**
     * An occurrence that is due.
     *
     * @param at its time, without jitter
     */
    public record DueWork(Instant at, Submission submission) {}

    /**
     * The occurrence that is next.
     *
     * @param at its time
     * @param due when it is fired: its time and its jitter
     */
    public record NextOccurrence(Instant at, Instant due) {}
}
