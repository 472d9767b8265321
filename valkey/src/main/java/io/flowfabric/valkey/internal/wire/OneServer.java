package io.flowfabric.valkey.internal.wire;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** One server. */
final class OneServer implements Servers {
    private final SilentConnections watch;
    private final ClientResources resources;
    private final RedisURI address;
    private final RedisClient client;
    private final UrgentConnections urgent;
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final StatefulRedisPubSubConnection<byte[], byte[]> news;
    private final Answers answers;
    private final Reconnections reconnections = new Reconnections();

    OneServer(RedisURI address, Answers answers) {
        this.answers = answers;
        this.address = address;
        this.watch = new SilentConnections(answers.timeout());
        this.resources = ClientSettings.resources(watch);
        this.client = RedisClient.create(resources, address);
        this.urgent =
                new UrgentConnections(resources, address.getTimeout(), answers, reconnections);
        client.addListener(reconnections);
        client.setOptions(ClientSettings.ofOneServer(address.getTimeout()));
        try {
            this.connection = answers.connecting(() -> client.connect(ByteArrayCodec.INSTANCE));
            this.news = answers.connecting(() -> client.connectPubSub(ByteArrayCodec.INSTANCE));
        } catch (RuntimeException | Error failure) {
            end();
            throw failure;
        }
        Pulse.begin(resources, () -> news.async().ping());
    }

    @Override
    public RedisClusterAsyncCommands<byte[], byte[]> commands() {
        return connection.async();
    }

    @Override
    public <T> T urgently(
            byte[] key,
            Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> call,
            Duration patience) {
        return urgent.call(address, call, patience);
    }

    @Override
    public RedisClusterAsyncCommands<byte[], byte[]> at(byte[] key) {
        return commands();
    }

    @Override
    public RedisClusterAsyncCommands<byte[], byte[]> at(String host, int port) {
        return commands();
    }

    @Override
    public List<Primary> primaries() {
        var name = "%s:%d".formatted(address.getHost(), address.getPort());
        return List.of(new Primary(name, commands()));
    }

    /** Nothing moves. */
    @Override
    public void notice(byte[] key) {}

    /** There is one connection, and it is made anew by itself. */
    @Override
    public void connect(byte[] key) {}

    /** The name of the server may lead to the primary by then. */
    @Override
    public void seekPrimary() {
        watch.closeAll();
    }

    @Override
    public void load(Library library, byte[] key) {
        answers.await(() -> connection.async().functionLoad(library.text(), true));
    }

    @Override
    public void subscribe(byte[] channel, Consumer<byte[]> listener) {
        news.addListener(new NewsListener(listener));
        answers.await(() -> news.async().subscribe(channel));
    }

    @Override
    public int doubts() {
        return reconnections.count();
    }

    @Override
    public void whenInDoubt(Runnable listener) {
        reconnections.listen(listener);
    }

    @Override
    public void close() {
        news.close();
        connection.close();
        end();
    }

    /** Ends everything, also what was begun when it could not be opened. */
    private void end() {
        urgent.close();
        client.shutdown(Duration.ZERO, ClientSettings.PATIENCE_AT_THE_END);
        ClientSettings.end(resources);
    }
}
