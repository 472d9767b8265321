package io.flowfabric.postgres.internal.jdbc;

import io.flowfabric.postgres.DatabaseOptions;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A wire between a client and a server on which one can count round trips, and which one can cut.
 */
final class Wire implements AutoCloseable {
    private static final byte[] LOCALHOST = {127, 0, 0, 1};

    private final ServerSocket listener;
    private final DatabaseOptions server;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger questions = new AtomicInteger();
    private volatile boolean answersAreLost;
    private volatile boolean frozen;

    private Wire(DatabaseOptions server) throws IOException {
        this.server = server;
        this.listener = new ServerSocket(0, 50, InetAddress.getByAddress(LOCALHOST));
        Thread.ofVirtual().start(this::accept);
    }

    static Wire to(DatabaseOptions server) throws IOException {
        return new Wire(server);
    }

    /** The server, at the near end of the wire. */
    DatabaseOptions options() {
        var port = ":" + port(server.url()) + "/";
        return server.withUrl(server.url().replace(port, ":" + listener.getLocalPort() + "/"))
                .withConnections(1);
    }

    /** How often the client has spoken since the server last did, and waited for an answer. */
    int roundTrips() {
        return questions.get();
    }

    /** From now on what the client says arrives, and instead of an answer the wire breaks. */
    void loseAnswers() {
        answersAreLost = true;
    }

    /** From now on no answer is taken off the wire, as by a client that is stopped. */
    void freezeAnswers() {
        frozen = true;
    }

    /** Breaks every connection; new ones work. */
    void cut() {
        sockets.forEach(Wire::close);
        sockets.clear();
        answersAreLost = false;
    }

    /** Ends it before its time. */
    void end() throws IOException {
        close();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        cut();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                var near = listener.accept();
                var far = new Socket(InetAddress.getByAddress(LOCALHOST), port(server.url()));
                near.setTcpNoDelay(true);
                far.setTcpNoDelay(true);
                sockets.add(near);
                sockets.add(far);
                var talk = new Talk();
                Thread.ofVirtual().start(() -> pump(near, far, talk, true));
                Thread.ofVirtual().start(() -> pump(far, near, talk, false));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void pump(Socket from, Socket to, Talk talk, boolean asking) {
        var buffer = new byte[1 << 16];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                if (!asking && answersAreLost) {
                    break;
                }
                while (!asking && frozen && !listener.isClosed()) {
                    LockSupport.parkNanos(1_000_000);
                }
                if (talk.spokenBy(asking) && asking) {
                    questions.incrementAndGet();
                }
                out.write(buffer, 0, n);
            }
        } catch (IOException e) {
            // Cut, or one end is gone.
        } finally {
            close(from);
            close(to);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is gone, which is what was wanted.
        }
    }

    private static int port(String url) {
        return URI.create(url.substring("jdbc:".length())).getPort();
    }

    /** Who spoke last on one connection. */
    private static final class Talk {
        private boolean clientSpoke;

        /** Whether the other side spoke before. */
        synchronized boolean spokenBy(boolean client) {
            boolean turned = clientSpoke != client;
            clientSpoke = client;
            return turned;
        }
    }
}
