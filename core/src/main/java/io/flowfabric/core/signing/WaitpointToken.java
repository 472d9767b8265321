package io.flowfabric.core.signing;

import io.flowfabric.core.Denied;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Partition;
import io.flowfabric.core.signal.Waitpoint;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The text by which an outsider may send a signal to one waitpoint: {@code
 * ffw1.<key>.<partition>.<execution>.<number>.<until in ms>.<name>.<seal>}.
 *
 * <p>It says everything that is to be known about the waitpoint, and the seal says that a store
 * said so. There is one spelling of each.
 *
 * @param key the name of the key that sealed it
 * @param number which of the waitpoints of its execution it is: one that is opened again under its
 *     name has another number
 * @param until when it is worth nothing any more
 */
public record WaitpointToken(String key, Waitpoint at, long number, Instant until, String seal)
        implements SealedToken {
    private static final String PURPOSE = "waitpoint";

    /** More than a token needs; longer texts are not looked at. */
    private static final int LONGEST = 700;

    private static final Pattern TEXT =
            Pattern.compile(
                    "ffw1\\.([0-9a-f]{12})\\.(0|[1-9][0-9]{0,2})"
                            + "\\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
                            + "\\.([1-9][0-9]{0,17})\\.(0|[1-9][0-9]{0,17})"
                            + "\\.([A-Za-z0-9_-]{1,400})\\.([A-Za-z0-9_-]{43})");

    /** A token that this key vouches for. */
    public static WaitpointToken sign(SigningKey key, Waitpoint at, long number, Instant until) {
        return new WaitpointToken(key.id(), at, number, until, seal(key, at, number, until).done());
    }

    /**
     * Reads the text of a token. What it says is to be believed only once {@link #verify} has not
     * objected.
     *
     * @throws Denied when it is no such token at all
     */
    public static WaitpointToken parse(String text) {
        var parts = TEXT.matcher(text.length() > LONGEST ? "" : text);
        if (!parts.matches() || Integer.parseInt(parts.group(2)) >= Partition.COUNT) {
            throw malformed();
        }
        var execution =
                new ExecutionId(
                        new Partition(Integer.parseInt(parts.group(2))),
                        UUID.fromString(parts.group(3)));
        return new WaitpointToken(
                parts.group(1),
                waitpoint(execution, parts.group(6)),
                Long.parseLong(parts.group(4)),
                Instant.ofEpochMilli(Long.parseLong(parts.group(5))),
                parts.group(7));
    }

    private static Waitpoint waitpoint(ExecutionId execution, String encoded) {
        try {
            var name =
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(Base64.getUrlDecoder().decode(encoded)))
                            .toString();
            if (encode(name).equals(encoded)) {
                return new Waitpoint(execution, name);
            }
        } catch (IllegalArgumentException | CharacterCodingException | Invalid unreadable) {
            // said below
        }
        throw malformed();
    }

    private static Denied malformed() {
        return new Denied(
                Denied.Code.MALFORMED_TOKEN,
                "This is not the text of a token for a waitpoint: send it as it was given out.");
    }

    private static String encode(String name) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(name.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String what() {
        return "token";
    }

    @Override
    public void verify(SigningKey signer) {
        if (!signer.id().equals(key) || !seal(signer, at, number, until).matches(seal)) {
            throw new Denied(
                    Denied.Code.BAD_SIGNATURE,
                    "The token does not carry the seal of its key: it was changed on its way, or"
                            + " made up.");
        }
    }

    private static Seal seal(SigningKey key, Waitpoint at, long number, Instant until) {
        return key.seal(PURPOSE)
                .number(at.execution().partition().number())
                .text(at.execution().uuid().toString())
                .text(at.name())
                .number(number)
                .number(until.toEpochMilli());
    }

    /** The token as it travels. */
    public String text() {
        return "ffw1.%s.%d.%s.%d.%d.%s.%s"
                .formatted(
                        key,
                        at.execution().partition().number(),
                        at.execution().uuid(),
                        number,
                        until.toEpochMilli(),
                        encode(at.name()),
                        seal);
    }

    /** Without the seal: what is logged must not be worth anything. */
    @Override
    public String toString() {
        return "token for %s until %s".formatted(at, until);
    }
}
