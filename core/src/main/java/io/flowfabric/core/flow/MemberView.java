package io.flowfabric.core.flow;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.state.Outcome;

import java.time.Instant;
import java.util.Optional;

/**
 * A member of a flow as it is.
 *
 * @param number its place in the flow, from 0
 * @param edges how many members it comes after
 * @param met how many of them count as had
 * @param missed how many of them can never be had
 * @param state what its execution is; of one that is forgotten, what it ended as
 * @param ready when it had all that it needed
 * @param ended when it ended
 */
public record MemberView(
        int number,
        String name,
        ExecutionId execution,
        Join join,
        boolean growing,
        int edges,
        int met,
        int missed,
        PublicState state,
        Optional<Instant> ready,
        Optional<Instant> ended) {
    /**
     * What is shown of a member.
     *
     * @param state what its execution is, if it is still kept
     */
    public static MemberView of(MemberRecord member, Optional<PublicState> state) {
        return new MemberView(
                member.number(),
                member.name(),
                member.execution(),
                member.join(),
                member.growing(),
                member.edges(),
                member.met(),
                member.missed(),
                state.orElseGet(
                        () -> member.outcome().map(Outcome::situation).orElseThrow().publicState()),
                member.readyAt(),
                member.endedAt());
    }
}
