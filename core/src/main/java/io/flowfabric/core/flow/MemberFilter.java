package io.flowfabric.core.flow;

import io.flowfabric.core.PublicState;

import java.util.Objects;
import java.util.Set;

/**
 * Which members of a flow are searched for.
 *
 * @param states any of these; none means all
 * @param prefix what their names begin with
 */
public record MemberFilter(Set<PublicState> states, String prefix) {
    /** All members. */
    public static final MemberFilter ALL = new MemberFilter(Set.of(), "");

    public MemberFilter {
        states = Set.copyOf(states);
        Objects.requireNonNull(prefix, "prefix");
    }

    /** Only members in these states. */
    public MemberFilter states(PublicState... other) {
        return new MemberFilter(Set.of(other), prefix);
    }

    /** Only members whose names begin so. */
    public MemberFilter prefix(String other) {
        return new MemberFilter(states, other);
    }

    /** Whether a member fits. */
    public boolean fits(MemberView member) {
        return member.name().startsWith(prefix)
                && (states.isEmpty() || states.contains(member.state()));
    }
}
