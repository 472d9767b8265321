package io.flowfabric.valkey.internal.wire;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.pubsub.StatefulRedisClusterPubSubConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/** A cluster. */
final class ClusterServers implements Servers {
    private final ClientResources resources;
    private final RedisURI first;
    private final RedisClusterClient client;
    private final UrgentConnections urgent;
    private final StatefulRedisClusterConnection<byte[], byte[]> connection;
    private final StatefulRedisClusterPubSubConnection<byte[], byte[]> news;
    private final Answers answers;
    private final Reconnections reconnections = new Reconnections();

    /** The nodes that had slots when they were last asked for something. */
    private final Map<Integer, String> owners = new ConcurrentHashMap<>();

    ClusterServers(List<RedisURI> nodes, Answers answers) {
        this.answers = answers;
        this.first = nodes.getFirst();
        this.resources = ClientSettings.resources(new SilentConnections(answers.timeout()));
        this.urgent = new UrgentConnections(resources, first.getTimeout(), answers, reconnections);
        this.client = RedisClusterClient.create(resources, nodes);
        client.addListener(reconnections);
        client.setOptions(ClientSettings.ofCluster(nodes.getFirst().getTimeout()));
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
        var node = connection.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
        var known = node == null ? first : node.getUri();
        var address =
                RedisURI.builder(first).withHost(known.getHost()).withPort(known.getPort()).build();
        return urgent.call(address, call, patience);
    }

    @Override
    public void notice(byte[] key) {
        int slot = SlotHash.getSlot(key);
        var node = connection.getPartitions().getPartitionBySlot(slot);
        if (node != null) {
            var before = owners.put(slot, node.getNodeId());
            if (before != null && !before.equals(node.getNodeId())) {
                reconnections.tell();
            }
        }
    }

    @Override
    public void connect(byte[] key) {
        var node = connection.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
        if (node != null) {
            var address = node.getUri();
            answers.connecting(
                    () -> connection.getConnection(address.getHost(), address.getPort()));
        }
    }

    /** It is the one that is also used for calls with this key. */
    @Override
    public RedisClusterAsyncCommands<byte[], byte[]> at(byte[] key) {
        var node = connection.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
        return node == null ? commands() : at(node.getUri().getHost(), node.getUri().getPort());
    }

    @Override
    public RedisClusterAsyncCommands<byte[], byte[]> at(String host, int port) {
        return answers.connecting(() -> connection.getConnection(host, port)).async();
    }

    @Override
    public List<Primary> primaries() {
        var found = new ArrayList<Primary>();
        for (RedisClusterNode node : connection.getPartitions()) {
            if (node.getRole().isUpstream() && !node.hasNoSlots()) {
                var address = node.getUri();
                found.add(
                        new Primary(
                                "%s:%d".formatted(address.getHost(), address.getPort()),
                                connection.getConnection(node.getNodeId()).async()));
            }
        }
        return found;
    }

    @Override
    public void seekPrimary() {
        var unused = client.refreshPartitionsAsync();
    }

    /**
     * Hands the functions to the node where a key lies, which must take them. Others are given them
     * if they can be reached, also those that have no slots as far as is known here: a slot may be
     * on its way to them. Replicas have them from their primaries.
     */
    @Override
    public void load(Library library, byte[] key) {
        var needed = connection.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
        var others =
                connection.getPartitions().stream()
                        .filter(node -> node.getRole().isUpstream() && !node.equals(needed))
                        .map(node -> load(library, node))
                        .toList();
        if (needed != null) {
            answers.awaitStage(load(library, needed));
        }
        answers.awaitBriefly(others);
    }

    private CompletionStage<String> load(Library library, RedisClusterNode node) {
        var address = node.getUri();
        return connection
                .getConnectionAsync(address.getHost(), address.getPort())
                .thenCompose(direct -> direct.async().functionLoad(library.text(), true));
    }

    /** What is told at one node is told at all of them. */
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
