package io.flowfabric.valkey.internal;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;
import io.flowfabric.valkey.internal.wire.Wire;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;

/** What everything that talks to the servers shares. */
public final class ValkeyContext implements AutoCloseable {
    private final Wire wire;
    private final Optional<InstantSource> clock;
    private final ValkeyWakeups wakeups;
    private final Homes homes = new Homes(this);
    private final Set<Namespace> namespaces = ConcurrentHashMap.newKeySet();

    /** Of each partition whether this process has noted that it is in use. */
    private final AtomicIntegerArray noted = new AtomicIntegerArray(Partition.COUNT);

    /** The highest stamp of an entry of any log that this process has heard of. */
    private final AtomicLong seen = new AtomicLong();

    /**
     * @param clock another one than that of the servers, for tests
     */
    public ValkeyContext(Wire wire, Optional<InstantSource> clock) {
        this.wire = wire;
        this.clock = clock;
        this.wakeups = new ValkeyWakeups(wire);
    }

    /**
     * What a function answers.
     *
     * @param now the time by which it did what it did
     */
    public record Told(Item answer, Instant now) {}

    public ValkeyWakeups wakeups() {
        return wakeups;
    }

    /** Calls a function, and passes on what others should hear of. */
    public Told call(String function, Partition partition, Consumer<Packer> request) {
        noteUse(partition);
        return leave(function, partition, request);
    }

    /**
     * Calls a function that leaves nothing in a partition that anything would have to look after.
     */
    Told leave(String function, Partition partition, Consumer<Packer> request) {
        var told = heard(wire.call(function, partition, packed(request)));
        wakeups.tell(told.at(3));
        return new Told(told.at(0), told.at(1).moment());
    }

    /** Calls a function that only reads. */
    public Told read(String function, Partition partition, Consumer<Packer> request) {
        var told = heard(wire.read(function, partition, packed(request)));
        return new Told(told.at(0), told.at(1).moment());
    }

    private Item heard(byte[] answer) {
        var told = Item.read(answer);
        seen.accumulateAndGet(told.at(2).number(), Math::max);
        return told;
    }

    /** Before the first write to a partition it is known to be in use: nothing in it is missed. */
    private void noteUse(Partition partition) {
        if (noted.get(partition.number()) == 0 && !partition.equals(Partitions.FIRST)) {
            call("use", Partitions.FIRST, out -> out.number(partition.number()));
            noted.set(partition.number(), 1);
        }
    }

    private byte[] packed(Consumer<Packer> request) {
        wakeups.mustBeOpen();
        var packer = new Packer().list(3);
        packer.optional(clock, (out, time) -> out.number(time.millis())).number(seen.get());
        request.accept(packer);
        return packer.done();
    }

    /** Where everything of a namespace lies. */
    public Partition home(Namespace namespace) {
        return Partition.of(namespace);
    }

    /**
     * Where everything of a namespace lies, before something is written there: all namespaces are
     * known in the partition of the default one.
     */
    public Partition inUse(Namespace namespace) {
        if (!namespaces.contains(namespace)) {
            call(
                    "apply",
                    home(Namespace.DEFAULT),
                    out ->
                            out.list(2)
                                    .list(0)
                                    .list(1)
                                    .list(4)
                                    .text("add")
                                    .text("listing")
                                    .number(0)
                                    .text("n" + namespace.name()));
            namespaces.add(namespace);
        }
        return home(namespace);
    }

    /** Where an execution lies, unless a signpost says otherwise that was not read yet. */
    public Partition home(ExecutionId id) {
        return homes.of(id);
    }

    /** Where a session lies; nothing when it is not known. */
    public Optional<Partition> home(SessionId session) {
        return Optional.ofNullable(homes.of(List.of(session)).get(session));
    }

    /**
     * Does something where an execution lies; where it is not found, where its signpost leads to.
     *
     * @throws NotFound when it is in neither place
     */
    public <R> R at(ExecutionId id, Function<Partition, R> action) {
        try {
            return action.apply(home(id));
        } catch (NotFound unknown) {
            var led = Optional.ofNullable(homes.strays(List.of(id)).get(id));
            return action.apply(led.orElseThrow(() -> unknown));
        }
    }

    /** Where sessions and executions lie. */
    public Homes homes() {
        return homes;
    }

    @Override
    public void close() {
        wakeups.close();
        wire.close();
    }
}
