package io.flowfabric.bench.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ObjIntConsumer;

/**
 * A way to the server that counts what goes there, whatever library sends it.
 *
 * <p>Every byte takes a detour through this process, so nothing is timed through it.
 */
public final class WireTap implements AutoCloseable {
    private static final int BUFFER = 64 << 10;

    private final Server server;
    private final ServerSocket door;
    private final LongAdder statements = new LongAdder();
    private final LongAdder roundTrips = new LongAdder();

    /**
     * What was counted.
     *
     * @param statements what was executed, {@code begin} and {@code commit} included
     * @param roundTrips how often somebody waited for the server
     */
    public record Count(long statements, long roundTrips) {
        public Count since(Count before) {
            return new Count(statements - before.statements, roundTrips - before.roundTrips);
        }
    }

    private WireTap(Server server, ServerSocket door) {
        this.server = server;
        this.door = door;
    }

    public static WireTap on(Server server) throws IOException {
        var tap = new WireTap(server, new ServerSocket(0, 0, InetAddress.getLoopbackAddress()));
        Thread.ofVirtual().name("wire-tap").start(tap::accept);
        return tap;
    }

    /** The way through the tap. */
    public Login login() {
        var direct = server.login();
        var url = direct.url().replace(":" + server.port() + "/", ":" + door.getLocalPort() + "/");
        return new Login(url, direct.user(), direct.password());
    }

    public Count count() {
        return new Count(statements.sum(), roundTrips.sum());
    }

    /** Lets nobody new in. Who is connected already stays so until it leaves. */
    @Override
    public void close() throws IOException {
        door.close();
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                var client = door.accept();
                var inside = new Socket(InetAddress.getLoopbackAddress(), server.port());
                client.setTcpNoDelay(true);
                inside.setTcpNoDelay(true);
                var messages = new Messages(statements, roundTrips);
                carry(client, inside, messages::read);
                carry(inside, client, (bytes, count) -> {});
            } catch (IOException e) {
                // The door was closed; a client that is refused says so itself.
            }
        }
    }

    private static void carry(Socket from, Socket to, ObjIntConsumer<byte[]> reader) {
        Thread.ofVirtual()
                .start(
                        () -> {
                            try (from;
                                    to) {
                                carry(from.getInputStream(), to.getOutputStream(), reader);
                            } catch (IOException e) {
                                // One of the two has left, and with it goes the other.
                            }
                        });
    }

    private static void carry(InputStream from, OutputStream to, ObjIntConsumer<byte[]> reader)
            throws IOException {
        var buffer = new byte[BUFFER];
        for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
            reader.accept(buffer, count);
            to.write(buffer, 0, count);
        }
    }
}
