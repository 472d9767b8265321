package io.flowfabric.valkey.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Tags;
import io.flowfabric.core.codec.EventCodec;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.valkey.internal.record.Codes;
import io.flowfabric.valkey.internal.record.SessionFields;
import io.flowfabric.valkey.internal.wire.Item;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Turns what the log of one partition keeps into events. The log names lanes by their numbers and
 * owners by their sessions; these are looked up for many events at once.
 */
final class EventDecoder {
    private static final Logger log = LoggerFactory.getLogger(EventDecoder.class);

    /** How many values one call looks up. */
    private static final int MOST = 1000;

    private final ValkeyContext valkey;
    private final Partition home;
    private final Map<UUID, Owner> owners = new HashMap<>();
    private final Map<Integer, Lane> lanes = new HashMap<>();
    private final EventTags tags;

    EventDecoder(ValkeyContext valkey, Partition home) {
        this.valkey = valkey;
        this.home = home;
        this.tags = new EventTags(valkey, home);
    }

    /**
     * Looks up what some events name.
     *
     * @param tagged whether their tags are wanted, too
     */
    void prepare(List<LoggedEvent> events, boolean tagged) {
        var sessions = new LinkedHashSet<UUID>();
        var numbers = new LinkedHashSet<Integer>();
        var executions = new LinkedHashSet<UUID>();
        for (var event : events) {
            try {
                if (event.isRenewal()) {
                    sessions.add(event.subject());
                } else if (event.isOfExecution()) {
                    numbers.add(event.packed().at(3).small());
                    if (event.isStep()) {
                        event.packed().at(9).optional(Item::uuid).ifPresent(sessions::add);
                    }
                    if (tagged) {
                        executions.add(event.subject());
                    }
                }
            } catch (Item.Unreadable damaged) {
                // It is told of when it is decoded.
            }
        }
        sessions.removeAll(owners.keySet());
        numbers.removeAll(lanes.keySet());
        lookUp(sessions, numbers);
        tags.lookUp(executions);
    }

    private void lookUp(Set<UUID> sessions, Set<Integer> numbers) {
        for (var part : parts(sessions)) {
            var told = read("session", part.stream().map(EventDecoder::bytes).toList());
            for (int n = 0; n < part.size(); n++) {
                owners.put(part.get(n), owner(part.get(n), told.get(n)));
            }
        }
        for (var part : parts(numbers)) {
            var fields = part.stream().map(number -> number.toString().getBytes(UTF_8)).toList();
            var told = read("lane", fields);
            for (int n = 0; n < part.size(); n++) {
                int number = part.get(n);
                readLane(told.get(n)).ifPresent(lane -> lanes.put(number, lane));
            }
        }
    }

    private static Optional<Lane> readLane(Item stored) {
        try {
            return Optional.of(
                    Item.decoded(
                            () -> {
                                var lane = Item.read(stored.bytes());
                                var namespace = new Namespace(lane.at(0).text());
                                return new Lane(namespace, lane.at(1).text());
                            }));
        } catch (Item.Unreadable missing) {
            return Optional.empty();
        }
    }

    /** The same in parts, each for one call. */
    static <T> List<List<T>> parts(Set<T> all) {
        var list = List.copyOf(all);
        var parts = new ArrayList<List<T>>();
        for (int from = 0; from < list.size(); from += MOST) {
            parts.add(list.subList(from, Math.min(list.size(), from + MOST)));
        }
        return parts;
    }

    private List<Item> read(String hash, List<byte[]> fields) {
        return valkey.read(
                        "read",
                        home,
                        out -> {
                            out.list(1).list(2).text(hash).list(fields.size());
                            fields.forEach(out::bytes);
                        })
                .answer()
                .at(0)
                .list();
    }

    private static byte[] bytes(UUID id) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .array();
    }

    /**
     * Sessions are known for longer than the events that name them. Of one that cannot be read any
     * more the id is known.
     */
    private static Owner owner(UUID session, Item stored) {
        var id = new SessionId(session);
        try {
            return Item.decoded(() -> SessionFields.read(id, stored.bytes()).owner());
        } catch (Item.Unreadable missing) {
            return new Owner(id, "", "");
        }
    }

    /** The tags of the execution that an event is about; an event that cannot be read has none. */
    Tags tags(LoggedEvent event) {
        try {
            if (event.isOther()) {
                return event.tags();
            }
            return event.isOfExecution() ? tags.of(event.subject(), event.number()) : Tags.NONE;
        } catch (Item.Unreadable damaged) {
            return Tags.NONE;
        }
    }

    /** An event; nothing when it was erased, is of a newer program, or cannot be read. */
    Optional<Event> decode(LoggedEvent event) {
        try {
            if (event.isStep()) {
                return Optional.of(step(event.packed()));
            }
            if (event.isRecordedStep()) {
                return Optional.of(recordedStep(event.packed()));
            }
            if (event.isSignal()) {
                return Optional.of(signal(event.packed()));
            }
            if (event.isClosedWaitpoint()) {
                return Optional.of(closedWaitpoint(event.packed()));
            }
            if (event.isRenewal()) {
                return Optional.of(renewal(event.packed()));
            }
            if (event.isBudgetReached()) {
                return Optional.of(budgetReached(event.packed()));
            }
            if (event.isDrift()) {
                return Optional.of(drift(event.packed()));
            }
            return event.isOther()
                    ? EventCodec.read(Json.parseObject(event.packed().at(1).text()))
                    : Optional.empty();
        } catch (RuntimeException damaged) {
            log.warn(
                    "The event {}/{} of partition {} cannot be read, and is passed over",
                    event.number(),
                    event.index(),
                    home,
                    damaged);
            return Optional.empty();
        }
    }

    private Event step(Item told) {
        return new Event.Step(
                execution(told),
                lane(told),
                Codes.STEPS.word(told.at(4)),
                Codes.SITUATIONS.word(told.at(5)),
                told.at(6).moment(),
                told.at(7).small(),
                told.at(8).number(),
                told.at(9).optional(Item::uuid).map(owners::get),
                told.at(10).optional(EventDecoder::by),
                told.at(11).optional(Item::moment),
                told.at(12).optional(Steps::failure));
    }

    private Event recordedStep(Item told) {
        return new Event.StepRecorded(
                execution(told),
                lane(told),
                told.at(4).text(),
                told.at(5).small(),
                told.at(6).number(),
                told.at(7).moment());
    }

    private Event signal(Item told) {
        return new Event.SignalReceived(
                execution(told),
                lane(told),
                told.at(4).text(),
                told.at(5).text(),
                told.at(6).number(),
                Codes.EFFECTS.word(told.at(7)),
                by(told.at(8)),
                told.at(9).moment());
    }

    private Event closedWaitpoint(Item told) {
        return new Event.WaitpointClosed(
                execution(told),
                lane(told),
                told.at(4).text(),
                by(told.at(5)),
                told.at(6).moment());
    }

    private static Attribution by(Item told) {
        return new Attribution(told.at(0).text(), told.at(1).text());
    }

    private static ExecutionId execution(Item told) {
        return new ExecutionId(new Partition(told.at(2).small()), told.at(1).uuid());
    }

    private Lane lane(Item told) {
        return Optional.ofNullable(lanes.get(told.at(3).small()))
                .orElseThrow(() -> Item.unreadable("no lane has the number of its lane"));
    }

    private Event renewal(Item told) {
        return new Event.Renewal(
                Optional.ofNullable(owners.get(told.at(1).uuid())).orElseThrow(),
                new Namespace(told.at(2).text()),
                told.at(3).moment(),
                told.at(4).moment());
    }

    private static Event budgetReached(Item told) {
        return new Event.BudgetReached(
                new Namespace(told.at(1).text()),
                told.at(2).text(),
                told.at(3).text(),
                told.at(4).truth(),
                told.at(5).number(),
                told.at(6).moment());
    }

    private static Event drift(Item told) {
        return new Event.Drifted(
                new Namespace(told.at(1).text()),
                told.at(2).text(),
                told.at(3).number(),
                told.at(4).number(),
                told.at(5).moment());
    }
}
