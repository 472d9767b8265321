package io.flowfabric.core;

import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Who may write now: the one token that every write of a worker presents.
 *
 * <p>The epoch belongs to the execution, grows with every lease and every grant ever given, and
 * never restarts; so a fence that was superseded can never become valid again. It is the moment at
 * which the lease was given, so that this holds also for a store that went back to an earlier
 * state, out of a backup or because a standby took over that had not heard of everything. Written
 * {@code <execution id>/<attempt>/<epoch>}.
 *
 * @param attempt which logical try this is, from 0; it grows on retry and replay only
 * @param epoch which lease or grant this is
 */
public record Fence(ExecutionId execution, int attempt, long epoch) {
    private static final Pattern TEXT =
            Pattern.compile("(.+)/([0-9]{1,10})/([0-9]{1,19})", Pattern.DOTALL);

    public Fence {
        Objects.requireNonNull(execution, "execution");
        if (attempt < 0 || epoch < 1) {
            throw malformed();
        }
    }

    /**
     * Reads the written form.
     *
     * @throws Invalid when it is anything else
     */
    public static Fence parse(String text) {
        var parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw malformed();
        }
        try {
            return new Fence(
                    ExecutionId.parse(parts.group(1)),
                    Integer.parseInt(parts.group(2)),
                    Long.parseLong(parts.group(3)));
        } catch (NumberFormatException tooLarge) {
            throw malformed();
        }
    }

    /**
     * The epoch of a lease or a grant: the millisecond in which it is given, or one more than the
     * last, whichever is later.
     *
     * @param last the newest epoch of the execution, 0 if it has none
     */
    public static long epochAfter(long last, Instant at) {
        return Math.max(last + 1, at.toEpochMilli());
    }

    /**
     * The id of the lease, for those who know leases by ids: it is made of the execution and the
     * epoch, so it is the same wherever it is asked for, and is stored nowhere.
     */
    public UUID leaseId() {
        return derived("lease id", epoch);
    }

    /** The id of the attempt, made of the execution and the number of the attempt. */
    public UUID attemptId() {
        return derived("attempt id", attempt);
    }

    /** A UUID of version 8, whose other bits are the digest of what it stands for. */
    private UUID derived(String what, long number) {
        var hex = Digest.of(what).text(execution.toString()).number(number).done().hex();
        long most = Long.parseUnsignedLong(hex, 0, 16, 16);
        long least = Long.parseUnsignedLong(hex, 16, 32, 16);
        return new UUID((most & ~0xF000L) | 0x8000L, (least & ~(3L << 62)) | (2L << 62));
    }

    private static Invalid malformed() {
        return new Invalid(
                Invalid.Code.MALFORMED_FENCE,
                "fence",
                "It must be <execution id>/<attempt>/<epoch> with an attempt from 0 and an epoch"
                        + " from 1.");
    }

    @Override
    public String toString() {
        return execution + "/" + attempt + "/" + epoch;
    }
}
