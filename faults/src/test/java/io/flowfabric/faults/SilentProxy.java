package io.flowfabric.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A way to a server on which connections can fall silent: they stay open, and nothing comes through
 * in either direction, until they may speak again. Connections that are made later are not touched.
 */
final class SilentProxy implements AutoCloseable {
    private final ServerSocket door;
    private final int server;
    private final List<Link> links = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** A connection through this proxy. */
    private static final class Link {
        final Socket client;
        final Socket server;
        boolean silent;

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }
    }

    /**
     * @param server the port on 127.0.0.1 that it leads to
     */
    SilentProxy(int server) {
        this.server = server;
        try {
            door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return door.getLocalPort();
    }

    /** Silences every connection that there is, and says how many these are. */
    int silence() {
        return setSilent(true);
    }

    /** Lets all of them speak again: nothing of what was said meanwhile is lost. */
    void speak() {
        setSilent(false);
    }

    private int setSilent(boolean silent) {
        lock.lock();
        try {
            links.removeIf(link -> link.client.isClosed());
            links.forEach(link -> link.silent = silent);
            changed.signalAll();
            return links.size();
        } finally {
            lock.unlock();
        }
    }

    private void accept() {
        try {
            while (true) {
                var client = door.accept();
                var link = new Link(client, new Socket(InetAddress.getLoopbackAddress(), server));
                links.add(link);
                Thread.ofVirtual().start(() -> pass(link, link.client, link.server));
                Thread.ofVirtual().start(() -> pass(link, link.server, link.client));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void pass(Link link, Socket from, Socket to) {
        var bytes = new byte[8192];
        try (from;
                to) {
            var in = from.getInputStream();
            var out = to.getOutputStream();
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                awaitVoice(link);
                out.write(bytes, 0, count);
            }
        } catch (IOException | InterruptedException over) {
            // One side is gone, and so is the other.
        }
    }

    private void awaitVoice(Link link) throws InterruptedException {
        lock.lock();
        try {
            while (link.silent) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        speak();
        var sockets = new ArrayList<AutoCloseable>(List.of(door));
        links.forEach(link -> sockets.addAll(List.of(link.client, link.server)));
        for (var socket : sockets) {
            try {
                socket.close();
            } catch (Exception e) {
                // It is gone already.
            }
        }
    }
}
