package io.flowfabric.valkey.internal.wire;

import io.flowfabric.core.Answer;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Partition;
import io.flowfabric.valkey.internal.wire.Unprepared.Need;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The way to one server or to a cluster. */
public final class LettuceWire implements Wire {
    private final KeySpace keys;
    private final Library library = Library.OURS;
    private final Answers answers;
    private final Servers servers;
    private final PreparedCalls calls;
    private final Copies copies;
    private final Duration callTimeout;
    private final List<Consumer<byte[]>> listeners = new CopyOnWriteArrayList<>();

    /**
     * @param user instead of the one that the address names
     * @param password instead of the one that the address names
     */
    public LettuceWire(
            ServerAddress address,
            @Nullable String user,
            @Nullable String password,
            KeySpace keys,
            Duration callTimeout,
            Duration connectTimeout) {
        this(address, user, password, keys, callTimeout, connectTimeout, Copies.NONE);
    }

    /**
     * @param copies what replicas must have before a call that writes is answered
     */
    public LettuceWire(
            ServerAddress address,
            @Nullable String user,
            @Nullable String password,
            KeySpace keys,
            Duration callTimeout,
            Duration connectTimeout,
            Copies copies) {
        this.keys = keys;
        this.copies = copies;
        this.callTimeout = callTimeout;
        this.answers = new Answers("The server at " + address, callTimeout);
        var nodes =
                address.hosts().stream()
                        .map(
                                host ->
                                        uri(
                                                address,
                                                host,
                                                Optional.ofNullable(user).or(address::user),
                                                Optional.ofNullable(password).or(address::password),
                                                connectTimeout))
                        .toList();
        this.servers =
                nodes.size() == 1
                        ? found(nodes.getFirst(), answers)
                        : new ClusterServers(nodes, answers);
        this.calls = new PreparedCalls(servers, answers, library);
        subscribe();
    }

    private void subscribe() {
        try {
            servers.subscribe(
                    keys.channel(), message -> listeners.forEach(heard -> heard.accept(message)));
        } catch (RuntimeException | Error failure) {
            servers.close();
            throw failure;
        }
    }

    /** What is at an address: one node of a cluster leads to all of them. */
    private static Servers found(RedisURI address, Answers answers) {
        var one = new OneServer(address, answers);
        boolean used = false;
        try {
            used = !ServerFacts.of(one.primaries().getFirst(), answers).isCluster();
        } finally {
            if (!used) {
                one.close();
            }
        }
        return used ? one : new ClusterServers(List.of(address), answers);
    }

    /** What the servers that keep data say of themselves. */
    public List<ServerFacts> facts() {
        return servers.primaries().stream().map(node -> ServerFacts.of(node, answers)).toList();
    }

    private static RedisURI uri(
            ServerAddress address,
            ServerAddress.Host host,
            Optional<String> user,
            Optional<String> password,
            Duration connectTimeout) {
        var uri = RedisURI.create(host.name(), host.port());
        uri.setSsl(address.tls());
        uri.setDatabase(address.database());
        uri.setTimeout(connectTimeout);
        uri.setClientName("flowfabric");
        if (user.isPresent() || password.isPresent()) {
            // A user without a password is not the default one, who may have other rights.
            var login = RedisCredentials.just(user.orElse(null), password.orElse("").toCharArray());
            uri.setCredentialsProvider(RedisCredentialsProvider.from(() -> login));
        }
        return uri;
    }

    @Override
    public byte[] call(String function, Partition partition, byte[] request) {
        var declared = keys.of(partition);
        return copies.areWanted()
                ? copied(function, declared, request)
                : calls.prepared(
                        declared[0], () -> call(servers.commands(), function, declared, request));
    }

    @Override
    public Supplier<byte[]> send(String function, Partition partition, byte[] request) {
        var declared = keys.of(partition);
        return copies.areWanted()
                // The connection stands still until the replicas have it: nothing is won.
                ? () -> copied(function, declared, request)
                : calls.sent(
                        declared[0], () -> call(servers.commands(), function, declared, request));
    }

    /**
     * Calls, and waits until enough replicas have it. Both are sent at once on one connection,
     * which is what the server goes by; unless a node says that another one has the key.
     */
    private byte[] copied(String function, byte[][] declared, byte[] request) {
        var key = declared[0];
        return calls.tried(
                key,
                () -> {
                    var way = servers.at(key);
                    var sent = call(way, function, declared, request);
                    var copied = copies.behind(way);
                    try {
                        var told = answers.answered(sent, callTimeout);
                        copies.check(copied, answers);
                        return told;
                    } catch (Unprepared refused) {
                        if (refused.need() != Need.ANOTHER_NODE) {
                            throw refused;
                        }
                        var other = Redirection.of(refused).orElseThrow(refused::failure);
                        return copiedAt(other, function, declared, request);
                    }
                },
                callTimeout);
    }

    /** Calls by way of all redirections, and asks where the first one led. */
    private byte[] copiedAt(Redirection other, String function, byte[][] declared, byte[] request) {
        var told =
                answers.tryOut(
                        () -> call(servers.commands(), function, declared, request), callTimeout);
        copies.check(copies.behind(servers.at(other.host(), other.port())), answers);
        return told;
    }

    @Override
    public byte[] read(String function, Partition partition, byte[] request) {
        var declared = keys.of(partition);
        return calls.prepared(declared[0], () -> sendRead(function, declared, request));
    }

    private RedisFuture<byte[]> sendRead(String function, byte[][] declared, byte[] request) {
        return servers.commands()
                .fcallReadOnly(
                        library.function(function), ScriptOutputType.VALUE, declared, request);
    }

    @Override
    public Duration patience() {
        return callTimeout;
    }

    @Override
    public List<Answer<byte[]>> readEach(
            String function, List<Partition> partitions, List<byte[]> requests, Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        var sent = new ArrayList<Future<byte[]>>();
        for (int n = 0; n < partitions.size(); n++) {
            var declared = keys.of(partitions.get(n));
            var part = requests.get(n);
            sent.add(Answers.sent(() -> sendRead(function, declared, part)));
        }
        var told = new ArrayList<Answer<byte[]>>();
        for (int n = 0; n < sent.size(); n++) {
            told.add(answer(function, partitions.get(n), requests.get(n), sent.get(n), end));
        }
        return told;
    }

    /** What became of one of several calls. What was refused for want of something is repeated. */
    private Answer<byte[]> answer(
            String function, Partition partition, byte[] request, Future<byte[]> call, long end) {
        try {
            try {
                var left = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
                return Answer.done(answers.answered(call, left));
            } catch (Unprepared refused) {
                // One after the other, and so no longer than all together may take.
                if (System.nanoTime() - end > 0) {
                    throw refused.failure();
                }
                return Answer.done(read(function, partition, request));
            }
        } catch (FlowFabricException unanswered) {
            return Answer.refused(unanswered);
        }
    }

    @Override
    public byte[] callUrgently(
            String function, Partition partition, byte[] request, Duration patience) {
        var declared = keys.of(partition);
        try {
            return servers.urgently(
                    declared[0], commands -> call(commands, function, declared, request), patience);
        } catch (Unprepared refused) {
            return calls.prepared(
                    declared[0],
                    () -> call(servers.commands(), function, declared, request),
                    patience);
        }
    }

    private RedisFuture<byte[]> call(
            RedisClusterAsyncCommands<byte[], byte[]> commands,
            String function,
            byte[][] declared,
            byte[] request) {
        return commands.fcall(
                library.function(function), ScriptOutputType.VALUE, declared, request);
    }

    @Override
    public void publish(byte[] message) {
        // Nobody waits for it: a message that is lost costs a poll or a heartbeat.
        try {
            var unheard = servers.commands().publish(keys.channel(), message);
            unheard.exceptionally(lost -> 0L);
        } catch (RedisException closed) {
            // As above.
        }
    }

    @Override
    public void whenInDoubt(Runnable listener) {
        servers.whenInDoubt(listener);
    }

    @Override
    public void listen(Consumer<byte[]> listener) {
        listeners.add(listener);
    }

    @Override
    public void close() {
        servers.close();
    }
}
