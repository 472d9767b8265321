package io.flowfabric.valkey.internal.wire;

import io.lettuce.core.pubsub.RedisPubSubAdapter;

import java.util.function.Consumer;

/** Passes on what is told on the one channel that a connection listens to. */
final class NewsListener extends RedisPubSubAdapter<byte[], byte[]> {
    private final Consumer<byte[]> listener;

    NewsListener(Consumer<byte[]> listener) {
        this.listener = listener;
    }

    @Override
    public void message(byte[] channel, byte[] message) {
        listener.accept(message);
    }
}
