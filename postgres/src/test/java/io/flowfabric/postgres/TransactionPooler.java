package io.flowfabric.postgres;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A pooler as an unkind PgBouncer in transaction mode, without support for prepared statements:
 * every transaction runs on the connection to the server that was idle for longest, whoever used it
 * before. Each client brings one such connection along when it logs in.
 */
public final class TransactionPooler implements AutoCloseable {
    private static final byte[] LOCALHOST = {127, 0, 0, 1};
    private static final int CANCEL = 80877102;
    private static final int TLS = 80877103;
    private static final int GSS = 80877104;

    private final DatabaseOptions server;
    private final ServerSocket listener;
    private final LinkedBlockingQueue<Peer> idle = new LinkedBlockingQueue<>();
    private final List<Peer> all = new CopyOnWriteArrayList<>();
    private final AtomicInteger clients = new AtomicInteger();

    private TransactionPooler(DatabaseOptions server) throws IOException {
        this.server = server;
        this.listener = new ServerSocket(0, 50, InetAddress.getByAddress(LOCALHOST));
        Thread.ofVirtual().start(this::accept);
    }

    public static TransactionPooler before(DatabaseOptions server) throws IOException {
        return new TransactionPooler(server);
    }

    /** The URL of the server, by way of the pooler. */
    public String url() {
        return server.url()
                .replace(":" + port(server.url()) + "/", ":" + listener.getLocalPort() + "/");
    }

    private static int port(String url) {
        return URI.create(url.substring("jdbc:".length())).getPort();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (var peer : all) {
            peer.socket.close();
        }
    }

    /** One end of a connection. */
    private record Peer(Socket socket, DataInputStream in, DataOutputStream out) {
        static Peer of(Socket socket) throws IOException {
            socket.setTcpNoDelay(true);
            return new Peer(
                    socket,
                    new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16)),
                    new DataOutputStream(
                            new BufferedOutputStream(socket.getOutputStream(), 1 << 16)));
        }

        Message read() throws IOException {
            var type = (char) in.readUnsignedByte();
            return new Message(type, in.readNBytes(in.readInt() - Integer.BYTES));
        }

        void write(Message message) throws IOException {
            out.writeByte(message.type);
            writeStartup(message.body);
        }

        void writeStartup(byte[] body) throws IOException {
            out.writeInt(body.length + Integer.BYTES);
            out.write(body);
        }
    }

    private static final class Message {
        final char type;
        final byte[] body;

        Message(char type, byte[] body) {
            this.type = type;
            this.body = body;
        }

        int number() {
            return ByteBuffer.wrap(body).getInt();
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                var client = Peer.of(listener.accept());
                all.add(client);
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Peer client) {
        try (client.socket) {
            if (logIn(client)) {
                for (var first = client.read(); first.type != 'X'; first = client.read()) {
                    transaction(client, first);
                }
            }
        } catch (IOException gone) {
            // The client, or the pooler itself, is at its end.
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    /** Lets the client log in at the server itself, and keeps the connection for everyone. */
    private boolean logIn(Peer client) throws IOException {
        var hello = client.in.readNBytes(client.in.readInt() - Integer.BYTES);
        int asked = new Message(' ', hello).number();
        if (asked == CANCEL) {
            return false;
        }
        if (asked == TLS || asked == GSS) {
            client.out.writeByte('N');
            client.out.flush();
            return logIn(client);
        }
        var peer = Peer.of(new Socket(InetAddress.getByAddress(LOCALHOST), port(server.url())));
        all.add(peer);
        peer.writeStartup(hello);
        peer.out.flush();
        for (var answer = peer.read(); ; answer = peer.read()) {
            if (answer.type == 'K') {
                // A number by which only the pooler knows the client.
                ByteBuffer.wrap(answer.body).putInt(-clients.incrementAndGet());
            }
            client.write(answer);
            client.out.flush();
            if (answer.type == 'E') {
                return false;
            }
            if (answer.type == 'Z') {
                idle.add(peer);
                return true;
            }
            if (answer.type == 'R' && answer.number() != 0 && answer.number() != 12) {
                peer.write(client.read());
                peer.out.flush();
            }
        }
    }

    private void transaction(Peer client, Message first) throws IOException, InterruptedException {
        var peer = idle.take();
        try {
            for (var message = first; ; message = client.read()) {
                peer.write(message);
                if (message.type != 'S' && message.type != 'Q') {
                    continue;
                }
                peer.out.flush();
                if (answered(client, peer)) {
                    idle.add(peer);
                    return;
                }
            }
        } catch (IOException gone) {
            peer.socket.close();
            throw gone;
        }
    }

    /** Hands an answer on, and says whether the transaction is over. */
    private static boolean answered(Peer client, Peer peer) throws IOException {
        Message answer;
        do {
            answer = peer.read();
            client.write(answer);
        } while (answer.type != 'Z');
        client.out.flush();
        return answer.body[0] == 'I';
    }
}
