package io.flowfabric.valkey.internal;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.feed.Event;
import io.flowfabric.valkey.internal.record.ExecutionFields;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What happened to one execution since it was submitted: its steps, what was recorded of it and
 * what it was told, the heartbeats of whoever held it, and the word that it is dead.
 */
final class ValkeyHistory {
    /** From how many entries one call tells. */
    private static final int ENTRIES = 256;

    /** No entry has a higher number. */
    private static final long HIGHEST = (1L << 48) - 1;

    private static final Comparator<Happened> IN_ORDER =
            Comparator.comparingLong(Happened::number).thenComparingInt(Happened::index);

    private final ValkeyContext valkey;

    ValkeyHistory(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    /** An event, and its place in the log. */
    private record Happened(long number, int index, Event event) {}

    /** A session has the lease from one event to another, or still. */
    private record Tenure(SessionId holder, Happened from, Optional<Happened> to) {
        boolean covers(Happened other) {
            return IN_ORDER.compare(from, other) < 0
                    && to.filter(end -> IN_ORDER.compare(end, other) < 0).isEmpty();
        }
    }

    /** What is stored of an execution or a session, and the entries of the log about it. */
    @SuppressWarnings("ArrayRecordComponent") // They are read and passed on, never compared.
    private record Trace(Item stored, byte[] numbers) {}

    List<Event> of(ExecutionId id) {
        return valkey.at(id, home -> of(id, home));
    }

    private List<Event> of(ExecutionId id, Partition home) {
        var trace = trace(home, "execution", id.uuid(), 0, HIGHEST);
        mustBe(id, trace.stored);
        var decoder = new EventDecoder(valkey, home);
        var history = new ArrayList<>(told(home, decoder, id.uuid(), trace.numbers));
        history.removeIf(one -> !isOf(id, one.event));
        for (var tenure : tenures(history)) {
            history.addAll(signsOfLife(home, decoder, tenure));
        }
        return history.stream().sorted(IN_ORDER).map(Happened::event).toList();
    }

    private static boolean isOf(ExecutionId id, Event event) {
        return switch (event) {
            case Event.Step step -> step.execution().equals(id);
            case Event.StepRecorded recorded -> recorded.execution().equals(id);
            case Event.SignalReceived received -> received.execution().equals(id);
            case Event.WaitpointClosed closed -> closed.execution().equals(id);
            default -> false;
        };
    }

    private static void mustBe(ExecutionId id, Item stored) {
        try {
            if (stored.isAbsent()
                    || !ExecutionFields.read(id.uuid(), stored.bytes()).id().equals(id)) {
                throw new NotFound("execution", id.toString());
            }
        } catch (Item.Unreadable damaged) {
            throw StoreFailure.unreadable("The execution " + id, damaged);
        }
    }

    private static List<Tenure> tenures(List<Happened> steps) {
        var tenures = new ArrayList<Tenure>();
        Optional<Tenure> open = Optional.empty();
        for (var one : steps) {
            if (!(one.event instanceof Event.Step step) || step.owner().isEmpty()) {
                continue;
            }
            open.map(it -> new Tenure(it.holder, it.from, Optional.of(one)))
                    .ifPresent(tenures::add);
            open =
                    step.transition().givesLease()
                            ? Optional.of(
                                    new Tenure(step.owner().get().session(), one, Optional.empty()))
                            : Optional.empty();
        }
        open.ifPresent(tenures::add);
        return tenures;
    }

    private List<Happened> signsOfLife(Partition home, EventDecoder decoder, Tenure tenure) {
        var session = tenure.holder.uuid();
        long last = tenure.to.map(Happened::number).orElse(HIGHEST);
        var trace = trace(home, "session", session, tenure.from.number, last);
        return told(home, decoder, session, trace.numbers).stream()
                .filter(one -> tenure.covers(one) && isOf(tenure.holder, one.event))
                .toList();
    }

    private static boolean isOf(SessionId session, Event event) {
        return switch (event) {
            case Event.Renewal renewal -> renewal.owner().session().equals(session);
            case Event.MarkedDead marked -> marked.owner().session().equals(session);
            default -> false;
        };
    }

    private Trace trace(Partition home, String kind, UUID id, long from, long to) {
        var told =
                valkey.read(
                                "trace",
                                home,
                                out -> out.list(4).text(kind).uuid(id).number(from).number(to))
                        .answer();
        return new Trace(told.at(0), told.at(1).bytes());
    }

    private List<Happened> told(Partition home, EventDecoder decoder, UUID id, byte[] numbers) {
        var logged = new ArrayList<LoggedEvent>();
        for (var portion : EntryNumbers.portions(numbers, ENTRIES)) {
            valkey.read("told", home, out -> out.list(2).uuid(id).bytes(portion))
                    .answer()
                    .list()
                    .forEach(
                            one ->
                                    logged.add(
                                            new LoggedEvent(
                                                    one.at(0).number(),
                                                    one.at(1).small(),
                                                    one.at(2))));
        }
        decoder.prepare(logged, false);
        var found = new ArrayList<Happened>();
        for (var one : logged) {
            decoder.decode(one)
                    .map(event -> new Happened(one.number(), one.index(), event))
                    .ifPresent(found::add);
        }
        return found;
    }
}
