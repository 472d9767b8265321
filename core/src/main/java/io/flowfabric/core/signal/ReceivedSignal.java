package io.flowfabric.core.signal;

/**
 * A signal as it was received.
 *
 * @param place the number of the waitpoint at which it arrived
 */
public record ReceivedSignal(Signal signal, long place, Delivery delivery) {
    /** How large it is, roughly. */
    public long bytes() {
        return signal.bytes();
    }

    /** What a condition has to know of it. */
    public SignalHead head() {
        return new SignalHead(
                delivery.number(), signal.at().name(), signal.name(), signal.by().actor());
    }
}
