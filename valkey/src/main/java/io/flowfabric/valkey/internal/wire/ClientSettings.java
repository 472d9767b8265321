package io.flowfabric.valkey.internal.wire;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** How Lettuce is told to behave. */
final class ClientSettings {
    /** How long closing waits for what is under way. */
    static final Duration PATIENCE_AT_THE_END = Duration.ofSeconds(1);

    /** How often a cluster is asked who its nodes are, besides when something hints at a change. */
    private static final Duration TOPOLOGY_EVERY = Duration.ofSeconds(15);

    /** So often a hint is followed at most. */
    private static final Duration HINTS_EVERY = Duration.ofMillis(500);

    private static final Duration FIRST_RECONNECT = Duration.ofMillis(10);

    /** However long a server was away, it is found again as fast. */
    private static final Duration LAST_RECONNECT = Duration.ofSeconds(1);

    /** A host that vanishes without a word is noticed within some 11 seconds. */
    private static final Duration KEEP_ALIVE_IDLE = Duration.ofSeconds(5);

    private static final Duration KEEP_ALIVE_INTERVAL = Duration.ofSeconds(2);
    private static final int KEEP_ALIVE_COUNT = 3;

    private ClientSettings() {}

    /** The threads of a client; whoever has them ends them. */
    static ClientResources resources(NettyCustomizer watch) {
        return DefaultClientResources.builder()
                .nettyCustomizer(watch)
                .reconnectDelay(
                        Delay.fullJitter(
                                FIRST_RECONNECT,
                                LAST_RECONNECT,
                                FIRST_RECONNECT.toMillis(),
                                TimeUnit.MILLISECONDS))
                .build();
    }

    /** Ends them. */
    static void end(ClientResources resources) {
        resources
                .shutdown(0, PATIENCE_AT_THE_END.toMillis(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(PATIENCE_AT_THE_END.toMillis());
    }

    /**
     * A call that was sent when the connection broke is not sent again behind our back: whoever
     * called is told that it may have been applied, and repeats it. One that was not yet sent is
     * refused at once while there is no connection.
     */
    static ClientOptions ofOneServer(Duration connectTimeout) {
        return ClientOptions.builder()
                .autoReconnect(true)
                .replayFilter(command -> true)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(sockets(connectTimeout))
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .build();
    }

    /** One that is not made again by itself when it breaks. */
    static ClientOptions ofOneConnection(Duration connectTimeout) {
        return ofOneServer(connectTimeout).mutate().autoReconnect(false).build();
    }

    static ClusterClientOptions ofCluster(Duration connectTimeout) {
        return ClusterClientOptions.builder(ofOneServer(connectTimeout))
                .maxRedirects(8)
                .topologyRefreshOptions(
                        ClusterTopologyRefreshOptions.builder()
                                .enablePeriodicRefresh(TOPOLOGY_EVERY)
                                .adaptiveRefreshTriggersTimeout(HINTS_EVERY)
                                .refreshTriggersReconnectAttempts(1)
                                .build())
                .build();
    }

    private static SocketOptions sockets(Duration connectTimeout) {
        return SocketOptions.builder()
                .connectTimeout(connectTimeout)
                .keepAlive(
                        KeepAliveOptions.builder()
                                .enable()
                                .idle(KEEP_ALIVE_IDLE)
                                .interval(KEEP_ALIVE_INTERVAL)
                                .count(KEEP_ALIVE_COUNT)
                                .build())
                .build();
    }
}
