package io.flowfabric.valkey;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Stands between a store and its server, and can do what a network does: let connections hang
 * without a word, and lead new ones elsewhere.
 */
final class FreezingProxy implements AutoCloseable {
    private final ServerSocket door;
    private final List<Link> links = new CopyOnWriteArrayList<>();
    private volatile int target;

    FreezingProxy(int target) throws IOException {
        this.target = target;
        this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return door.getLocalPort();
    }

    /** Where new connections lead to. */
    void lead(int port) {
        target = port;
    }

    /** From now on nothing comes through the connections that there are. */
    void freeze() {
        links.forEach(link -> link.frozen = true);
    }

    /** How many connections are open. */
    long open() {
        return links.stream().filter(link -> !link.inside.isClosed()).count();
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                var inside = door.accept();
                var link = new Link(inside, new Socket(InetAddress.getLoopbackAddress(), target));
                links.add(link);
                Thread.ofVirtual().start(() -> link.pass(link.inside, link.outside));
                Thread.ofVirtual().start(() -> link.pass(link.outside, link.inside));
            } catch (IOException e) {
                // It is closed, or nothing is behind it.
            }
        }
    }

    private static final class Link {
        private final Socket inside;
        private final Socket outside;
        private volatile boolean frozen;

        Link(Socket inside, Socket outside) {
            this.inside = inside;
            this.outside = outside;
        }

        void pass(Socket from, Socket to) {
            try (from;
                    to) {
                var buffer = new byte[1 << 16];
                int read = from.getInputStream().read(buffer);
                while (read >= 0) {
                    if (!frozen) {
                        to.getOutputStream().write(buffer, 0, read);
                    }
                    read = from.getInputStream().read(buffer);
                }
            } catch (IOException e) {
                // One of the two is gone.
            }
        }
    }

    @Override
    public void close() {
        try {
            door.close();
            for (var link : links) {
                link.inside.close();
                link.outside.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
