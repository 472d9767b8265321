package io.flowfabric.bench.server;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.embedded.EmbeddedRedis;
import io.flowfabric.embedded.RedisOptions;
import io.flowfabric.engine.Time;
import io.flowfabric.valkey.ValkeyOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * A fresh, durable Redis, or a cluster of them, in a folder that is deleted when it is closed: what
 * is acknowledged is on the disk.
 */
public final class RedisServer implements AutoCloseable {
    private static final Duration PAUSE = Duration.ofMillis(20);

    /** Many seconds of work can wait in one call: clearing two million executions is one. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final int SMALLEST_CLUSTER = 3;

    private final Path folder;
    private final EmbeddedRedis redis;
    private final RedisClient client = RedisClient.create();
    private final List<RedisCommands<String, String>> nodes = new ArrayList<>();
    private final Thread shutdownHook = new Thread(this::end, "flowfabric-bench-redis-end");
    private boolean ended;

    private RedisServer(Path folder, EmbeddedRedis redis) {
        this.folder = folder;
        this.redis = redis;
        for (int node = 0; node < redis.nodes(); node++) {
            var uri =
                    RedisURI.Builder.redis("127.0.0.1", redis.port(node))
                            .withPassword(redis.password().toCharArray())
                            .withTimeout(PATIENCE)
                            .build();
            nodes.add(client.connect(uri).sync());
        }
    }

    /** Starts one node with the settings that every embedded server has. */
    public static RedisServer start() throws IOException {
        var folder = Files.createTempDirectory("flowfabric-bench");
        return started(folder, EmbeddedRedis.start(folder));
    }

    /** Starts a cluster of three nodes. */
    public static RedisServer startCluster() throws IOException {
        var folder = Files.createTempDirectory("flowfabric-bench");
        return started(
                folder,
                EmbeddedRedis.startCluster(folder, SMALLEST_CLUSTER, 0, RedisOptions.DEFAULT));
    }

    private static RedisServer started(Path folder, EmbeddedRedis redis) {
        var server = new RedisServer(folder, redis);
        // Whoever loses patience and interrupts the program gets the space back too.
        Runtime.getRuntime().addShutdownHook(server.shutdownHook);
        return server;
    }

    /** The options with which the product would connect there. */
    public ValkeyOptions options() {
        return ValkeyOptions.of(redis.url()).withPassword(redis.password());
    }

    /** Namespaces of which each lies on another node, as many as there are nodes. */
    public List<Namespace> namespaceOnEachNode() {
        var map = ClusterPartitionParser.parse(nodes.getFirst().clusterNodes());
        var found = new LinkedHashMap<Integer, Namespace>();
        for (int n = 1; found.size() < nodes.size(); n++) {
            var namespace = new Namespace("tenant-" + n);
            int slot = SlotHash.getSlot(Partition.of(namespace).toString());
            found.putIfAbsent(map.getPartitionBySlot(slot).getUri().getPort(), namespace);
        }
        return IntStream.range(0, nodes.size())
                .mapToObj(redis::port)
                .map(port -> Objects.requireNonNull(found.get(port)))
                .toList();
    }

    /** Forgets everything but the functions. */
    public void clear() {
        nodes.forEach(RedisCommands::flushall);
    }

    /** Lets nobody inherit a log that is due to be written anew. */
    public void settle() {
        // a server that has begun by itself refuses to begin
        awaitRewrites();
        nodes.forEach(RedisCommands::bgrewriteaof);
        awaitRewrites();
    }

    private void awaitRewrites() {
        while (nodes.stream().anyMatch(RedisServer::rewrites)) {
            Time.SYSTEM.park(PAUSE.toNanos());
        }
    }

    private static boolean rewrites(RedisCommands<String, String> node) {
        var info = ServerInfo.read(node.info("persistence"));
        return info.number("aof_rewrite_in_progress") + info.number("aof_rewrite_scheduled") > 0;
    }

    public RedisUsage usage() {
        var told = nodes.stream().map(node -> ServerInfo.read(node.info("all"))).toList();
        return new RedisUsage(
                told.stream().map(ServerInfo::mainThreadMicros).toList(),
                processMicros(),
                told.stream().mapToLong(info -> info.number("total_commands_processed")).sum(),
                told.stream().mapToLong(ServerInfo::functionCalls).sum());
    }

    private static long processMicros() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toNanos()
                / 1_000;
    }

    /** What all nodes keep in memory, in bytes. */
    public long memory() {
        return nodes.stream()
                .mapToLong(node -> ServerInfo.read(node.info("memory")).number("used_memory"))
                .sum();
    }

    /** What a reader of the figures has to know about the server. */
    public Map<String, Object> settings() {
        var first = nodes.getFirst();
        var settings = new LinkedHashMap<String, Object>();
        settings.put("redis_version", ServerInfo.read(first.info("server")).text("redis_version"));
        for (var name : List.of("appendonly", "appendfsync")) {
            settings.putAll(first.configGet(name));
        }
        settings.put("nodes", nodes.size());
        return settings;
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(shutdownHook);
        } catch (IllegalStateException e) {
            // The JVM is shutting down, and the hook is at work or waits for us below.
        }
        end();
    }

    private synchronized void end() {
        if (ended) {
            return;
        }
        ended = true;
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        redis.close();
        Server.delete(folder);
    }
}
