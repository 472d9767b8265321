package io.flowfabric.valkey;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.store.Store;
import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.valkey.internal.wire.KeySpace;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/** A store on a real Redis under test, under a prefix of its own. */
final class ValkeyFixture implements StoreFixture {
    private static final AtomicLong NUMBER = new AtomicLong();

    private static final StatefulRedisConnection<byte[], byte[]> DIRECT =
            RedisClient.create(TestRedis.address()).connect(ByteArrayCodec.INSTANCE);

    static {
        // What an earlier run left.
        DIRECT.sync().flushall();
    }

    /** No packed value begins with this byte. */
    private static final byte DAMAGE = (byte) 0xC1;

    private final VirtualClock clock = new VirtualClock();
    private final KeySpace keys = new KeySpace("t%d:".formatted(NUMBER.incrementAndGet()));
    private final ValkeyStore store = new ValkeyStore(TestRedis.wire(keys), Optional.of(clock));

    @Override
    public Store store() {
        return store;
    }

    @Override
    public Instant now() {
        return clock.instant();
    }

    @Override
    public void advance(Duration step) {
        clock.advance(step);
    }

    @Override
    public void poison(ExecutionId execution) {
        change(
                execution,
                sound -> {
                    var damaged = Arrays.copyOf(sound, sound.length + 1);
                    System.arraycopy(sound, 0, damaged, 1, sound.length);
                    damaged[0] = DAMAGE;
                    return damaged;
                });
    }

    @Override
    public void heal(ExecutionId execution) {
        change(execution, damaged -> Arrays.copyOfRange(damaged, 1, damaged.length));
    }

    private void change(ExecutionId execution, UnaryOperator<byte[]> change) {
        var key = keys.key(execution.partition(), "execution");
        var field =
                ByteBuffer.allocate(16)
                        .putLong(execution.uuid().getMostSignificantBits())
                        .putLong(execution.uuid().getLeastSignificantBits())
                        .array();
        var commands = DIRECT.sync();
        commands.hset(key, field, change.apply(commands.hget(key, field)));
    }

    /** How many fields or members one key has, where everything of a namespace lies. */
    long size(Namespace namespace, String name) {
        var key = keys.key(Partition.of(namespace), name);
        return switch (DIRECT.sync().type(key)) {
            case "hash" -> DIRECT.sync().hlen(key);
            case "zset" -> DIRECT.sync().zcard(key);
            default -> 0;
        };
    }

    @Override
    public void close() {
        store.close();
    }
}
