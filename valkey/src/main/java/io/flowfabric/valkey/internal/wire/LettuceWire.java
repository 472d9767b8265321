package io.flowfabric.valkey.internal.wire;

import io.flowfabric.core.Partition;
import io.flowfabric.valkey.internal.wire.Refusals.FunctionsMissing;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The way to one server or to a cluster. */
public final class LettuceWire implements Wire {
    private final KeySpace keys;
    private final Library library = Library.OURS;
    private final Answers answers;
    private final Servers servers;
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
        this.keys = keys;
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
                        ? new OneServer(nodes.getFirst(), answers)
                        : new ClusterServers(nodes, answers);
        servers.subscribe(
                keys.channel(), message -> listeners.forEach(heard -> heard.accept(message)));
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
        password.ifPresent(
                secret -> {
                    var login = RedisCredentials.just(user.orElse(null), secret.toCharArray());
                    uri.setCredentialsProvider(RedisCredentialsProvider.from(() -> login));
                });
        return uri;
    }

    @Override
    public byte[] call(String function, Partition partition, byte[] request) {
        return loaded(
                () ->
                        servers.commands()
                                .fcall(
                                        library.function(function),
                                        ScriptOutputType.VALUE,
                                        keys.of(partition),
                                        request));
    }

    @Override
    public byte[] read(String function, Partition partition, byte[] request) {
        return loaded(
                () ->
                        servers.commands()
                                .fcallReadOnly(
                                        library.function(function),
                                        ScriptOutputType.VALUE,
                                        keys.of(partition),
                                        request));
    }

    @Override
    public void publish(byte[] message) {
        // Nobody waits for it: a message that is lost costs a poll or a heartbeat.
        var unheard = servers.commands().publish(keys.channel(), message);
        unheard.exceptionally(lost -> 0L);
    }

    @Override
    public void listen(Consumer<byte[]> listener) {
        listeners.add(listener);
    }

    /** Calls, and where a server does not know the functions hands them over first. */
    private byte[] loaded(Supplier<RedisFuture<byte[]>> call) {
        try {
            return answers.await(call.get());
        } catch (FunctionsMissing missing) {
            servers.load(library);
            return answers.await(call.get());
        }
    }

    @Override
    public void close() {
        servers.close();
    }
}
