package io.flowfabric.testkit.memory;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Tags;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.state.Transition;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Everything that happened, in the order in which it did, until retention drops it from the front.
 */
final class EventLog {
    private final ArrayDeque<Logged> kept = new ArrayDeque<>();
    private long last;
    private long dropped;

    private record Logged(long position, Event event, Tags tags) {}

    void append(Event event, Tags tags) {
        kept.add(new Logged(++last, event, tags));
    }

    Cursor beginning() {
        return cursor(dropped);
    }

    Feeds.Batch read(FeedFilter filter, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        if (after.equals(Cursor.NOW)) {
            return new Feeds.Batch(List.of(), cursor(last), false);
        }
        long position = after.equals(Cursor.START) ? dropped : position(after);
        var entries = new ArrayList<Feeds.Entry>();
        boolean more = false;
        for (Logged logged : kept) {
            if (logged.position <= position) {
                continue;
            }
            if (entries.size() == max) {
                more = true;
                break;
            }
            position = logged.position;
            if (filter.fits(logged.event, logged.tags)) {
                entries.add(new Feeds.Entry(logged.event, cursor(position)));
            }
        }
        return new Feeds.Batch(entries, cursor(position), more);
    }

    /**
     * The steps of an execution since it was last submitted, with what was recorded of it, the
     * heartbeats of whoever held it and the word that it is dead.
     */
    List<Event> history(ExecutionId execution) {
        var history = new ArrayList<Event>();
        SessionId holder = null;
        for (Logged logged : kept) {
            if (logged.event instanceof Event.Renewal renewal
                    && renewal.owner().session().equals(holder)) {
                history.add(renewal);
            }
            if (logged.event instanceof Event.MarkedDead marked
                    && marked.owner().session().equals(holder)) {
                history.add(marked);
            }
            if (logged.event instanceof Event.Step step && step.execution().equals(execution)) {
                if (step.transition() == Transition.SUBMIT) {
                    history.clear();
                }
                history.add(step);
                holder = holderAfter(step, holder);
            }
            if (!(logged.event instanceof Event.Step) && isAbout(logged.event, execution)) {
                history.add(logged.event);
            }
        }
        return history;
    }

    /** What is kept, the newest first. */
    Stream<Event> backwards() {
        return StreamSupport.stream(
                        Spliterators.spliteratorUnknownSize(
                                kept.descendingIterator(), Spliterator.ORDERED),
                        false)
                .map(Logged::event);
    }

    /** Drops the steps of an execution, wherever they are. Cursors still lead to where they did. */
    void erase(ExecutionId execution) {
        kept.removeIf(logged -> isAbout(logged.event, execution));
    }

    private static boolean isAbout(Event event, ExecutionId execution) {
        return switch (event) {
            case Event.Step step -> step.execution().equals(execution);
            case Event.StepRecorded recorded -> recorded.execution().equals(execution);
            case Event.SignalReceived received -> received.execution().equals(execution);
            case Event.WaitpointClosed closed -> closed.execution().equals(execution);
            default -> false;
        };
    }

    private static @Nullable SessionId holderAfter(Event.Step step, @Nullable SessionId before) {
        if (step.owner().isEmpty()) {
            return before;
        }
        return step.transition().givesLease() ? step.owner().get().session() : null;
    }

    /** Drops what is older than the given moment, and says how many days that was. */
    int dropBefore(Instant oldest) {
        var days = new HashSet<Instant>();
        while (!kept.isEmpty() && kept.getFirst().event.at().isBefore(oldest)) {
            var old = kept.removeFirst();
            dropped = old.position;
            days.add(old.event.at().truncatedTo(ChronoUnit.DAYS));
        }
        return days.size();
    }

    private static Cursor cursor(long position) {
        return Cursor.at(
                Cursor.Purpose.FEED, ByteBuffer.allocate(Long.BYTES).putLong(position).array());
    }

    private long position(Cursor cursor) {
        var bytes = cursor.position(Cursor.Purpose.FEED);
        if (bytes.length != Long.BYTES) {
            throw Cursor.malformed();
        }
        long position = ByteBuffer.wrap(bytes).getLong();
        if (position < 0 || position > last) {
            throw Cursor.malformed();
        }
        if (position < dropped) {
            throw Cursor.expired();
        }
        return position;
    }
}
