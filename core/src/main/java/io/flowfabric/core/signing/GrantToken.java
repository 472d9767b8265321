package io.flowfabric.core.signing;

import io.flowfabric.core.Denied;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;

import java.time.Instant;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The text of a grant: {@code ffg1.<key>.<partition>.<execution>.<epoch>.<session>.<until in
 * ms>.<seal>}.
 *
 * <p>It says everything that is to be known about the grant, and the seal says that a store said
 * so. There is one spelling of each.
 *
 * @param key the name of the key that sealed it
 * @param epoch which grant of the execution it is: it counts with its leases
 * @param session to whom it was granted
 * @param until when it is worth nothing any more
 */
public record GrantToken(
        String key,
        ExecutionId execution,
        long epoch,
        SessionId session,
        Instant until,
        String seal)
        implements SealedToken {
    private static final String PURPOSE = "grant";

    /** Twice what a token needs; longer texts are not looked at. */
    private static final int LONGEST = 300;

    private static final String UUID_TEXT = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
    private static final Pattern TEXT =
            Pattern.compile(
                    "ffg1\\.([0-9a-f]{12})\\.(0|[1-9][0-9]{0,2})\\.(%s)\\.([1-9][0-9]{0,17})\\.(%s)"
                                    .formatted(UUID_TEXT, UUID_TEXT)
                            + "\\.(0|[1-9][0-9]{0,17})\\.([A-Za-z0-9_-]{43})");

    /** A grant that this key vouches for. */
    public static GrantToken sign(
            SigningKey key, ExecutionId execution, long epoch, SessionId session, Instant until) {
        return new GrantToken(
                key.id(),
                execution,
                epoch,
                session,
                until,
                seal(key, execution, epoch, session, until).done());
    }

    /**
     * Reads the text of a grant. What it says is to be believed only once {@link #verify} has not
     * objected.
     *
     * @throws Denied when it is no grant at all
     */
    public static GrantToken parse(String text) {
        var parts = TEXT.matcher(text.length() > LONGEST ? "" : text);
        if (!parts.matches() || Integer.parseInt(parts.group(2)) >= Partition.COUNT) {
            throw new Denied(
                    Denied.Code.MALFORMED_TOKEN,
                    "This is not the text of a grant: redeem the token as it was given out.");
        }
        return new GrantToken(
                parts.group(1),
                new ExecutionId(
                        new Partition(Integer.parseInt(parts.group(2))),
                        UUID.fromString(parts.group(3))),
                Long.parseLong(parts.group(4)),
                new SessionId(UUID.fromString(parts.group(5))),
                Instant.ofEpochMilli(Long.parseLong(parts.group(6))),
                parts.group(7));
    }

    @Override
    public String what() {
        return "grant";
    }

    @Override
    public void verify(SigningKey signer) {
        if (!signer.id().equals(key)
                || !seal(signer, execution, epoch, session, until).matches(seal)) {
            throw new Denied(
                    Denied.Code.BAD_SIGNATURE,
                    "The grant does not carry the seal of its key: it was changed on its way, or"
                            + " made up.");
        }
    }

    private static Seal seal(
            SigningKey key, ExecutionId execution, long epoch, SessionId session, Instant until) {
        return key.seal(PURPOSE)
                .number(execution.partition().number())
                .text(execution.uuid().toString())
                .number(epoch)
                .text(session.toString())
                .number(until.toEpochMilli());
    }

    /** The token as it travels. */
    public String text() {
        return "ffg1.%s.%d.%s.%d.%s.%d.%s"
                .formatted(
                        key,
                        execution.partition().number(),
                        execution.uuid(),
                        epoch,
                        session,
                        until.toEpochMilli(),
                        seal);
    }

    /** Without the seal: what is logged must not be worth anything. */
    @Override
    public String toString() {
        return "grant of %s to session %s until %s".formatted(execution, session, until);
    }
}
