package io.flowfabric.valkey.internal.wire;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;

import java.net.SocketAddress;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Notices connections that are made again. Those that are made for a moment, to ask a cluster who
 * its nodes are, are made once each.
 */
final class Reconnections implements RedisConnectionStateListener {
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final AtomicInteger count = new AtomicInteger();
    private final Set<RedisChannelHandler<?, ?>> made =
            Collections.newSetFromMap(Collections.synchronizedMap(new WeakHashMap<>()));

    void listen(Runnable listener) {
        listeners.add(listener);
    }

    /** How often there was something to tell. */
    int count() {
        return count.get();
    }

    void tell() {
        count.incrementAndGet();
        listeners.forEach(Runnable::run);
    }

    @Override
    public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
        if (!made.add(connection)) {
            tell();
        }
    }
}
