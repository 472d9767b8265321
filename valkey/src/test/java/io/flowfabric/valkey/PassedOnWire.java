package io.flowfabric.valkey;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Partition;
import io.flowfabric.valkey.internal.wire.Wire;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A wire that passes everything on to a real one, for tests that watch it or break it. */
class PassedOnWire implements Wire {
    private final Wire real;

    PassedOnWire(Wire real) {
        this.real = real;
    }

    @Override
    public byte[] call(String function, Partition partition, byte[] request) {
        return passed(partition, real.call(function, sent(partition), request));
    }

    @Override
    public Supplier<byte[]> send(String function, Partition partition, byte[] request) {
        var sent = real.send(function, sent(partition), request);
        return () -> passed(partition, sent.get());
    }

    @Override
    public byte[] read(String function, Partition partition, byte[] request) {
        return passed(partition, real.read(function, sent(partition), request));
    }

    @Override
    public byte[] callUrgently(
            String function, Partition partition, byte[] request, Duration patience) {
        return passed(partition, real.callUrgently(function, sent(partition), request, patience));
    }

    @Override
    public List<Answer<byte[]>> readEach(
            String function, List<Partition> partitions, List<byte[]> requests, Duration patience) {
        return real.readEach(function, partitions, requests, patience);
    }

    @Override
    public Duration patience() {
        return real.patience();
    }

    /** What is about to be asked of a partition; may fail. */
    Partition sent(Partition partition) {
        return partition;
    }

    /** What a partition has answered. */
    byte[] passed(Partition partition, byte[] answer) {
        return answer;
    }

    @Override
    public void publish(byte[] message) {
        real.publish(message);
    }

    @Override
    public void listen(Consumer<byte[]> listener) {
        real.listen(listener);
    }

    @Override
    public void whenInDoubt(Runnable listener) {
        real.whenInDoubt(listener);
    }

    @Override
    public void close() {
        real.close();
    }
}
