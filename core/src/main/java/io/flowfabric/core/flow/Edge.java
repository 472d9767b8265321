package io.flowfabric.core.flow;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Invalid;

import java.util.Locale;
import java.util.Objects;

/**
 * That one member of a flow comes after another.
 *
 * @param upstream the name of the member that comes before
 * @param downstream the name of the member that comes after
 * @param on which end of the upstream counts
 */
public record Edge(String upstream, String downstream, On on) {
    /** Which end of a member counts for those that come after it. */
    public enum On {
        /** Only a success. */
        SUCCESS,
        /** Any end, also that it was skipped. */
        COMPLETION;

        /** The word as it travels: {@code success}. */
        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public Edge {
        Objects.requireNonNull(on, "on");
        if (upstream.equals(downstream)) {
            throw new Invalid(
                    Invalid.Code.CYCLE,
                    "edge",
                    "The member %s cannot come after itself.".formatted(upstream));
        }
    }

    /** An edge that counts when its upstream succeeds. */
    public static Edge of(String upstream, String downstream) {
        return new Edge(upstream, downstream, On.SUCCESS);
    }

    void digest(Digest.Builder digest) {
        digest.text(upstream).text(downstream).text(on.name());
    }
}
