package io.flowfabric.valkey.internal.wire;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

import java.time.Duration;
import java.util.function.Consumer;

/** One server. */
final class OneServer implements Servers {
    private final RedisClient client;
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final StatefulRedisPubSubConnection<byte[], byte[]> news;
    private final Answers answers;

    OneServer(RedisURI address, Answers answers) {
        this.answers = answers;
        this.client = RedisClient.create(address);
        client.setOptions(ClientSettings.ofOneServer(address.getTimeout()));
        this.connection = answers.connecting(() -> client.connect(ByteArrayCodec.INSTANCE));
        this.news = answers.connecting(() -> client.connectPubSub(ByteArrayCodec.INSTANCE));
    }

    @Override
    public RedisClusterAsyncCommands<byte[], byte[]> commands() {
        return connection.async();
    }

    @Override
    public void load(Library library) {
        answers.await(connection.async().functionLoad(library.text(), true));
    }

    @Override
    public void subscribe(byte[] channel, Consumer<byte[]> listener) {
        news.addListener(new NewsListener(listener));
        answers.await(news.async().subscribe(channel));
    }

    @Override
    public void close() {
        news.close();
        connection.close();
        client.shutdown(Duration.ZERO, ClientSettings.PATIENCE_AT_THE_END);
    }
}
