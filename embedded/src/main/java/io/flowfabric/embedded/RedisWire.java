package io.flowfabric.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;

/** Speaks to a Redis, as far as starting and joining it needs: some words, one answer. */
final class RedisWire implements AutoCloseable {
    private static final byte[] LOCALHOST = {127, 0, 0, 1};
    private final Socket socket;
    private final InputStream in;

    private RedisWire(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /** Connects to one on this machine, and logs in. */
    static RedisWire connect(int port, String password, Duration timeout) throws IOException {
        var socket = new Socket();
        boolean connected = false;
        try {
            int millis = Math.toIntExact(timeout.toMillis());
            socket.connect(
                    new InetSocketAddress(InetAddress.getByAddress(LOCALHOST), port), millis);
            socket.setSoTimeout(millis);
            var wire = new RedisWire(socket);
            wire.ask("AUTH", password);
            connected = true;
            return wire;
        } finally {
            if (!connected) {
                socket.close();
            }
        }
    }

    /**
     * Sends a command, and returns its answer: a text or a number, or a line for each of several.
     *
     * @throws IOException also when the answer is an error, which is its message
     */
    String ask(String... words) throws IOException {
        var command = new ByteArrayOutputStream();
        command.writeBytes("*%d\r\n".formatted(words.length).getBytes(UTF_8));
        for (var word : words) {
            var bytes = word.getBytes(UTF_8);
            command.writeBytes("$%d\r\n".formatted(bytes.length).getBytes(UTF_8));
            command.writeBytes(bytes);
            command.writeBytes("\r\n".getBytes(UTF_8));
        }
        socket.getOutputStream().write(command.toByteArray());
        return answer();
    }

    private String answer() throws IOException {
        var answer = line();
        return switch (answer.isEmpty() ? ' ' : answer.charAt(0)) {
            case '+', ':' -> answer.substring(1);
            case '$' -> bulk(Integer.parseInt(answer.substring(1)));
            case '*' -> several(Integer.parseInt(answer.substring(1)));
            case '-' -> throw new IOException(answer.substring(1));
            default -> throw new IOException("Redis answers what nobody asked for: " + answer);
        };
    }

    private String several(int count) throws IOException {
        var answers = new ArrayList<String>();
        for (int i = 0; i < count; i++) {
            answers.add(answer());
        }
        return String.join("\n", answers);
    }

    private String bulk(int length) throws IOException {
        if (length < 0) {
            return "";
        }
        var bytes = in.readNBytes(length);
        line();
        return new String(bytes, UTF_8);
    }

    private String line() throws IOException {
        var bytes = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("Redis has closed the connection.");
            }
            if (next != '\r') {
                bytes.write(next);
            }
        }
        return bytes.toString(UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
