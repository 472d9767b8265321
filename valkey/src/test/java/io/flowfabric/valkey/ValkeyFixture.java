package io.flowfabric.valkey;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.store.Store;
import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.valkey.internal.Placement;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.KeySpace;
import io.flowfabric.valkey.internal.wire.Packer;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A store on a real Redis under test, under a prefix of its own. */
final class ValkeyFixture implements StoreFixture {
    private static final AtomicLong NUMBER = new AtomicLong();

    /** No packed value begins with this byte. */
    private static final byte DAMAGE = (byte) 0xC1;

    /** The place of the policy in what was submitted. */
    private static final int POLICY = 6;

    private static final byte[] NEWER_POLICY = "{\"start\":[]}".getBytes(US_ASCII);

    /** What was there before it was damaged. */
    @SuppressWarnings("ArrayRecordComponent") // Written back, never compared.
    private record Sound(byte[] key, byte[] field, byte[] value) {}

    private static final List<String> NAMESPACES =
            List.of("default", "elsewhere", "tenant", "third");

    private static final int SPREAD = 3;

    private final Map<ExecutionId, Sound> sound = new HashMap<>();
    private final Map<UUID, Partition> places = new ConcurrentHashMap<>();
    private final Set<Partition> spread = new HashSet<>();
    private final VirtualClock clock = new VirtualClock();
    private final String name = "contract-" + NUMBER.incrementAndGet();
    private final KeySpace keys = TestRedis.keys(name);
    private final TestRedis redis;
    private final ValkeyStore store;

    ValkeyFixture(TestRedis redis) {
        this(redis, Placement.HASHED);
    }

    private ValkeyFixture(TestRedis redis, Placement placement) {
        this.redis = redis;
        this.store =
                new ValkeyStore(redis.wire(keys), Optional.empty(), Optional.of(clock), placement);
    }

    /**
     * With the namespaces of all tests spread over several partitions, and each piece of work in
     * another one than the piece before it.
     */
    static ValkeyFixture apart(TestRedis redis) {
        var known = new ConcurrentHashMap<ByteBuffer, Integer>();
        var next = new AtomicInteger();
        return new ValkeyFixture(
                        redis,
                        (name, count) ->
                                known.computeIfAbsent(
                                                ByteBuffer.wrap(name.clone()),
                                                first -> next.incrementAndGet())
                                        % count)
                .spread();
    }

    /**
     * With the namespaces of all tests spread over several partitions, and all work without limits
     * in one of them, which is not the main one.
     */
    static ValkeyFixture together(TestRedis redis) {
        return new ValkeyFixture(redis, (name, count) -> 1).spread();
    }

    /**
     * With the namespaces of all tests spread over several partitions, and all work in the main one
     * of them: one order holds for all of it, while sessions, claims, lanes, searches and feeds go
     * to all partitions.
     */
    static ValkeyFixture inMain(TestRedis redis) {
        return new ValkeyFixture(redis, (name, count) -> 0).spread();
    }

    /** As ids fall. */
    static ValkeyFixture spread(TestRedis redis) {
        return new ValkeyFixture(redis).spread();
    }

    private ValkeyFixture spread() {
        for (var name : NAMESPACES) {
            store.spread(new Namespace(name), SPREAD);
            int main = Partition.of(new Namespace(name)).number();
            IntStream.range(0, SPREAD)
                    .map(n -> (main + n * (Partition.COUNT / SPREAD)) % Partition.COUNT)
                    .forEach(number -> spread.add(new Partition(number)));
        }
        return this;
    }

    static ValkeyFixture onOneNode() {
        return new ValkeyFixture(TestRedis.oneNode());
    }

    static ValkeyFixture onCluster() {
        return new ValkeyFixture(TestRedis.cluster());
    }

    @Override
    public Store store() {
        return store;
    }

    @Override
    public Instant now() {
        return clock.instant();
    }

    /** Nothing is forgotten before time has passed. */
    @Override
    public void advance(Duration step) {
        notePlaces();
        clock.advance(step);
    }

    /** Notes where the work of spread namespaces lies. */
    private void notePlaces() {
        for (var partition : spread) {
            for (var id : redis.direct().hkeys(keys.key(partition, "execution"))) {
                var bits = ByteBuffer.wrap(id);
                places.put(new UUID(bits.getLong(), bits.getLong()), partition);
            }
        }
    }

    /**
     * Where work of a spread namespace lay when time passed; what was erased before that is alone.
     */
    Object placeOf(ExecutionId execution) {
        return places.containsKey(execution.uuid()) ? places.get(execution.uuid()) : execution;
    }

    /**
     * Damages how it stands, or what was submitted as a newer program might have written it: the
     * last bit of the id decides.
     */
    @Override
    public void poison(ExecutionId execution) {
        if ((execution.uuid().getLeastSignificantBits() & 1) == 0) {
            damage(execution, "execution", "");
        } else {
            renewPolicy(execution);
        }
    }

    /** Gives a submission a policy that no program of this version can read. */
    void renewPolicy(ExecutionId execution) {
        change(
                execution,
                "detail",
                "s",
                sound -> {
                    var fields = Item.read(sound).list();
                    var out = new Packer().list(fields.size());
                    for (int n = 0; n < fields.size(); n++) {
                        switch (fields.get(n)) {
                            case Item.Bytes bytes ->
                                    out.bytes(n == POLICY ? NEWER_POLICY : bytes.value());
                            case Item.Items list -> write(out, list);
                            default -> out.absent();
                        }
                    }
                    return out.done();
                });
    }

    private static void write(Packer out, Item.Items list) {
        out.list(
                list.values(),
                (o, value) -> {
                    if (value instanceof Item.Items inner) {
                        write(o, inner);
                    } else {
                        o.bytes(value.bytes());
                    }
                });
    }

    /** Makes a value of an execution one that cannot be unpacked. */
    void damage(ExecutionId execution, String hash, String letter) {
        change(
                execution,
                hash,
                letter,
                sound -> {
                    var damaged = Arrays.copyOf(sound, sound.length + 1);
                    System.arraycopy(sound, 0, damaged, 1, sound.length);
                    damaged[0] = DAMAGE;
                    return damaged;
                });
    }

    @Override
    public void heal(ExecutionId execution) {
        var damaged = Objects.requireNonNull(sound.remove(execution));
        redis.direct().hset(damaged.key, damaged.field, damaged.value);
    }

    private void change(
            ExecutionId execution, String hash, String letter, UnaryOperator<byte[]> change) {
        var field =
                ByteBuffer.allocate(16 + letter.length())
                        .putLong(execution.uuid().getMostSignificantBits())
                        .putLong(execution.uuid().getLeastSignificantBits())
                        .put(letter.getBytes(US_ASCII))
                        .array();
        var commands = redis.direct();
        var key =
                Stream.concat(
                                Stream.of(execution.partition()),
                                IntStream.range(0, Partition.COUNT).mapToObj(Partition::new))
                        .map(partition -> keys.key(partition, hash))
                        .filter(one -> commands.hexists(one, field))
                        .findFirst()
                        .orElseThrow();
        var value = commands.hget(key, field);
        sound.put(execution, new Sound(key, field, value));
        commands.hset(key, field, change.apply(value));
    }

    /** How many fields or members one key has, where everything of a namespace lies. */
    long size(Namespace namespace, String name) {
        var key = keys.key(Partition.of(namespace), name);
        return switch (redis.direct().type(key)) {
            case "hash" -> redis.direct().hlen(key);
            case "zset" -> redis.direct().zcard(key);
            default -> 0;
        };
    }

    @Override
    public void close() {
        notePlaces();
        store.close();
        redis.forget(name + ":");
    }
}
