package io.flowfabric.bench.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

class MessagesTest {
    private final LongAdder statements = new LongAdder();
    private final LongAdder roundTrips = new LongAdder();
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 1000})
    void messages_are_counted_however_their_bytes_are_cut(int atATime) throws IOException {
        introduction();
        // Prepare, bind, execute twice, and wait once; then one simple query.
        message('P', 40);
        message('B', 12);
        message('E', 5);
        message('B', 12);
        message('E', 5);
        message('S', 0);
        message('Q', 9);

        read(atATime);

        assertThat(statements.sum()).isEqualTo(3);
        assertThat(roundTrips.sum()).isEqualTo(2);
    }

    @Test
    void an_introduction_is_no_statement() throws IOException {
        introduction();

        read(3);

        assertThat(statements.sum()).isZero();
        assertThat(roundTrips.sum()).isZero();
    }

    private void introduction() throws IOException {
        // Its content must not be taken for messages.
        var content = "SEQS".repeat(10);
        var out = new DataOutputStream(sent);
        out.writeInt(content.length() + Integer.BYTES);
        out.writeBytes(content);
    }

    private void message(char type, int size) throws IOException {
        var out = new DataOutputStream(sent);
        out.writeByte(type);
        out.writeInt(size + Integer.BYTES);
        out.writeBytes("Q".repeat(size));
    }

    private void read(int atATime) {
        var messages = new Messages(statements, roundTrips);
        var bytes = sent.toByteArray();
        for (int from = 0; from < bytes.length; from += atATime) {
            var part = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + atATime));
            messages.read(part, part.length);
        }
    }
}
