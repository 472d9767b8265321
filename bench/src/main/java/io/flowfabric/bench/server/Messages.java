package io.flowfabric.bench.server;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the messages that one client sends to Postgres, from its bytes as they come.
 *
 * <p>A message is one byte for its type, four for its length without the type, and the rest. Only
 * the first one, by which a client introduces itself, has no type.
 */
final class Messages {
    private static final int LENGTH = Integer.BYTES;

    private final LongAdder statements;
    private final LongAdder roundTrips;
    private final byte[] header = new byte[1 + LENGTH];
    private int headerSize = LENGTH;
    private int filled;
    private int toSkip;

    /**
     * @param statements counts what is executed
     * @param roundTrips counts how often the client then waits for the server
     */
    Messages(LongAdder statements, LongAdder roundTrips) {
        this.statements = statements;
        this.roundTrips = roundTrips;
    }

    void read(byte[] bytes, int count) {
        int at = 0;
        while (at < count) {
            if (toSkip > 0) {
                int skipped = Math.min(toSkip, count - at);
                toSkip -= skipped;
                at += skipped;
            } else {
                header[filled++] = bytes[at++];
                if (filled == headerSize) {
                    begin();
                }
            }
        }
    }

    private void begin() {
        toSkip = ByteBuffer.wrap(header).getInt(headerSize - LENGTH) - LENGTH;
        if (headerSize > LENGTH) {
            count((char) header[0]);
        }
        headerSize = header.length;
        filled = 0;
    }

    private void count(char type) {
        switch (type) {
            // Query: statement and wait in one
            case 'Q' -> {
                statements.increment();
                roundTrips.increment();
            }
            // Execute
            case 'E' -> statements.increment();
            // Sync: the client waits for everything before it
            case 'S' -> roundTrips.increment();
            default -> {}
        }
    }
}
