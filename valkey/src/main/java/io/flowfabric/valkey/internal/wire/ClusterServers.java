package io.flowfabric.valkey.internal.wire;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.pubsub.StatefulRedisClusterPubSubConnection;
import io.lettuce.core.codec.ByteArrayCodec;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** A cluster. */
final class ClusterServers implements Servers {
    private final RedisClusterClient client;
    private final StatefulRedisClusterConnection<byte[], byte[]> connection;
    private final StatefulRedisClusterPubSubConnection<byte[], byte[]> news;
    private final Answers answers;

    ClusterServers(List<RedisURI> nodes, Answers answers) {
        this.answers = answers;
        this.client = RedisClusterClient.create(nodes);
        client.setOptions(ClientSettings.ofCluster(nodes.getFirst().getTimeout()));
        this.connection = answers.connecting(() -> client.connect(ByteArrayCodec.INSTANCE));
        this.news = answers.connecting(() -> client.connectPubSub(ByteArrayCodec.INSTANCE));
    }

    @Override
    public RedisClusterAsyncCommands<byte[], byte[]> commands() {
        return connection.async();
    }

    /** The functions of a primary come to its replicas by themselves. */
    @Override
    public void load(Library library) {
        for (RedisClusterNode node : connection.getPartitions()) {
            if (node.getRole().isUpstream() && !node.hasNoSlots()) {
                answers.await(
                        connection
                                .getConnection(node.getNodeId())
                                .async()
                                .functionLoad(library.text(), true));
            }
        }
    }

    /** What is told at one node is told at all of them. */
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
