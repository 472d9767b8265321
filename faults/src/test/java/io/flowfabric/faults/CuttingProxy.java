package io.flowfabric.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A way to a server on this machine that can be cut: all connections through it break at once. */
final class CuttingProxy implements AutoCloseable {
    private static final int BUFFER = 64 * 1024;
    private static final int BACKLOG = 200;

    private final int target;
    private final ServerSocket door;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    private CuttingProxy(int target) throws IOException {
        this.target = target;
        this.door = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    }

    /** Leads to a port of this machine, also when nothing listens there for a while. */
    static CuttingProxy to(int port) {
        try {
            var proxy = new CuttingProxy(port);
            Thread.ofVirtual().start(proxy::accept);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return door.getLocalPort();
    }

    /** Breaks every connection, whatever it is at, and says how many that were. */
    int cut() {
        var all = List.copyOf(open);
        all.forEach(open::remove);
        all.forEach(CuttingProxy::shut);
        return all.size() / 2;
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                join(door.accept());
            } catch (IOException e) {
                // The door was closed, or the server is not there; the client notices.
            }
        }
    }

    private void join(Socket client) throws IOException {
        var server = new Socket();
        try {
            server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
        } catch (IOException e) {
            shut(client);
            shut(server);
            throw e;
        }
        open.add(client);
        open.add(server);
        Thread.ofVirtual().start(() -> pass(client, server));
        Thread.ofVirtual().start(() -> pass(server, client));
    }

    private void pass(Socket from, Socket to) {
        var buffer = new byte[BUFFER];
        try {
            var in = from.getInputStream();
            var out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                out.write(buffer, 0, read);
            }
        } catch (IOException e) {
            // One of the two is gone, or the connection was cut: the other hears of it below.
        } finally {
            open.remove(from);
            open.remove(to);
            shut(from);
            shut(to);
        }
    }

    private static void shut(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is shut already.
        }
    }

    @Override
    public void close() {
        try {
            door.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
    }
}
