package io.flowfabric.postgres.internal.catalog;

import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Tags;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Finished;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.ExecutionState.Suspended;
import io.flowfabric.core.state.ExecutionState.Waiting;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.SuspendedFor;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.stream.FrameMode;
import io.flowfabric.core.stream.StreamFrame;
import io.flowfabric.postgres.internal.jdbc.Row;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/** How values are written in columns, and read back as what they stand for. */
public final class RowCodec {
    /** Joins names and values in one text; none of them may hold it. */
    public static final String SEPARATOR = "\u001f";

    private RowCodec() {}

    /**
     * How many bytes of an input or a result are kept in the row of its execution, and so copied
     * with every change of it; larger ones are kept apart.
     */
    public static final int INLINE = 256;

    /** The order of ids in which rows are locked: that of the server, which compares bytes. */
    public static final Comparator<UUID> ID_ORDER =
            Comparator.<UUID>comparingLong(id -> id.getMostSignificantBits() ^ Long.MIN_VALUE)
                    .thenComparingLong(id -> id.getLeastSignificantBits() ^ Long.MIN_VALUE);

    public static boolean inline(Payload payload) {
        return payload.size() <= INLINE;
    }

    /** The content type as it is stored: nothing for the usual one. */
    public static @Nullable String type(Payload payload) {
        var type = payload.contentType();
        return type.equals(Payload.EMPTY.contentType()) ? null : type;
    }

    public static ExecutionId id(Row row) {
        return new ExecutionId(new Partition(row.intValue("part")), row.uuid("id"));
    }

    public static Digest digest(Row row, String column) {
        return new Digest(HexFormat.of().formatHex(row.bytes(column)));
    }

    public static byte[] bytes(Digest digest) {
        return HexFormat.of().parseHex(digest.hex());
    }

    /** A recorded step, of the columns name, content_type, content, attempt and recorded. */
    public static Step step(Row row) {
        return new Step(
                row.text("name"), content(row), row.intValue("attempt"), moment(row, "recorded"));
    }

    /** A frame, of the columns place, mode, type, content_type, content and at. */
    public static StreamFrame frame(Row row) {
        return new StreamFrame(
                row.longValue("place"),
                word(FrameMode.class, row.text("mode")),
                row.text("type"),
                Payload.of(row.bytes("content"), row.text("content_type")),
                moment(row, "at"));
    }

    public static Situation situation(Row row) {
        return word(Situation.class, row.text("situation"));
    }

    public static LeasePurpose next(Row row) {
        return word(LeasePurpose.class, row.text("next"));
    }

    public static Transition transition(Row row, String column) {
        return word(Transition.class, row.text(column));
    }

    /** What was sent or recorded, of the columns content and content_type. */
    public static Payload content(Row row) {
        var type = row.textOrNull("content_type");
        return Payload.of(row.bytes("content"), type == null ? Payload.EMPTY.contentType() : type);
    }

    public static Optional<Instant> time(Row row, String column) {
        return Optional.ofNullable(row.longOrNull(column)).map(Instant::ofEpochMilli);
    }

    public static Instant moment(Row row, String column) {
        return Instant.ofEpochMilli(row.longValue(column));
    }

    /**
     * The state, of the columns situation, next, until, delayed_by, detail, attempts, session,
     * since and changed.
     *
     * @throws UnknownWord when a newer program wrote it
     */
    public static ExecutionState state(Row row) {
        var next = next(row);
        return switch (situation(row)) {
            case READY -> new Ready(next);
            case DELAYED, BACKING_OFF, RESUMING_LATER -> waiting(row, next);
            case HELD_BY_OPERATOR -> blocked(row, BlockedBy.OPERATOR, next);
            case AWAITING_CHILDREN -> blocked(row, BlockedBy.DEPENDENCIES, next);
            case RUNNING -> new Running(new SessionId(row.uuid("session")), moment(row, "since"));
            case COMPLETED -> finished(row, Outcome.SUCCESS, next);
            case FAILED -> finished(row, Outcome.FAILED, next);
            case CANCELLED -> finished(row, Outcome.CANCELLED, next);
            case EXPIRED -> finished(row, Outcome.EXPIRED, next);
            case SKIPPED -> finished(row, Outcome.SKIPPED, next);
            case GRANTED ->
                    new Granted(next, new SessionId(row.uuid("session")), moment(row, "until"));
            case SUSPENDED ->
                    new Suspended(
                            word(SuspendedFor.class, row.text("detail")),
                            moment(row, "since"),
                            time(row, "until"));
            case SHORT_OF_BUDGET, OVER_QUOTA, WITHOUT_WORKER, LANE_CLOSED ->
                    // No program has written this so far.
                    throw new UnknownWord(Situation.class, row.text("situation"));
        };
    }

    private static Blocked blocked(Row row, BlockedBy by, LeasePurpose next) {
        var detail = row.textOrNull("detail");
        return new Blocked(by, detail == null ? "" : detail, waiting(row, next));
    }

    private static Waiting waiting(Row row, LeasePurpose next) {
        var until = row.longOrNull("until");
        return until == null
                ? new Ready(next)
                : new Delayed(
                        next,
                        Instant.ofEpochMilli(until),
                        word(DelayedBy.class, row.text("delayed_by")));
    }

    private static Finished finished(Row row, Outcome outcome, LeasePurpose next) {
        boolean started = row.intValue("attempts") > 0;
        var attempt = outcome.attemptAtTheEnd(started, new Ready(next).attempt());
        // Nothing changes what has ended, so its last change was its end.
        return new Finished(outcome, moment(row, "changed"), attempt);
    }

    /** The whole policy: its shared part, what its gate says, and what is its own. */
    public static Policy policy(
            Policy shared,
            Gate gate,
            int priority,
            Due start,
            Optional<Due> deadline,
            Optional<String> share,
            List<Long> reserve) {
        return shared.whole(
                priority,
                start,
                deadline,
                gate.needs(),
                gate.quotas(),
                gate.budgets(reserve),
                share);
    }

    /** How much an execution reserves, in the order of its gate. */
    public static List<Long> reserve(Row row) {
        return row.textOrNull("reserve") == null ? List.of() : List.of(row.longs("reserve"));
    }

    /** The same as it is written: nothing for work that reserves nothing. */
    public static @Nullable String reserves(List<Long> reserve) {
        return reserve.isEmpty() ? null : array(reserve);
    }

    /** An array of the server, written as a text. */
    public static String array(Collection<? extends Number> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
    }

    public static Tags tags(String[] pairs) {
        if (pairs.length == 0) {
            return Tags.NONE;
        }
        var values = new TreeMap<String, String>();
        for (String pair : pairs) {
            int equals = pair.indexOf('=');
            values.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return new Tags(values);
    }

    /** The time of a moment that was given as one, in milliseconds. */
    public static @Nullable Long at(Optional<Due> due) {
        return due.orElse(null) instanceof Due.At at ? (Long) at.time().toEpochMilli() : null;
    }

    /** The wait of a moment that was given as one, in milliseconds. */
    public static @Nullable Long after(Optional<Due> due) {
        return due.orElse(null) instanceof Due.After after ? (Long) after.delay().toMillis() : null;
    }

    /** The word that stands for a value. */
    public static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /**
     * The value that a word stands for.
     *
     * @throws UnknownWord when only newer programs know it
     */
    public static <E extends Enum<E>> E word(Class<E> type, String word) {
        return known(type, word).orElseThrow(() -> new UnknownWord(type, word));
    }

    /** The value that a word stands for; nothing when only newer programs know it. */
    public static <E extends Enum<E>> Optional<E> known(Class<E> type, String word) {
        try {
            return Optional.of(Enum.valueOf(type, word.toUpperCase(Locale.ROOT)));
        } catch (IllegalArgumentException unknown) {
            return Optional.empty();
        }
    }

    /** The meters that were counted against. */
    public static List<Integer> slots(Row row) {
        return row.textOrNull("counted_meters") == null
                ? List.of()
                : List.of(row.ints("counted_meters"));
    }
}
