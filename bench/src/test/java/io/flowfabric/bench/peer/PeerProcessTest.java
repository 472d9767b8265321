package io.flowfabric.bench.peer;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.bench.server.Login;
import io.flowfabric.bench.server.Server;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PeerProcessTest {
    private static final int WORKERS = 4;

    private static Server server;

    @BeforeAll
    static void start() throws Exception {
        server = Server.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** A drain that did nothing must not pass for a fast one. */
    @ParameterizedTest
    @EnumSource(Peer.class)
    void a_peer_whose_work_is_not_done_does_not_pass(Peer peer) throws Exception {
        try (var process = PeerProcess.start(peer, server.login(), WORKERS)) {
            process.submit(3);

            assertThatThrownBy(process::verify)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(peer.title() + " could not go on");
        }
    }

    @Test
    void a_peer_that_cannot_reach_its_server_says_so() {
        var nowhere = new Login("jdbc:postgresql://127.0.0.1:1/none?connectTimeout=1", "a", "b");

        assertThatThrownBy(() -> PeerProcess.start(Peer.FLOWFABRIC, nowhere, WORKERS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("FlowFabric could not go on");
    }
}
