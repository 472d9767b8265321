package io.flowfabric.core.signal;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Digest;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Text;

import java.util.Objects;
import java.util.Optional;

/**
 * Something that an execution may wait for.
 *
 * @param at where it goes
 * @param name what it says in one word: {@code approved}, {@code paid}
 * @param content what else it says
 * @param by who sends it, and why
 * @param key under which the same signal is sent again and counts once, if it has one
 */
public record Signal(
        Waitpoint at, String name, Payload content, Attribution by, Optional<String> key) {
    /** The name of a signal by which somebody agrees. */
    public static final String APPROVED = "approved";

    /** The name of a signal by which somebody disagrees. */
    public static final String REJECTED = "rejected";

    /** The name of the signal that the engine sends when the time of a wait is over. */
    public static final String TIMEOUT = "timeout";

    public Signal {
        Objects.requireNonNull(at, "at");
        check(name, content, by, key);
    }

    static void check(String name, Payload content, Attribution by, Optional<String> key) {
        Text.name("signal", name, Limit.NAME_BYTES);
        Limit.SIGNAL_BYTES.checkSize("signal", content.size(), "bytes");
        Objects.requireNonNull(by, "by");
        key.ifPresent(text -> Text.name("key", text, Limit.NAME_BYTES));
    }

    /** A signal without a key. */
    public static Signal of(Waitpoint at, String name, Payload content, Attribution by) {
        return new Signal(at, name, content, by, Optional.empty());
    }

    /** Somebody agrees: once for each of them, who cannot disagree afterwards. */
    public static Signal approve(Waitpoint at, Attribution by) {
        return new Signal(at, APPROVED, Payload.EMPTY, by, Optional.of(by.actor()));
    }

    /** Somebody disagrees: once for each of them, who cannot agree afterwards. */
    public static Signal reject(Waitpoint at, Attribution by) {
        return new Signal(at, REJECTED, Payload.EMPTY, by, Optional.of(by.actor()));
    }

    /** This signal, which counts once under a key. */
    public Signal key(String once) {
        return new Signal(at, name, content, by, Optional.of(once));
    }

    /** How large it is, roughly. */
    public long bytes() {
        return content.size();
    }

    /** The fingerprint by which a repeat is told from a contradiction. */
    public Digest digest() {
        return Digest.of("signal").text(name).text(by.actor()).payload(content).done();
    }
}
