package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;
import io.flowfabric.valkey.internal.wire.Wire;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** What everything that talks to the servers shares. */
public final class ValkeyContext implements FunctionCalls, AutoCloseable {
    /** So long a call waits for a note to be made again, which it can do without. */
    private static final Duration RENEWAL = Duration.ofSeconds(1);

    private final Wire wire;
    private final Optional<InstantSource> clock;
    private final ValkeyWakeups wakeups;
    private final Homes homes = new Homes(this);
    private final SessionHomes sessionHomes = new SessionHomes(this);
    private final Partitions partitions = new Partitions(this);
    private final Placement placement;
    private final Spreads spreads;
    private final FunctionCalls renewal = urgent(RENEWAL);

    /** The namespaces that this process has noted to be there. */
    private final LastingNotes<Namespace> namespaces = new LastingNotes<>();

    /** The partitions that this process has noted to be in use. */
    private final LastingNotes<Partition> inUse = new LastingNotes<>();

    private final List<Runnable> doubtful = new CopyOnWriteArrayList<>();
    private final AtomicInteger doubts = new AtomicInteger();

    /** The highest stamp of an entry of any log that this process has heard of. */
    private final AtomicLong seen = new AtomicLong();

    /**
     * @param clock another one than that of the servers, for tests
     * @param placement where ids and keys lead to in spread namespaces
     */
    public ValkeyContext(Wire wire, Optional<InstantSource> clock, Placement placement) {
        this.wire = wire;
        this.placement = placement;
        this.spreads = new Spreads(this, placement);
        this.clock = clock;
        this.wakeups = new ValkeyWakeups(wire);
        whenInDoubt(doubts::incrementAndGet);
        whenInDoubt(sessionHomes::doubt);
        whenInDoubt(namespaces::doubt);
        whenInDoubt(inUse::doubt);
        wire.whenInDoubt(() -> doubtful.forEach(Runnable::run));
    }

    /**
     * What a function answers.
     *
     * @param now the time by which it did what it did
     */
    public record Told(Item answer, Instant now) {}

    /**
     * Hears that what is remembered of what is stored may not be so any more: servers were away, or
     * others have taken their place, and may have lost the last that they were told.
     */
    void whenInDoubt(Runnable forget) {
        doubtful.add(forget);
    }

    public ValkeyWakeups wakeups() {
        return wakeups;
    }

    /** Calls a function, and passes on what others should hear of. */
    public Told call(String function, Partition partition, Consumer<Packer> request) {
        int before = doubts.get();
        noteUse(partition);
        var told = leave(function, partition, request);
        if (doubts.get() != before) {
            // What was noted before the call may be lost, and what it left is not.
            noteUse(partition);
        }
        return told;
    }

    /**
     * Sends a call whose answer is waited for later.
     *
     * @return waits for it, and passes on what others should hear of
     */
    Supplier<Told> send(String function, Partition partition, Consumer<Packer> request) {
        int before = doubts.get();
        noteUse(partition);
        var sent = wire.send(function, partition, packed(request));
        return () -> {
            var told = passedOn(sent.get());
            if (doubts.get() != before) {
                noteUse(partition);
            }
            return told;
        };
    }

    @Override
    public Told leave(String function, Partition partition, Consumer<Packer> request) {
        return passedOn(wire.call(function, partition, packed(request)));
    }

    private Told passedOn(byte[] answer) {
        var told = heard(answer);
        wakeups.tell(told.at(3));
        return new Told(told.at(0), told.at(1).moment());
    }

    /**
     * Calls for workers that wait no longer than so, because their sessions live by it: they stand
     * behind no others.
     */
    FunctionCalls urgent(Duration patience) {
        return new FunctionCalls() {
            @Override
            public Told leave(String function, Partition partition, Consumer<Packer> request) {
                return passedOn(call(function, partition, request));
            }

            @Override
            public Told read(String function, Partition partition, Consumer<Packer> request) {
                return told(call(function, partition, request));
            }

            private byte[] call(String function, Partition partition, Consumer<Packer> request) {
                return wire.callUrgently(function, partition, packed(request), patience);
            }
        };
    }

    @Override
    public Told read(String function, Partition partition, Consumer<Packer> request) {
        return told(wire.read(function, partition, packed(request)));
    }

    /**
     * Calls a function that only reads on several partitions at once.
     *
     * @return of each partition what it answers, or why it does not
     */
    List<Answer<Told>> readEach(
            String function,
            List<Partition> partitions,
            Duration patience,
            BiConsumer<Packer, Partition> request) {
        var requests =
                partitions.stream()
                        .map(partition -> packed(out -> request.accept(out, partition)))
                        .toList();
        return wire.readEach(function, partitions, requests, patience).stream()
                .map(answer -> answer.map(this::told))
                .toList();
    }

    private Told told(byte[] answer) {
        var told = heard(answer);
        return new Told(told.at(0), told.at(1).moment());
    }

    /** The time, for what need not be exact: that of this process, unless a test has its own. */
    Instant now() {
        return clock.map(InstantSource::instant).orElseGet(Instant::now);
    }

    /** How long a call waits for its answer. */
    Duration patience() {
        return wire.patience();
    }

    /** Which partitions are in use. */
    Partitions partitions() {
        return partitions;
    }

    private Item heard(byte[] answer) {
        try {
            var told = Item.read(answer);
            seen.accumulateAndGet(told.at(2).number(), Math::max);
            return told;
        } catch (Item.Unreadable garbled) {
            throw new StoreFailure("The answer of a function cannot be read.", true, garbled);
        }
    }

    /** Before the first write to a partition it is known to be in use: nothing in it is missed. */
    private void noteUse(Partition partition) {
        if (!partition.equals(Partitions.FIRST)) {
            inUse.make(
                    partition, () -> noteUse(partition, this), () -> noteUse(partition, renewal));
        }
    }

    private static void noteUse(Partition partition, FunctionCalls calls) {
        calls.leave("use", Partitions.FIRST, out -> out.number(partition.number()));
    }

    private byte[] packed(Consumer<Packer> request) {
        wakeups.mustBeOpen();
        var packer = new Packer().list(3);
        packer.optional(clock, (out, time) -> out.number(time.millis())).number(seen.get());
        request.accept(packer);
        return packer.done();
    }

    /**
     * The main partition of a namespace. Its settings, quotas and budgets lie there; of one that is
     * not spread everything does.
     */
    public Partition home(Namespace namespace) {
        return Partition.of(namespace);
    }

    /** The partitions of a namespace. */
    Spread spread(Namespace namespace) {
        return spreads.of(namespace);
    }

    /**
     * The partitions of a namespace, before something is written there: all namespaces are known in
     * the partition of the default one.
     */
    Spread inUse(Namespace namespace) {
        namespaces.make(
                namespace,
                () -> spreads.use(namespace, Optional.empty(), this),
                () -> spreads.use(namespace, Optional.empty(), renewal));
        return spreads.of(namespace);
    }

    /**
     * Spreads a namespace over several partitions, before it is used.
     *
     * @throws io.flowfabric.core.Conflict when it is in use, and spread otherwise
     */
    public void spread(Namespace namespace, int partitions) {
        spreads.spread(namespace, partitions);
    }

    /** Where ids and keys lead to in spread namespaces. */
    Placement placement() {
        return placement;
    }

    /** Which namespaces are spread over several partitions. */
    Spreads spreads() {
        return spreads;
    }

    /** Where an execution lies, unless a signpost says otherwise that was not read yet. */
    public Partition home(ExecutionId id) {
        return homes.of(id);
    }

    /** Where a session lies; nothing when it is not known. */
    public Optional<Partition> home(SessionId session) {
        return Optional.ofNullable(sessionHomes.of(List.of(session), this).get(session));
    }

    /**
     * The partitions that a session is known in, its home first.
     *
     * @throws NotFound when it is not known
     */
    List<Partition> parts(SessionId session) {
        var home = home(session).orElseThrow(() -> ValkeySessions.unknown(session));
        return sessionHomes.partsOf(session, home, this);
    }

    /**
     * Does something where an execution lies; where it is not found, where its signpost leads to.
     *
     * @throws NotFound when it is in neither place
     */
    public <R> R at(ExecutionId id, Function<Partition, R> action) {
        var home = home(id);
        try {
            return action.apply(home);
        } catch (NotFound unknown) {
            var other = Optional.ofNullable(homes.elsewhere(List.of(id), home).get(id));
            return action.apply(other.orElseThrow(() -> unknown));
        }
    }

    /** Where executions lie. */
    public Homes homes() {
        return homes;
    }

    /** Where sessions lie. */
    SessionHomes sessionHomes() {
        return sessionHomes;
    }

    @Override
    public void close() {
        wakeups.close();
        wire.close();
    }
}
