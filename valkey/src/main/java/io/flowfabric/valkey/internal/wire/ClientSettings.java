package io.flowfabric.valkey.internal.wire;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;

import java.time.Duration;

/** How Lettuce is told to behave. */
final class ClientSettings {
    /** How long closing waits for what is under way. */
    static final Duration PATIENCE_AT_THE_END = Duration.ofSeconds(1);

    /** How often a cluster is asked who its nodes are, besides when one of them says so. */
    private static final Duration TOPOLOGY_EVERY = Duration.ofSeconds(15);

    private ClientSettings() {}

    /**
     * A call that was sent when the connection broke is not sent again behind our back: whoever
     * called is told that it may have been applied, and repeats it. One that was not yet sent is
     * refused at once while there is no connection.
     */
    static ClientOptions ofOneServer(Duration connectTimeout) {
        return ClientOptions.builder()
                .autoReconnect(true)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(sockets(connectTimeout))
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .build();
    }

    static ClusterClientOptions ofCluster(Duration connectTimeout) {
        return ClusterClientOptions.builder(ofOneServer(connectTimeout))
                .maxRedirects(8)
                .topologyRefreshOptions(
                        ClusterTopologyRefreshOptions.builder()
                                .enablePeriodicRefresh(TOPOLOGY_EVERY)
                                .build())
                .build();
    }

    private static SocketOptions sockets(Duration connectTimeout) {
        return SocketOptions.builder().connectTimeout(connectTimeout).keepAlive(true).build();
    }
}
