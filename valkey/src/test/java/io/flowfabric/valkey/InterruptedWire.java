package io.flowfabric.valkey;

import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.valkey.internal.wire.Wire;

import java.io.IOException;

/** A wire on which something happens before one of the calls of a function. */
final class InterruptedWire extends PassedOnWire {
    private String function = "";
    private int spared;
    private int called;
    private Runnable happening = () -> {};

    InterruptedWire(Wire real) {
        super(real);
    }

    /** Lets something happen, once, before a call of a function that comes after so many others. */
    void before(String itsFunction, int itsSpared, Runnable happens) {
        called = 0;
        function = itsFunction;
        spared = itsSpared;
        happening = happens;
    }

    /** Cuts the connection, once, before a call of a function that comes after so many others. */
    void cutBefore(String itsFunction, int itsSpared) {
        before(
                itsFunction,
                itsSpared,
                () -> {
                    throw new StoreFailure(
                            "The connection was cut.", false, new IOException("cut"));
                });
    }

    /** Whether it has happened. */
    boolean happened() {
        return called > spared;
    }

    @Override
    public byte[] call(String itsFunction, Partition partition, byte[] request) {
        if (itsFunction.equals(function)) {
            called++;
            if (called == spared + 1) {
                happening.run();
            }
        }
        return super.call(itsFunction, partition, request);
    }
}
