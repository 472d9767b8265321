package io.flowfabric.postgres;

import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * How a policy is stored: the part that many executions share as one interned text, what differs
 * between them in columns.
 *
 * <p>The text is fields joined by a control character, which no field can hold; the first one is
 * the version of the form.
 */
final class TermsText {
    /** No name, key or value may hold it. */
    static final String SEPARATOR = "\u001f";

    private static final String VERSION = "1";
    private static final int FIELDS = 10;

    private TermsText() {}

    /**
     * The shared part: everything but priority, start, deadline and share key. What it needs is in
     * its gate.
     */
    static String write(Policy policy) {
        var retry = policy.retry();
        return String.join(
                SEPARATOR,
                VERSION,
                Integer.toString(retry.max()),
                write(retry.backoff()),
                Double.toString(retry.jitter()),
                millis(policy.attemptTimeout()),
                millis(policy.stallTimeout()),
                Integer.toString(policy.maxReclaims()),
                Integer.toString(policy.maxReplays()),
                millis(policy.retention()),
                String.join("\u001e", retry.categories()));
    }

    /**
     * Reads the shared part back.
     *
     * @throws IllegalArgumentException when it is of another version, or damaged
     */
    static Policy read(String text) {
        var fields = List.of(text.split(SEPARATOR, -1));
        if (fields.size() != FIELDS || !fields.getFirst().equals(VERSION)) {
            throw new IllegalArgumentException(
                    "these are not terms that this version can read: " + text);
        }
        var retry =
                new Retry(
                        Integer.parseInt(fields.get(1)),
                        readBackoff(fields.get(2)),
                        Double.parseDouble(fields.get(3)),
                        new TreeSet<>(
                                fields.get(9).isEmpty()
                                        ? List.of()
                                        : List.of(fields.get(9).split("\u001e"))));
        return new Policy(
                0,
                Due.NOW,
                Optional.empty(),
                retry,
                duration(fields.get(4)),
                duration(fields.get(5)),
                Capabilities.NONE,
                Collections.emptySortedSet(),
                Collections.emptySortedSet(),
                Integer.parseInt(fields.get(6)),
                Integer.parseInt(fields.get(7)),
                duration(fields.get(8)),
                Optional.empty());
    }

    /** A moment as it was asked for; nothing for none. */
    static @Nullable String write(@Nullable Due due) {
        return switch (due) {
            case null -> null;
            case Due.After(var delay) -> "after " + delay.toMillis();
            case Due.At(var time) -> "at " + time.toEpochMilli();
        };
    }

    static Due readDue(String text) {
        var words = List.of(text.split(" ", -1));
        long millis = Long.parseLong(words.get(1));
        return switch (words.get(0)) {
            case "after" -> Due.in(Duration.ofMillis(millis));
            case "at" -> Due.at(Instant.ofEpochMilli(millis));
            default -> throw new IllegalArgumentException("this is no moment: " + text);
        };
    }

    private static String write(Backoff backoff) {
        return switch (backoff) {
            case Backoff.Fixed(var delay) -> "fixed " + delay.toMillis();
            case Backoff.Exponential(var initial, var longest, var multiplier) ->
                    "exponential %d %d %s"
                            .formatted(initial.toMillis(), longest.toMillis(), multiplier);
        };
    }

    private static Backoff readBackoff(String text) {
        var words = List.of(text.split(" ", -1));
        return switch (words.get(0)) {
            case "fixed" -> Backoff.fixed(Duration.ofMillis(Long.parseLong(words.get(1))));
            case "exponential" ->
                    Backoff.exponential(
                            Duration.ofMillis(Long.parseLong(words.get(1))),
                            Duration.ofMillis(Long.parseLong(words.get(2))),
                            Double.parseDouble(words.get(3)));
            default -> throw new IllegalArgumentException("this is no backoff: " + text);
        };
    }

    private static String millis(Optional<Duration> duration) {
        return duration.map(d -> Long.toString(d.toMillis())).orElse("");
    }

    private static Optional<Duration> duration(String millis) {
        return millis.isEmpty()
                ? Optional.empty()
                : Optional.of(Duration.ofMillis(Long.parseLong(millis)));
    }
}
